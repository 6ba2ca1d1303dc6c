//! A shader of the user's own: right in place of any method, and wrong in twenty ways.

use std::time::{Duration, Instant};

use histoscope_core::picture::Picture;
use histoscope_lab::bench::{BenchContent, layouts};
use histoscope_lab::{ChannelSet, Measured, Method, OwnShader, Runner, Setup, Shape};
use histoscope_render::gpu::Gpu;

use crate::support::gpu;

fn picture(size: (u32, u32), content: BenchContent) -> Picture {
    content.picture(layouts::parse("yuv420p").unwrap(), size, 5).unwrap()
}

fn setup(gpu: &Gpu, method: Method) -> Setup {
    Setup { method, channels: ChannelSet::Four, shape: Shape::new(gpu, method.usual_chunk(), 256).unwrap() }
}

/// Counts a picture with a text in place of a method's. Returns the reason if that is impossible.
fn count(gpu: &Gpu, method: Method, text: &str, picture: &Picture) -> Result<Measured, String> {
    let own = OwnShader::parse("my.wgsl", text).map_err(|error| error.to_string())?;
    let mut runner = Runner::new(gpu, setup(gpu, method), picture, 1, Some(&own)).expect("the device works")?;
    runner.start(gpu, picture).unwrap();
    gpu.wait().unwrap();
    Ok(runner.poll(gpu).expect("it has ended"))
}

#[test]
fn the_text_of_each_method_counts_like_the_method() {
    let gpu = gpu();
    for (size, content) in
        [((641, 359), BenchContent::Natural), ((64, 36), BenchContent::Noise), ((1, 1), BenchContent::Constant)]
    {
        let picture = picture(size, content);
        for &method in Method::ladder() {
            let Some(shader) = method.shader() else { continue };
            match count(&gpu, method, &shader.source(), &picture) {
                Ok(measured) => {
                    assert!(!measured.was_stopped, "{method:?} of {size:?}");
                    assert!(measured.counts.is_exact() || method.races(), "{method:?} of {size:?}");
                    assert_eq!(measured.passes.len(), 1 + usize::from(method.keeps_chunks()));
                }
                Err(why) => assert!(method == Method::Subgroup && why.contains("subgroups"), "{method:?}: {why}"),
            }
        }
    }
}

/// Replaces a part of the text of the atomics.
fn with(from: &str, to: &str) -> String {
    let text = Method::Atomics.shader().unwrap().source();
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

const ADD: &str = "atomicAdd(&bins[word_of(own[channel], channel)], 1u);";
const SIZE: &str = "@workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)";

#[test]
fn a_fault_in_the_text_is_told_with_its_line() {
    let line_of = |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let at_its_line = [
        // The syntax, a name, a type, an argument, an assignment, a return.
        (with("let own = bins_at(id.xy);", "let own = bins_at(id.xy)"), "for (var channel", "expected"),
        (with("let own = bins_at(id.xy);", "let own = bin_at(id.xy);"), "bin_at", "bin_at"),
        (with("let own = bins_at(id.xy);", "let own: vec4<f32> = bins_at(id.xy);"), "vec4<f32>", "vec4<f32>"),
        (with("bins_at(id.xy)", "bins_at(id.x)"), "bins_at(id.x)", "type"),
        (with(ADD, "own[channel] = 1u;"), "own[channel] = 1u", "assignment"),
        (with(ADD, "return 1u;"), "return 1u;", "return"),
        (with("array<atomic<u32>>", "array<atomic<f32>>"), "atomicAdd", "`u32` to `f32`"),
        (with(ADD, "bins[word_of(own[channel], channel)] += 1u;"), "] += 1u", ""),
        (with("@binding(1)", "@binding(2)"), "@binding(2)", "group 0 has the image as binding 0"),
        (with("@group(0) @binding(1)", "@group(1) @binding(0)"), "@group(1)", "group 0 has the image as binding 0"),
    ];
    for (text, part, message) in at_its_line {
        let error = OwnShader::parse("my.wgsl", &text).expect_err(part);
        eprintln!("{error}");
        let wanted = line_of(&text, part);
        let line = error.line.expect(part) as usize;
        assert!(line == wanted || line + 1 == wanted, "{part} is in line {wanted}: {error}");
        assert!(error.to_string().contains(message) && error.to_string().lines().count() == 1, "{error}");
    }
    for (text, message) in [
        (String::new(), "it has no function @compute fn count"),
        (with("fn count(", "fn tally("), "it has no function @compute fn count"),
    ] {
        let error = OwnShader::parse("my.wgsl", &text).expect_err(message);
        assert_eq!(error.to_string(), format!("my.wgsl: {message}"));
    }
}

#[test]
fn what_only_the_adapter_can_refuse_is_told_in_a_sentence() {
    let gpu = gpu();
    let picture = picture((64, 36), BenchContent::Natural);
    for (text, message) in [
        (with(SIZE, "@workgroup_size(4096, 16)"), "workgroup"),
        (
            with("texture_2d<u32>", "texture_2d<f32>")
                .replace("textureLoad(image, position, 0)", "vec4<u32>(textureLoad(image, position, 0))"),
            "",
        ),
        (
            with("@group(0) @binding(1)", "var<workgroup> much: array<u32, 1000000>;\n@group(0) @binding(1)")
                .replace(ADD, &format!("much[own[channel]] = 1u; {ADD}")),
            "the variables of a workgroup take 4000000 bytes",
        ),
        (
            with(
                "let own = bins_at(id.xy);",
                "let own = bins_at(id.xy); var all: array<u32, 1000000>; all[id.x] = 1u;",
            ),
            "the variables of an invocation take 4000004 bytes",
        ),
        (
            with("@group(0) @binding(1)", "override NEEDED: u32;\n@group(0) @binding(1)").replace("1u);", "NEEDED);"),
            "'NEEDED'",
        ),
    ] {
        let why = count(&gpu, Method::Atomics, &text, &picture).expect_err("impossible");
        eprintln!("{why}");
        assert!(why.starts_with("my.wgsl: ") && why.contains(message) && why.lines().count() == 1, "{why}");
    }
    // The device goes on.
    assert!(count(&gpu, Method::Atomics, &with("", ""), &picture).unwrap().counts.is_exact());
}

#[test]
fn what_counts_wrongly_is_told_by_its_difference() {
    let gpu = gpu();
    let picture = picture((641, 359), BenchContent::Natural);
    let all = 4 * 641 * 359;
    for (text, lost) in [
        // Nothing is written.
        (with(ADD, "let unused = own[channel];"), Some(all)),
        // Twice as much.
        (with(ADD, &format!("{ADD} {ADD}")), Some(-all)),
        // Another workgroup than the dispatch expects: a quarter of the columns.
        (with(SIZE, "@workgroup_size(1, 1)"), None),
        // A barrier that not all reach.
        (with(ADD, "if own[channel] > 99u { workgroupBarrier(); }"), Some(all)),
        (with(ADD, "if id.x % 2u == 0u { workgroupBarrier(); }"), Some(all)),
        // The wrong bins, and beyond the end.
        (with("word_of(own[channel], channel)]", "word_of(own[channel] ^ 1u, channel)]"), Some(0)),
        (with("word_of(own[channel], channel)]", "word_of(own[channel], channel) + 1000000000u]"), None),
        (with("(image, position, 0)", "(image, position + vec2<u32>(1000000u), 0)"), None),
    ] {
        let measured = count(&gpu, Method::Atomics, &text, &picture).unwrap();
        assert!(!measured.counts.is_exact() && !measured.was_stopped, "{:?}", measured.counts.lost());
        assert!(lost.is_none_or(|lost| measured.counts.lost() == lost), "{}", measured.counts.lost());
    }
    assert!(count(&gpu, Method::Atomics, &with("", ""), &picture).unwrap().counts.is_exact());
}

#[test]
fn loops_without_an_end_are_stopped() {
    let gpu = gpu();
    let picture = picture((1920, 1080), BenchContent::Natural);
    let begun = Instant::now();
    for (method, text) in [
        (Method::Atomics, with(ADD, &format!("loop {{ {ADD} }}"))),
        (Method::Atomics, with(ADD, "while true { if own[channel] > 300u { break; } }")),
        (Method::Atomics, with(ADD, "for (var i = 0u; ; i += 1u) { loop { if i > 3u { break; } continue; } }")),
        (Method::Atomics, with("    return (codes_at(position)", "    loop {}\n    return (codes_at(position)")),
        (Method::Atomics, with(ADD, "switch own[channel] { case 0u: {} default: { loop { continuing { } } } }")),
        (Method::Single, Method::Single.shader().unwrap().source().replace("y += 1u", "y += 0u")),
        (
            Method::Sum,
            Method::Sum.shader().unwrap().source().replace("word += CHUNK_WIDTH * CHUNK_HEIGHT", "word += 0u"),
        ),
    ] {
        let measured = count(&gpu, method, &text, &picture).unwrap();
        assert!(measured.was_stopped && !measured.counts.is_exact(), "{text}");
        gpu.check().expect("the device works");
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(count(&gpu, Method::Atomics, &with("", ""), &picture).unwrap().counts.is_exact());
}

/// What edits put into a text.
const WORDS: [&str; 28] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "&",
    "*",
    "-",
    "0u",
    "4294967295u",
    "-1i",
    "1.5",
    "u32",
    "f32",
    "vec4<f32>",
    "array<u32, 9>",
    "array<u32>",
    "atomic<u32>",
    "return;",
    "break;",
    "continue;",
    "loop {",
    "workgroupBarrier();",
    "discard;",
    "bins",
    "count",
    "var<workgroup>",
    "override",
];

#[test]
fn no_edit_of_a_shader_ends_the_program() {
    let gpu = gpu();
    let picture = picture((37, 21), BenchContent::Noise);
    let edits: u64 = std::env::var("HISTOSCOPE_EDITS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let methods: Vec<_> = Method::ladder().iter().copied().filter(|method| method.shader().is_some()).collect();
    let (mut told, mut run) = (0, 0);
    for _ in 0..edits {
        let method = methods[next(methods.len())];
        let text = method.shader().unwrap().source();
        // Words, and what stands between them, from the lines without comments.
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let is_edge = |pair: &[char]| pair[0].is_alphanumeric() != pair[1].is_alphanumeric();
        let letters: Vec<char> = text.chars().collect();
        let mut words = vec![String::from(letters[0])];
        for pair in letters.windows(2) {
            if is_edge(pair) {
                words.push(String::new());
            }
            words.last_mut().unwrap().push(pair[1]);
        }
        for _ in 0..=next(3) {
            let (at, other) = (next(words.len()), next(words.len()));
            match next(4) {
                0 => drop(words.remove(at)),
                1 => words.swap(at, other),
                2 => words[at] = words[other].clone(),
                _ => words[at] = WORDS[next(WORDS.len())].to_owned(),
            }
        }
        match count(&gpu, method, &words.concat(), &picture) {
            Ok(_) => run += 1,
            Err(why) => {
                assert_eq!(why.lines().count(), 1, "{why}");
                told += 1;
            }
        }
        gpu.check().expect("the device works");
    }
    assert!(told > 0 && run > 0, "{told} were refused, {run} ran");
    eprintln!("{told} were refused, {run} ran");
}
