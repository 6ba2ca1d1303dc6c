//! Figures of `docs/learn` that can be computed: each is computed here, put into the sentence or the line that states it,
//! and looked for on its page.

use std::iter::successors;

use glam::DVec2;
use histoscope_core::histogram::Components;
use histoscope_lab::bench::scene;
use histoscope_lab::{BlurMethod, ChannelSet, DrawMethod, LabDrawing, Method, ScanKind, Setup, Shape, scan};
use histoscope_render::view::overlay::{OverlayStyle, placed};
use histoscope_render::view::placement::{Fit, ViewSettings};

use super::read;

/// A page, a text on it with `{}` for each figure, and the figures.
type Row = (&'static str, &'static str, Vec<String>);

/// Writes a whole number as the pages do: 15,050.
fn whole(number: impl TryInto<u64>) -> String {
    let number: u64 = number.try_into().ok().expect("not negative");
    let digits = number.to_string();
    let (start, rest) = digits.split_at(digits.len() % 3);
    // Four digits stand together in running text, unless they are a grouped table's.
    if number < 10_000 {
        return digits;
    }
    let groups = rest.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let groups: Vec<_> = Some(start.to_owned()).filter(|start| !start.is_empty()).into_iter().chain(groups).collect();
    groups.join(",")
}

/// Writes a number with one decimal, or none if it is whole.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.1}") }
}

fn list(words: &[u32]) -> String {
    words.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

fn row<const N: usize>(page: &'static str, text: &'static str, figures: [String; N]) -> Row {
    (page, text, figures.to_vec())
}

fn chunks(chunk: (u32, u32), size: (u32, u32)) -> (u32, u32) {
    Shape::within(&wgpu::Limits::default(), chunk, 256).unwrap().chunks_of(size)
}

/// Returns the number of strides 1, 2, 4, … below `count`: the dispatches of a sum pair by pair.
fn strides(count: u32) -> usize {
    successors(Some(1_u32), |stride| Some(stride * 2)).take_while(|stride| *stride < count).count()
}

fn counting() -> Vec<Row> {
    let page = "README";
    let colors = [
        "dusk 70 50 120 {} {}",
        "sea 20 60 140 {} {}",
        "deep 10 35 100 {} {}",
        "sky 240 110 60 {} {}",
        "haze 220 70 70 {} {}",
        "glow 255 200 60 {} {}",
        "sun 255 235 120 {} {}",
    ];
    let mut rows = Vec::new();
    for pixel in scene::PIXELS.iter().flatten() {
        let [r, g, b] = pixel;
        let of_pixel = format!(" {r} {g} {b} ");
        let text = colors.into_iter().find(|text| text.contains(&of_pixel)).expect("the colour of each pixel");
        let value = format!("0.{:02}", scene::hundredths(*pixel));
        rows.push(row(page, text, [value, scene::bin(*pixel).to_string()]));
    }
    rows.sort();
    rows.dedup();
    assert_eq!(rows.len(), colors.len());
    let weighted = |value: &dyn Fn(f64) -> f64| 0.2126 * value(240.0) + 0.7152 * value(110.0) + 0.0722 * value(60.0);
    let linear = |code: f64| ((code / 255.0 + 0.055) / 1.055).powf(2.4);
    let sky = [weighted(&|code| code / 255.0), weighted(&linear)].map(|v| format!("{v:.2}"));
    rows.push(row(page, "The sky has v = {} by codes, and {} by light.", sky));
    let first_code = |bin: u32| (0..256).find(|code| code * 3 / 256 == bin).unwrap();
    let text = "with three bins, v from 1/3 to {}/256 and from 2/3 to {}/256.";
    rows.push(row(page, text, [1, 2].map(|bin| whole(first_code(bin)))));
    let of = |chunk, size| {
        let (across, down) = chunks(chunk, size);
        across * down
    };
    let lines = of((256, 1), (1280, 720));
    let text = "the {} chunks of 256×1 in a picture of 1280×720 take {} dispatches";
    rows.push(row(page, text, [whole(lines), whole(strides(lines))]));
    let (tutorial, square) = (of((256, 1), (2448, 1505)), of((16, 16), (2448, 1505)));
    let text = "2448×1505 takes {} chunks of 256×1, but {} of 16×16.";
    rows.push(row(page, text, [whole(tutorial), whole(square)]));
    let setup = Setup { method: Method::Sum, channels: ChannelSet::Four, shape: Shape::default() };
    let text =
        "with 256 pixels per chunk, 256 bins and four channels, {} KiB are written and read for each {} KiB of pixels";
    let pixels = setup.shape.chunk_pixels() * 4;
    rows.push(row(page, text, [whole(setup.bin_bytes((256, 1)) / 1024), whole(pixels / 1024)]));
    let lanes = [17, 17, 18, 17, 40, 17, 18, 17];
    let votes = |bin| whole(lanes.iter().filter(|lane| **lane == bin).count() as u64);
    rows.push(row(page, "lanes {} turn 1", [list(&lanes)]));
    rows.push(row(page, "one addition of {} turn 2", [votes(17)]));
    rows.push(row(page, "bin 18: one addition of {}", [votes(18)]));
    rows.push(row(page, "bin 40: one addition of {}", [votes(40)]));
    rows
}

fn barriers() -> Vec<Row> {
    let page = "barriers";
    let size = (scene::WIDTH as u32, scene::HEIGHT as u32);
    let (across, down) = chunks((3, 1), size);
    let (of_four, rows_of_four) = chunks((4, 4), size);
    let lanes = of_four * rows_of_four * 16;
    let lines = chunks((256, 1), (2448, 1505));
    let (of_300, _) = chunks((256, 1), (300, 1));
    vec![
        row(page, "workgroups of 3×1 give {}×{} workgroups", [across, down].map(whole)),
        row(page, "chunk {} is (1, 1)", [whole(across + 1)]),
        row(page, "row y = 1 of bins {}", [list(&scene::PIXELS[1].map(|rgb| scene::bin(rgb) as u32))]),
        row(page, "“{}×{} workgroups of 256×1”", [lines.0, lines.1].map(whole)),
        row(page, "runs {} of them in some order", [whole(lines.0 * lines.1)]),
        row(
            page,
            "Workgroups of 4×4 on these 6×7 pixels are {}×{} workgroups with {} invocations, {} of them (·) beyond the edge",
            [of_four, rows_of_four, lanes, lanes - size.0 * size.1].map(whole),
        ),
        row(page, "in 4×4×4, the invocation at (1, 2, 3) is number {}.", [whole(1 + 2 * 4 + 3 * 16_u32)]),
        row(
            page,
            "A row of 300 pixels takes {} workgroups of 256×1, and {} of their {} invocations have no pixel.",
            [of_300, of_300 * 256 - 300, of_300 * 256].map(whole),
        ),
    ]
}

fn prefix_sums() -> Vec<Row> {
    let page = "prefix-sum";
    let five = [3, 1, 4, 1, 5];
    let mut rows = vec![
        row(page, "exclusive {}", [list(&scan::serial(&five, ScanKind::Exclusive))]),
        row(page, "inclusive {}", [list(&scan::serial(&five, ScanKind::Inclusive))]),
    ];
    let eight = [3, 1, 4, 1, 5, 9, 2, 6];
    let (mut words, mut tree) = (eight, eight);
    for (offset, step, touched) in [
        (1, "offset 1 {}", "offset 1 {} words 1, 3, 5, 7"),
        (2, "offset 2 {}", "offset 2 {} words 3, 7"),
        (4, "offset 4 {}", "offset 4 {} word 7"),
    ] {
        words = std::array::from_fn(|i| words[i] + if i >= offset { words[i - offset] } else { 0 });
        rows.push(row(page, step, [list(&words)]));
        for i in 0..8 / (2 * offset) {
            tree[offset * (2 * i + 2) - 1] += tree[offset * (2 * i + 1) - 1];
        }
        rows.push(row(page, touched, [list(&tree)]));
    }
    assert_eq!(words.to_vec(), scan::serial(&eight, ScanKind::Inclusive));
    let before = scan::serial(&eight, ScanKind::Exclusive);
    rows.push(row(page, "the word 1 gets 0 + 3 = {}", [whole(before[1])]));
    rows.push(row(page, "the word 4 gets {}", [whole(before[2])]));
    rows.push(row(page, "the word 1 gets 4 + 4 = {}", [whole(before[3])]));
    rows.push(row(page, "0 + 9 = {} ─▶ …", [whole(before[4])]));
    let steps = |words| whole(strides(words));
    rows.push(row(page, "so 8 words take {} steps and 256 words take {}.", [steps(8), steps(256)]));
    let sums = scan::serial(&[31, 17, 40], ScanKind::Exclusive);
    rows.push(row(page, "their sums 31 17 40 … ─▶ scanned: {} …", [list(&sums)]));
    // A level scans blocks of 512 words; one more scans their sums.
    let levels =
        |words: u32| successors(Some(words), |words| Some(words.div_ceil(512)).filter(|_| *words > 512)).count();
    let first = |level| (1_u32..).find(|&words| levels(words) == level).unwrap();
    let text = "Blocks of 512 words need a second level from {} words, and a third from {}; 2²⁶ words have {} levels.";
    assert_eq!(levels(1 << 26), 3);
    rows.push(row(page, text, [whole(first(2)), whole(first(3)), "three".into()]));
    rows.push(row(page, "32 lanes which load one each need {} words: {} turns", [whole(4 * 32_u32), "four".into()]));
    rows
}

/// Returns the numbers in a row of the table about the cost of blurs, `None` for empty cells.
fn blur_times(name: &str) -> Vec<Option<f64>> {
    let page = read("docs/learn/blur.md");
    let line = page.lines().find(|line| line.starts_with(&format!("| {name} |"))).expect("a row").to_owned();
    line.split('|').skip(2).map(|cell| cell.replace(' ', "").parse().ok()).collect()
}

fn blurs() -> Vec<Row> {
    let page = "blur";
    let loads = |method: BlurMethod, size| short(method.loads(size).0);
    let mut rows = vec![
        row(page, "N² loads per pixel: {} for N = 15.", [whole(15_u32 * 15)]),
        row(page, "Here there are 2N: {} for N = 15.", [whole(2 * 15_u32)]),
        row(page, "for N = 15 it has {} words, so the first {} invocations", [270_u32, 270 - 256].map(whole)),
        row(page, "loads 0, 256 1, 257 13, {} 14 255 words", [whole(256 + 13_u32)]),
        row(page, "sums 0…{} 1…{} 13…{} 14…{} 255…{}", [0, 1, 13, 14, 255].map(|first| whole(first + 15_u32 - 1))),
        row(page, "for N = 127 only {} of 128 columns are results", [whole(128 - (127 - 1_u32))]),
        row(page, "| the whole square | {} | 1107", [loads(BlurMethod::Square, 15)]),
    ];
    for (method, text) in [
        (BlurMethod::Separable, "| two lines | {} | 172 | 171 | 275 200 | {} |"),
        (BlurMethod::Tiled, "| out of workgroup memory | {} | 273 | 296 | 438 200 | {} |"),
        (BlurMethod::Running, "| running sums | {} | 421 | 609 | 69 800 | {} |"),
    ] {
        rows.push(row(page, text, [loads(method, 15), loads(method, 63)]));
    }
    for size in [1, 3, 15, 63, 127] {
        assert_eq!(BlurMethod::Running.loads(size).0, 2.0 * (3.0 + f64::from(size - 1) / 32.0), "as the page says");
    }
    let more = BlurMethod::Running.loads(16).0 - BlurMethod::Running.loads(15).0;
    rows.push(row(page, "a pixel more in N costs 1/{} of a load", [short(1.0 / more)]));
    let steps = ["the whole square", "two lines", "out of workgroup memory", "running sums"].map(blur_times);
    let own = blur_times("Histoscope's own");
    let faster = |column: usize| {
        let fastest = steps.iter().filter_map(|step| step[column]).fold(f64::INFINITY, f64::min);
        format!("{:.1}", fastest / own[column].unwrap())
    };
    let text = "{} to {} times as fast as the fastest of these steps for N = 15, and {} to {} times for N = 63.";
    rows.push(row(page, text, [faster(2), faster(1), faster(5), faster(6)]));
    rows
}

/// Returns the size of a type of WGSL, its alignment, and the distance of its elements in an array.
fn layout(ty: &str) -> [u32; 3] {
    let module = naga::front::wgsl::parse_str(&format!("struct S {{ one: {ty}, many: array<{ty}, 2> }}")).unwrap();
    let mut layouter = naga::proc::Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let of = |ty| module.types.iter().find(|(_, found)| found.name.as_deref() == Some(ty)).unwrap().1;
    let naga::TypeInner::Struct { members, .. } = &of("S").inner else { panic!("a structure") };
    let naga::TypeInner::Array { stride, .. } = module.types[members[1].ty].inner else { panic!("an array") };
    let one = layouter[members[0].ty];
    [one.size, one.alignment * 1, stride]
}

fn drawing() -> Vec<Row> {
    let page = "drawing";
    let (width, height) = LabDrawing::GRAPH;
    let times = DrawMethod::PerPixel.bin_loads(256) / DrawMethod::PerColumn.bin_loads(256);
    let text = "an overlay of {} × {} pixels read the bin of each column {} times";
    let mut rows = vec![row(page, text, [width, height, times].map(whole))];
    let graphs = placed(Components::Rgbl, &OverlayStyle::default(), (1280, 720));
    let pixels = |part: f32, of: f32| whole((part * of).round() as u32);
    let sides = [pixels(graphs[0].size.x, 1280.0), pixels(graphs[0].size.y, 720.0)];
    let [left, right] = [0, 1].map(|i: usize| pixels(graphs[i].origin.x, 1280.0));
    let [across, down] = sides;
    let text = "in a view of 1280×720, graphs of {}×{} pixels begin at columns {} and {}.";
    rows.push(row(page, text, [across, down, left, right]));
    // The lesson's fractions of clip space, which is 2 wide and high, are the same pixels.
    let lesson = [0.9 / 2.0 * 1280.0, 0.5 / 2.0 * 720.0, (1.0 - 0.95) / 2.0 * 1280.0, (2.0 - 0.95) / 2.0 * 1280.0];
    let ours =
        [graphs[0].size.x * 1280.0, graphs[0].size.y * 720.0, graphs[0].origin.x * 1280.0, graphs[1].origin.x * 1280.0];
    assert!(
        lesson.iter().zip(ours).all(|(lesson, ours): (&f32, f32)| (lesson - ours).abs() < 0.01),
        "{lesson:?} {ours:?}"
    );
    let (picture, view) = (DVec2::new(1000.0, 900.0), DVec2::new(1280.0, 720.0));
    let scale = Fit::Cover.scale(picture, view);
    let size = ViewSettings::default().picture_rect(picture, view).size;
    let seen = 100.0 * view.x * view.y / (size.x * size.y);
    let text =
        "A picture of 1000×900 in a view of 1280×720 is scaled by max({}, {}) = {} to {}×{}, of which {} % is in view.";
    let parts = view / picture;
    let figures = [parts.x, parts.y, scale, size.x, size.y, seen].map(|figure| format!("{figure}"));
    rows.push(row(page, text, figures));
    let [matrix, colors, last] = ["mat4x4<f32>", "array<vec4<f32>, 16>", "vec4<u32>"].map(|ty| layout(ty)[0]);
    rows.push(row(page, "matrix mat4x4<f32> byte 0 {} numbers of 4 bytes", [whole(matrix / 4)]));
    rows.push(row(page, "colors array<vec4<f32>, 16> byte {} {}", [matrix, colors / 4].map(whole)));
    rows.push(row(page, "channelMult vec4<u32> byte {} {}", [matrix + colors, last / 4].map(whole)));
    let all = matrix + colors + last;
    rows.push(row(page, "{} bytes {}", [all, all / 4].map(whole)));
    rows
}

fn machine() -> Vec<Row> {
    let page = "machine";
    let limits = wgpu::Limits::default();
    let kib = |bytes: u64| whole(bytes / 1024);
    let sides = [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y];
    let invocations = limits.max_compute_invocations_per_workgroup;
    let memory = limits.max_compute_workgroup_storage_size;
    let mut rows = vec![
        row(
            page,
            "{} KiB per binding | `max_uniform_buffer_binding_size`",
            [kib(limits.max_uniform_buffer_binding_size)],
        ),
        row(
            page,
            "{} MiB per binding | `max_storage_buffer_binding_size`",
            [whole(limits.max_storage_buffer_binding_size >> 20)],
        ),
        row(page, "{} KiB per workgroup | `max_compute_workgroup_storage_size`", [kib(memory.into())]),
        row(page, "{} pixels per side | `max_texture_dimension_2d`", [whole(limits.max_texture_dimension_2d)]),
        row(page, "| {} | `max_compute_invocations_per_workgroup`", [whole(invocations)]),
        row(
            page,
            "{}, {}, {} | `max_compute_workgroup_size_x`",
            [sides[0], sides[1], limits.max_compute_workgroup_size_z].map(whole),
        ),
        row(page, "{} | `max_compute_workgroups_per_dimension`", [whole(limits.max_compute_workgroups_per_dimension)]),
        row(page, "as {} invocations are more than {}", [sides[0] * sides[1], invocations].map(whole)),
        row(page, "{} channels of 1024 bins fill {} KiB", [whole(memory / 4 / 1024), kib(memory.into())]),
        row(
            page,
            "A dispatch of (2, 2, 2) such workgroups runs {} of them, {} invocations.",
            [8, 8 * 64_u32].map(whole),
        ),
        row(page, "{} chunks of 3 bins take {} bytes", [whole(42_u32 / 3), whole(42 / 3 * 3 * 4_u32)]),
        row(page, "{} chunks take {}.", [whole(14_u32), whole(strides(14))]),
    ];
    for (ty, text) in [
        ("u32", "| `u32`, `f32` | {} | {} | {} |"),
        ("vec2<u32>", "| `vec2<u32>` | {} | {} | {} |"),
        ("vec3<u32>", "| `vec3<u32>` | {} | {} | {} |"),
        ("vec4<u32>", "| `vec4<u32>` | {} | {} | {} |"),
        ("mat4x4<f32>", "| `mat4x4<f32>` | {} | {} | {} |"),
    ] {
        rows.push(row(page, text, layout(ty).map(whole)));
    }
    rows
}

/// Returns the text with single spaces only.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_figures_on_the_pages_are_those_that_are_computed() {
    let rows = [counting(), barriers(), prefix_sums(), blurs(), drawing(), machine()].concat();
    let mut missing = Vec::new();
    for (page, text, figures) in &rows {
        assert_eq!(text.matches("{}").count(), figures.len(), "{text}");
        let stated = figures.iter().fold(joined(text), |text, figure| text.replacen("{}", figure, 1));
        if !joined(&read(&format!("docs/learn/{page}.md"))).contains(&stated) {
            missing.push(format!("docs/learn/{page}.md does not say: {stated}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    let count: usize = rows.iter().map(|(_, _, figures)| figures.len()).sum();
    assert!(rows.len() >= 40 && count >= 100, "{count} figures in {} texts", rows.len());
}

/// An array of words in a uniform is refused, and the page says so.
#[test]
fn elements_of_an_array_in_a_uniform_are_sixteen_bytes_apart() {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let is_valid = |ty: &str| {
        let text = format!(
            "@group(0) @binding(0) var<uniform> all: {ty};\n@compute @workgroup_size(1) fn f() {{ _ = all[0]; }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).is_ok()
    };
    let page = read("docs/learn/machine.md");
    for (ty, valid) in [("array<u32, 4>", false), ("array<vec4<u32>, 1>", true)] {
        assert!(page.contains(&format!("`{ty}`")) && is_valid(ty) == valid, "{ty}");
    }
}
