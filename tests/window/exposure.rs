//! Zebra and marks in the window, by key, by pointer and from the settings of an earlier run, with their numbers.

use histoscope_core::adjust::{Adjustments, Placing, Posterize, Processor, Reduction};
use histoscope_core::histogram::limits::R103_TOLERATED_PERCENT;
use histoscope_core::histogram::{Components, reference};
use histoscope_core::picture::Picture as Planes;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::region::Rect;
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::view::clip_indicators::{self, End};
use histoscope_render::view::exposure::Exposure;
use histoscope_render::view::overlay::{lights, line_pixels};
use histoscope_render::view::panel::panels;
use histoscope_render::view::scene::Scene;

use crate::picture::{Area, Picture};
use crate::program::Program;
use crate::wait::{PATIENCE, output_of, until};
use crate::{paused_sample, sample};

#[test]
fn nine_stripes_and_marks_as_a_snapshot_does_and_leaves_no_trace() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine, "--zebra", "60"]);
        program.after(|| program.key("9"), "note: zebra off");
        let plain = program.settled();
        let cases: [(&[&str], &[&str]); 3] = [
            (&["9"], &["--zebra", "60"]),
            (&["9", "shift+9"], &["--zebra", "60%", "--clip-marks"]),
            (&["shift+9"], &["--clip-marks=clipped"]),
        ];
        for (keys, options) in cases {
            keys.iter().for_each(|key| program.key(key));
            program.until_other("the picture to be painted", &plain, Area::Outside, 500);
            let expected = program.snapshot_with(sample(), "0", (plain.width, plain.height), options);
            program.until_same(&format!("{keys:?} to look like {options:?} with {engine}"), &expected, Area::Below);
            keys.iter().for_each(|key| program.key(key));
            program.until_same("the picture to be as before", &plain, Area::Below);
        }
        program.quit_with("q");
    }
}

#[test]
fn zebras_and_the_probe_go_by_the_weights_of_luminance() {
    let asked = ["--zebra", "60", "--luminance-weights", "bt2020"];
    let picture = Decoder::open(sample(), &OpenOptions::default()).unwrap().next_frame().unwrap().unwrap().picture;
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&[&["--engine", engine], &asked[..]].concat());
        let size = program.settled().size();
        let expected = program.snapshot_with(sample(), "0", size, &asked);
        program.until_same(&format!("zebras by BT.2020 with {engine}"), &expected, Area::Below);
        let usual = program.snapshot_with(sample(), "0", size, &asked[..2]);
        assert!(usual.differing(&expected, Area::Outside) > 100, "other pixels than by the usual weights");
        for (x, y) in [(733_u32, 219_u32), (851, 177)] {
            let codes = reference::unclamped_rgb(&picture, x, y).map(|code| code.clamp(0, 255) as u32);
            let [usual, other] = LuminanceWeights::ALL.map(|weights| weights.bin(codes, 8));
            let line = program.after(|| program.point(x as i32, y as i32), &format!("probe: x {x}  y {y};"));
            assert!(usual != other && line.contains(&format!("luminance {other};")), "{line}: {codes:?}");
        }
        program.quit_with("q");
    }
}

/// Untagged video has the primaries of BT.709, unless it is read as PQ or HLG.
#[test]
fn weights_of_the_primaries_follow_the_transfer_function_of_untagged_video() {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let arguments = "-v error -y -f lavfi -i testsrc2=s=1280x720:r=25:d=0.2 -pix_fmt yuv420p -c:v ffv1";
    let mut command = std::process::Command::new("ffmpeg");
    output_of(command.args(arguments.split(' ')).arg(clip.path()), PATIENCE).unwrap();
    let picture = Decoder::open(clip.path(), &OpenOptions::default()).unwrap().next_frame().unwrap().unwrap().picture;
    let program = Program::start_with(clip.path().to_str().unwrap(), &["--paused", "--luminance-weights", "auto"]);
    program.settled();
    let mut places = (300..900_u32).step_by(37).flat_map(|x| (200..400_u32).step_by(31).map(move |y| (x, y)));
    // Points at the next pixel whose luminance depends on the weights.
    let mut check = |expected| {
        let (x, y, bins) = places
            .find_map(|(x, y)| {
                let codes = reference::unclamped_rgb(&picture, x, y).map(|code| code.clamp(0, 255) as u32);
                let bins = LuminanceWeights::ALL.map(|weights| weights.bin(codes, 8));
                (bins[0] != bins[1]).then_some((x, y, bins))
            })
            .expect("a colour");
        let line = program.after(|| program.point(x as i32, y as i32), &format!("probe: x {x}  y {y};"));
        assert!(line.contains(&format!("luminance {};", bins[expected as usize])), "{line}: {bins:?}");
    };
    check(LuminanceWeights::Bt709);
    for (transfer, expected) in [
        ("PQ instead of BT.1886", LuminanceWeights::Bt2020),
        ("HLG instead of BT.1886", LuminanceWeights::Bt2020),
        ("BT.1886: no tag", LuminanceWeights::Bt709),
    ] {
        program.after(|| program.key("ctrl+t"), &format!("note: transfer {transfer}"));
        check(expected);
    }
    program.quit_with("q");
}

#[test]
fn escape_takes_zebras_and_marks_off() {
    let program = paused_sample(&["--zebra", "60", "--clip-marks"]);
    program.after(|| program.key("Escape"), "note: zebra off, marks off");
    program.quit_with("q");
}

#[test]
fn five_shows_false_colours_as_a_snapshot_does_and_leaves_no_trace() {
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        let plain = program.settled();
        // The legend is at the upper right, and the note that tells of the key goes.
        let is_legend = |x: u32, y: u32| x + 180 > plain.width && y < 220;
        let differing = |a: &Picture, b: &Picture| {
            let places = (0..plain.height).flat_map(|y| (0..plain.width).map(move |x| (x, y)));
            places.filter(|&(x, y)| !is_legend(x, y) && a.pixel(x, y) != b.pixel(x, y)).count()
        };
        let cases = [("5", "--false-colour"), ("shift+5", "--false-colour=steps")];
        for (key, option) in cases {
            program.after(|| program.key(key), "note: false colour: ");
            let expected = program.snapshot_with(sample(), "0", (plain.width, plain.height), &[option]);
            until(&format!("{key} to look like {option} with {engine}"), PATIENCE, || {
                (differing(&program.picture(), &expected) == 0).then_some(())
            });
            assert!(differing(&plain, &expected) > 100_000, "{option} changes hardly anything");
            let shown = program.settled();
            let legend = |x: u32| shown.pixel(plain.width - 10 - x, 60);
            let is_plate = |[r, g, b]: [u8; 3]| r.max(g).max(b) < 70;
            assert!((20..60).filter(|&x| is_plate(legend(x))).count() > 20, "there is no legend");
        }
        program.after(|| program.key("ctrl+z"), "note: undone: false colour: ten equal steps");
        program.after(|| program.key("ctrl+z"), "note: undone: false colour: camera scale");
        program.until_same("undo to bring the picture back", &plain, Area::Below);
        program.after(|| program.key("shift+5"), "note: false colour: ten equal steps");
        program.after(|| program.key("Escape"), "note: false colour off");
        program.until_same("the picture to be as before", &plain, Area::Below);
        program.quit_with("q");
    }
}

#[test]
fn a_click_on_the_legend_of_false_colour_tells_codes_and_that_is_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let program = Program::start_at_home(&[sample(), "--paused", "--false-color=steps"], home.path());
    let width = program.settled().width as i32;
    program.after(
        || {
            program.point(width - 40, 80);
            program.settled();
            program.button("click", "1");
        },
        "shown: ",
    );
    program.quit_with("q");
    let settings = std::fs::read_to_string(home.path().join("histoscope/settings.json")).expect("settings");
    let settings: serde_json::Value = serde_json::from_str(&settings).expect("JSON");
    let expected = serde_json::json!({"shown": true, "table": "steps", "unit": "codes"});
    assert_eq!(settings["exposure"]["false_color"], expected, "{settings}");
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    program.after(|| program.key("5"), "note: false colour off");
    program.quit_with("q");
}

/// A clip of grays with a single pixel above what EBU R 103 tolerates.
fn single_pixel((x, y): (u32, u32)) -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let luma = format!("geq=lum='if(eq(X,{x})*eq(Y,{y}),254,60+mod(X,128))':cb=128:cr=128");
    let source = format!("color=gray:s=1280x720:r=10:d=1,format=yuv420p,{luma}");
    let mut command = std::process::Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i", &source, "-c:v", "ffv1"]).arg(clip.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

#[test]
fn a_single_pixel_outside_r103_is_counted_ringed_and_named_in_the_legend() {
    let (x, y) = (800, 333);
    let clip = single_pixel((x, y));
    let file = clip.path().to_str().expect("a plain path");
    for engine in ["cpu", "gpu"] {
        let program = Program::start_with(file, &["--engine", engine, "--paused"]);
        program.take_pointer_away();
        let bare = program.settled();
        // It is clipped, too.
        program.after(|| program.key("shift+9"), "marked: 1 of 921600 pixels, first Some([800, 333])");
        program.after(|| program.key("shift+8"), "note: marks: codes outside EBU R 103");
        program.until_other("the marks", &bare, Area::Outside, 300_000);
        let shown = until("the ring", PATIENCE, || {
            let now = program.picture();
            // The ring's radius is 9 points and a little; nothing else near it is orange.
            let is_orange = |x: u32, y: u32| now.pixel(x, y)[0] > 150 && now.pixel(x, y)[2] < 140;
            let ways = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            let reaches = |(across, down): (i32, i32)| {
                (8..=12).any(|way| is_orange((x as i32 + across * way) as u32, (y as i32 + down * way) as u32))
            };
            ways.into_iter().all(reaches).then_some(now)
        });
        assert_ne!(shown.pixel(x, y), shown.pixel(x + 3, y), "the pixel itself is marked");
        // While it plays nothing is counted, and so nothing ringed; what is off leaves no trace.
        program.after(|| program.key("shift+8"), "note: marks: at or below 0 %");
        program.after(|| program.key("shift+9"), "note: marks off");
        program.until_same("no legend and no marks", &bare, Area::Below);
        program.quit_with("q");
    }
}

#[test]
fn marks_on_an_adjusted_picture_are_counted_as_those_of_the_source_are() {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let planes = decoder.next_frame().expect("the sample can be read").expect("a frame").picture;
    let exposure = Exposure { marks: true, ..Exposure::default() };
    let count = |planes: &Planes| {
        let inspection = exposure
            .inspection_for(planes.layout(), planes.colorimetry(), Components::Rgbl, None)
            .expect("marks are on");
        let places = (0..planes.height()).flat_map(|y| (0..planes.width()).map(move |x| (x, y)));
        places.filter(|&(x, y)| inspection.inspect(reference::components(planes, x, y)).is_marked()).count()
    };
    let reduction = Some(Reduction::Posterize(Posterize { levels: 3, placing: Placing::Width }));
    let adjustments = Adjustments { reduction, ..Adjustments::default() };
    let result = Processor::default().apply(&planes, &adjustments, None).expect("the picture can be adjusted");
    let [source, result] = [&planes, &result].map(count);
    assert!(result > source, "{result} and {source}: posterizing clips");
    let told = |marked: usize| format!("marked: {marked} of 921600 pixels");
    // Only the adapter has what it made of the picture.
    let not_counted = "marked: not counted, since only the adapter has the picture".to_owned();
    for (engine, of_result) in [("cpu", told(result)), ("gpu", not_counted)] {
        let program = paused_sample(&["--engine", engine, "--posterize", "3"]);
        program.after(|| program.key("shift+9"), &of_result);
        program.after(|| program.key("z"), &told(source));
        program.after(|| program.key("z"), &of_result);
        program.quit_with("q");
    }
}

#[test]
fn the_level_of_zebras_is_dragged_and_kept_for_the_next_run() {
    let home = tempfile::tempdir().expect("a folder");
    let program = Program::start_at_home(&[sample(), "--paused"], home.path());
    program.key("Tab");
    program.after(|| program.key("9"), "note: zebra: 95 % and above");
    // The panel is the first thing below the controls at the left; its slider lies right of the switch.
    program.point(170, 92);
    program.settled();
    let drag = || {
        program.button("mousedown", "1");
        program.settled();
        program.move_pointer(190, 92);
    };
    let line = program.after(drag, "shown: ");
    program.button("mouseup", "1");
    assert!(line.contains("zebra: ") && !line.contains("zebra: 95 %"), "{line}");
    program.key("shift+9");
    program.quit_with("q");
    let settings = std::fs::read_to_string(home.path().join("histoscope/settings.json")).expect("settings");
    let settings: serde_json::Value = serde_json::from_str(&settings).expect("JSON");
    let exposure = &settings["exposure"];
    assert_eq!((&exposure["zebra"], &exposure["marks"]), (&true.into(), &true.into()), "{settings}");
    assert_ne!(exposure["level"], "95%", "{settings}");
    let program = Program::start_at_home(&[sample(), "--paused", "--zebra", "70"], home.path());
    program.after(|| program.key("9"), "note: zebra off");
    program.after(|| program.key("9"), "note: zebra: 70 % and above");
    program.after(|| program.key("shift+9"), "note: marks off");
    program.quit_with("q");
}

#[test]
fn a_clip_indicator_tells_the_share_in_the_outermost_code() {
    let program = paused_sample(&[]);
    let shown = program.settled();
    let view = (shown.width, shown.height);
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let picture = decoder.next_frame().expect("the sample can be read").expect("a frame").picture;
    let bins = reference::histogram(&picture, Components::Rgbl);
    for (_, rect, channels) in panels(&Scene::default(), Components::Rgbl, view) {
        let channel = channels.iter().next().expect("a histogram shows a channel");
        for (end, bin) in [(End::Lowest, 0), (End::Highest, 255)] {
            let indicator = clip_indicators::indicator(&rect, end, 0, line_pixels(view));
            let (x, y) = (indicator.left + indicator.width / 2, indicator.top + indicator.height / 2);
            let is_lit =
                clip_indicators::is_lit(bins.bins(channel)[bin].into(), u64::from(picture.width() * picture.height()));
            let light = lights(Components::Rgbl)[channel].map(|part| (part * 255.0).round() as u8);
            assert_eq!(shown.pixel(x, y) == light, is_lit, "{end:?} of {channel}: {:?}", shown.pixel(x, y));
            let wanted =
                format!("indicators: clipped? at the {} code, {bin}", if bin == 0 { "lowest" } else { "highest" });
            let line = program.after(|| program.point(x as i32, y as i32), &wanted);
            assert!(line.contains(&format!(" {} ", bins.bins(channel)[bin])), "{line}");
        }
    }
    program.quit_with("q");
}

#[test]
fn the_numbers_tell_what_is_out_of_range_and_outside_r103() {
    let mut decoder = Decoder::open(sample(), &OpenOptions::default()).expect("the sample opens");
    let frame = decoder.next_frame().expect("the sample can be read").expect("a frame");
    let picture = frame.picture;
    let all = Rect::whole(picture.width(), picture.height());
    let outside = reference::outside_r103(&picture, all, frame.facts.scan.is_interlaced());
    let pixels = picture.width() * picture.height();
    let is_within = u64::from(outside) * 100 <= R103_TOLERATED_PERCENT * u64::from(pixels);
    let verdict = if is_within { "within 1 %" } else { "more than 1 %" };
    for engine in ["cpu", "gpu"] {
        let program = paused_sample(&["--engine", engine]);
        program.key("n");
        let line = until("the numbers", PATIENCE, || {
            let log = program.log();
            log.lines().rfind(|line| line.contains("numbers: ")).map(str::to_owned)
        });
        assert!(line.contains(&format!("({outside} pixels), {verdict}")), "{engine}: {line}");
        // Code values have their range, and so shares and no dashes.
        program.key("y");
        until("the numbers of code values", PATIENCE, || {
            let log = program.log();
            let line = log.lines().rfind(|line| line.contains("numbers: "))?;
            let outside = line.split("out of range ").nth(1)?;
            (line.contains("Y'") && outside.matches(" %").count() >= 3 && !outside.contains('–')).then_some(())
        });
        program.quit_with("q");
    }
}
