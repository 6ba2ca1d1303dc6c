//! Which stream of a file is its video.

use super::av::Input;
use super::layout::native_layout;
use crate::picture::layout::ColorModel;

/// The video streams, the likeliest first. The others are tried when the first gives no frame.
pub(super) fn candidates(input: &Input) -> Vec<usize> {
    let best = input.best_video();
    let mut ranked: Vec<_> = (0..input.stream_count())
        .filter_map(|index| {
            let stream = input.stream(index)?;
            stream.is_video().then(|| {
                // `false` sorts first. A stream of one frame beside longer ones is a cover, whatever its flags say; a gray
                // stream beside one with colour is likely its alpha plane.
                let rank = (
                    stream.is_cover(),
                    !stream.has_decoder(),
                    stream.frame_count() == Some(1),
                    is_gray(input, index),
                    best != Some(index),
                    !stream.is_default(),
                );
                (rank, index)
            })
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, index)| index).collect()
}

fn is_gray(input: &Input, index: usize) -> bool {
    let descriptor = input.stream(index).and_then(|stream| stream.pixel_format().descriptor());
    descriptor.and_then(|d| native_layout(&d)).is_some_and(|layout| layout.model == ColorModel::Gray)
}

/// What a file without video contains, for the message.
pub(super) fn describe(input: &Input) -> String {
    match input.stream_count() {
        0 => "no streams at all".to_owned(),
        1 => format!("only {}", input.stream(0).map_or("unknown", |stream| stream.codec_name())),
        count => {
            let names: Vec<_> = (0..count).filter_map(|i| input.stream(i)).map(|s| s.codec_name()).collect();
            format!("only {}", names.join(", "))
        }
    }
}
