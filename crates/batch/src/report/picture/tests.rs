use super::*;
use crate::report::clip::{ClipBuilder, FramePlace};
use crate::report::thumbnails::Thumbnails;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::Range;
use histoscope_core::scopes::ScopeSums;

/// Returns a report of three seconds at 10 frames per second: dark, bright from frame 10, dark again from frame 20.
/// Frame 14 clips.
fn report() -> Report {
    let mut clip = ClipBuilder::new(Components::Rgbl, 0.03);
    for number in 0..30 {
        let level = if (10..20).contains(&number) { 200 } else { 40 };
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        for channel in 0..4 {
            histogram.bins_mut(channel)[level] = 1000;
        }
        if number == 14 {
            histogram.bins_mut(0)[255] = 10;
        }
        let place = FramePlace {
            number,
            time_secs: number as f64 / 10.0,
            duration_secs: 0.1,
            range: Range::Full,
            timecode: None,
            repeats: false,
        };
        clip.add(place, &histogram);
    }
    let clip = clip.finish().unwrap();
    assert_eq!(clip.cuts.iter().map(|cut| cut.frame).collect::<Vec<_>>(), [10, 20]);
    let (name, thumbnails) = ("clip.mp4".to_owned(), Thumbnails::default());
    let scopes = ScopeSums::default();
    Report { name, facts: Vec::new(), notes: Vec::new(), clip, light: None, thumbnails, scopes, check: None }
}

/// The codes are those of ST 2084 in full range, as NumPy computes them; they are where their rows are drawn.
#[test]
fn the_axis_of_pq_has_light_and_every_label_has_room() {
    let report = Report { light: Some(histoscope_core::histogram::LightScale::Pq), ..report() };
    for panel in panels(Components::Rgbl) {
        let levels = panel_levels(&report, panel);
        let (height, values) = (panel.height() as f64, levels.iter().map(|level| (level.value.as_str(), level.code)));
        let values: Vec<_> = values.collect();
        for expected in [("0", 0), ("203", 148), ("1000", 192), ("10000 cd/m²", 255)] {
            assert!(values.contains(&expected), "{} {values:?}", panel.title);
        }
        assert_eq!(values.contains(&("100", 130)), panel.height() == 256, "{values:?}");
        for (index, level) in levels.iter().enumerate() {
            assert!((level.place - (f64::from(level.code) + 0.5) / 256.0).abs() < 0.5 / 256.0, "{level:?}");
            let is_apart = |other: &Level| (other.place - level.place).abs() * height >= 15.9;
            assert!(levels[..index].iter().all(is_apart), "{values:?}");
        }
    }
}

fn pixel(image: &Image, x: i32, y: i32) -> Rgb {
    let at = (y as usize * image.width as usize + x as usize) * 4;
    [image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]]
}

fn is_light(color: Rgb) -> bool {
    color.iter().all(|c| *c > 150)
}

#[test]
fn counts_and_cuts_are_drawn_in_the_right_positions() {
    let image = draw(&report());
    assert_eq!(image.width, WIDTH as u32);
    let row = |level: i32| PANEL_Y + 255 - level;
    for second in 0..3 {
        let x = PANEL_X + PANEL_WIDTH * (2 * second + 1) / 6;
        let [on, off] = if second == 1 { [200, 40] } else { [40, 200] };
        assert!(is_light(pixel(&image, x, row(on))), "level {on} in second {second}");
        assert_eq!(pixel(&image, x, row(off)), BLACK, "level {off} in second {second}");
    }
    for x in 0..PANEL_WIDTH {
        let is_cut = [10, 20].iter().any(|frame| (x - PANEL_WIDTH * frame / 30).abs() <= 1);
        let mark = is_light(pixel(&image, PANEL_X + x, PANEL_Y - 4));
        assert!(!mark || is_cut, "a mark at {x}");
        let line = pixel(&image, PANEL_X + x, row(100))[0] > 60;
        assert!(!line || is_cut, "a line at {x}");
    }
    for frame in [10, 20] {
        let x = PANEL_X + PANEL_WIDTH * frame / 30;
        assert!((x - 1..=x + 1).any(|x| is_light(pixel(&image, x, PANEL_Y - 3))), "the mark of frame {frame}");
        assert!((x - 1..=x + 1).any(|x| pixel(&image, x, row(100))[0] > 60), "the line of frame {frame}");
    }
}

#[test]
fn the_worst_frame_is_marked_below_its_position() {
    let report = report();
    assert_eq!(report.clip.worst[1].iter().map(|worst| worst.frame).collect::<Vec<_>>(), [14]);
    let image = draw(&report);
    let (color, x) = (flaw_color(Flaw::Highest), PANEL_X + x_of(&report, 1.4));
    let is_lit = |x, y| pixel(&image, x, y) == color;
    // The lower rows of the triangle are wider than vertical lines and narrower than horizontal ones.
    let rows = |y: &i32| (x - 3..=x + 3).all(|x| is_lit(x, *y)) && !is_lit(x - 7, *y) && !is_lit(x + 7, *y);
    assert_eq!((0..image.height as i32).filter(rows).count(), 3);
}

#[test]
fn coinciding_lines_are_both_visible() {
    let mut clip = ClipBuilder::new(Components::Rgbl, 0.03);
    for number in 0..30 {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        // If the shares of all frames were equal, none would be the worst.
        let flawed = if number == 29 { 9 } else { 10 };
        for channel in 0..4 {
            histogram.bins_mut(channel)[40] = 1000 - flawed;
            histogram.bins_mut(channel)[255] = flawed;
        }
        histogram.out_of_range_mut(0).copy_from_slice(&[0, flawed]);
        let place = FramePlace {
            number,
            time_secs: number as f64 / 10.0,
            duration_secs: 0.1,
            range: Range::Limited,
            timecode: None,
            repeats: false,
        };
        clip.add(place, &histogram);
    }
    let image = draw(&Report { clip: clip.finish().unwrap(), ..report() });
    let count = |y, color| (0..PANEL_WIDTH).filter(|x| pixel(&image, PANEL_X + x, y) == color).count();
    let both = |y: &i32| [Flaw::Highest, Flaw::Outside].iter().all(|&flaw| count(*y, flaw_color(flaw)) > 300);
    assert_eq!((0..image.height as i32).filter(both).count(), 2, "the rows of the line");
    // The worst frame of both flaws, frame 0, is marked below and above the strip.
    let marks = [Flaw::Highest, Flaw::Outside].map(|flaw| {
        let is_row = |y: &i32| (0..5).all(|x| pixel(&image, PANEL_X + x, *y) == flaw_color(flaw));
        (0..image.height as i32).filter(is_row).max().unwrap_or(0)
    });
    assert!(marks[0] > marks[1] + STRIP_HEIGHT, "{marks:?}");
}

#[test]
fn many_cuts_do_not_hide_the_counts() {
    let mut report = report();
    let cut = report.clip.cuts[0];
    report.clip.cuts = (0..500).map(|index| Cut { time_secs: f64::from(index) * 0.006, ..cut }).collect();
    report.clip.cuts_found = 500;
    let image = draw(&report);
    let bright = (0..PANEL_WIDTH).filter(|x| pixel(&image, PANEL_X + x, PANEL_Y + 155)[0] > 60).count();
    assert_eq!(bright, 0, "no lines over the counts");
}
