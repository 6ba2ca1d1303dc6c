//! Clips with timecodes, and FFmpeg's own count.

use std::path::Path;

use super::{Clip, ffprobe};

/// Makes a small moving clip of this rate and number of frames. Its first frame has this timecode. Then come
/// `arguments`.
pub fn clip(name: &str, (rate, first): (&str, &str), frames: u32, arguments: &str) -> Clip {
    let source = format!("-f lavfi -i testsrc2=size=64x48:rate={rate} -frames:v {frames}");
    Clip::new(name, &format!("{source} -timecode {first} -pix_fmt yuv420p {arguments}"))
}

/// Returns the timecodes as FFmpeg counts them at this rate. Its MPEG-2 encoder writes each into a separate group of
/// pictures.
pub fn counted((rate, first): (&str, &str), frames: u32) -> Vec<String> {
    let plain = clip("counted.m2v", (rate, first), frames, "-c:v mpeg2video -g 1 -bf 0 -flags low_delay");
    of_frames(plain.path())
}

/// Returns the frames' own timecodes, as reported by `ffprobe`.
pub fn of_frames(path: &Path) -> Vec<String> {
    lines(&ffprobe(path, &["-select_streams", "v:0", "-show_entries", "frame_tags=timecode"]))
}

/// Returns the first timecode in the tags of the file or its video, as reported by `ffprobe`.
pub fn tagged(path: &Path) -> Option<String> {
    let entries = ["-select_streams", "v:0", "-show_entries", "stream_tags=timecode:format_tags=timecode"];
    lines(&ffprobe(path, &entries)).into_iter().next()
}

fn lines(text: &str) -> Vec<String> {
    text.split(['\n', ',', '|']).map(str::trim).filter(|line| line.contains(':')).map(str::to_owned).collect()
}

/// Makes HEVC at 25 frames per second where each frame has its own timecodes: hours, minutes, seconds and frames.
pub fn hevc(name: &str, timecodes: &[[u32; 4]]) -> Clip {
    let frames = timecodes.len();
    let plain = Clip::new(
        "plain.hevc",
        &format!(
            "-f lavfi -i testsrc2=size=64x64:rate=25 -frames:v {frames} -pix_fmt yuv420p -c:v libx265 -preset ultrafast \
             -x265-params log-level=none:bframes=0:keyint=10"
        ),
    );
    let bytes = plain.bytes();
    let starts: Vec<_> = (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(&[0, 0, 1])).collect();
    let (mut marked, mut copied, mut next) = (Vec::new(), 0, timecodes.iter());
    for at in starts {
        let begins_picture = bytes[at + 3] >> 1 & 63 < 32 && bytes[at + 5] & 0x80 != 0;
        if begins_picture {
            marked.extend_from_slice(&bytes[copied..at]);
            marked.extend(time_code_message(*next.next().expect("a timecode for each picture")));
            copied = at;
        }
    }
    marked.extend_from_slice(&bytes[copied..]);
    assert!(next.next().is_none(), "each picture has a timecode");
    Clip::from_bytes(name, &marked)
}

/// Returns the message of Rec. ITU-T H.265, section D.2.27, in a separate unit.
fn time_code_message([hours, minutes, seconds, frames]: [u32; 4]) -> Vec<u8> {
    // Number of clock timestamps, flag, units by frames, counting type 0, full, no discontinuity, none dropped.
    let fields = [(1, 2), (1, 1), (0, 1), (0, 5), (1, 1), (0, 1), (0, 1), (frames, 9)];
    let rest = [(seconds, 6), (minutes, 6), (hours, 5), (0, 5)];
    let bits: String = fields.iter().chain(&rest).map(|&(value, width)| format!("{value:0width$b}")).collect();
    let padded = format!("{bits:0<width$}", width = bits.len().next_multiple_of(8));
    let byte = |at: usize| u8::from_str_radix(&padded[at..at + 8], 2).expect("eight digits");
    let payload: Vec<u8> = (0..padded.len()).step_by(8).map(byte).collect();
    let mut unit = vec![0, 0, 1, 39 << 1, 1];
    let message = [&[136, payload.len() as u8][..], &payload, &[0x80]].concat();
    for byte in message {
        if byte <= 3 && unit[5..].ends_with(&[0, 0]) {
            unit.push(3);
        }
        unit.push(byte);
    }
    unit
}
