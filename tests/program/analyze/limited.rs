//! R'G'B' in limited range: each code is expanded as the standards require, and codes outside the range are counted.

use crate::analyze::program::records;
use crate::common::{self, Clip};

#[test]
fn limited_red_green_and_blue_become_full_codes() {
    let clip = Clip::noisy("limited.mkv", "62x34", "gbrp", 2, "-c:v ffv1 -color_range tv");
    let pixels = 62 * 34;
    let raw = common::raw_frames(clip.path(), "gbrp");
    let (found, _) = records(clip.path(), &["--bins"]);
    assert_eq!(found.len(), 2);
    for (frame, record) in raw.chunks_exact(3 * pixels).zip(&found) {
        assert_eq!((&record["range"], &record["range_source"]), (&"limited".into(), &"tagged".into()));
        // The planes are green, blue and red.
        for (name, plane) in ["green", "blue", "red"].into_iter().zip(frame.chunks_exact(pixels)) {
            let (mut bins, mut below, mut above) = (vec![0_u64; 256], 0, 0);
            for &sample in plane {
                // (v − 16) / 219 of 255, rounded. Ties do not occur, since 219 is odd.
                let code = ((i64::from(sample) - 16) * 510 + 219).div_euclid(438);
                below += u64::from(code < 0);
                above += u64::from(code > 255);
                bins[code.clamp(0, 255) as usize] += 1;
            }
            let channel = &record["channels"][name];
            assert_eq!(channel["bins"], serde_json::Value::from(bins), "{name}");
            assert_eq!((&channel["below_range"], &channel["above_range"]), (&below.into(), &above.into()), "{name}");
            assert!(below > 0 && above > 0);
        }
    }
}
