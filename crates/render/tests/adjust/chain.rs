//! Several adjustments in their order, on the GPU as on the CPU.

use histoscope_core::adjust::{
    Adjustments, Blur, Clahe, ClassDisplay, Codes, Equalize, Otsu, Placing, Posterize, Processor, Reduction, Tone,
    blur, clahe,
};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_render::gpu::GpuError;
use histoscope_render::gpu::params::InputPicture;

use crate::adjuster::Adjuster;
use crate::support::{colorimetry, lut, natural};

fn picture(depth: u8) -> Picture {
    natural(PixelLayout::planar_ycbcr(depth, (1, 1)), (131, 78), colorimetry(Matrix::Bt709, Range::Limited), 8)
}

fn all() -> Vec<Adjustments> {
    let tones = [
        None,
        Some(Tone::Equalize(Equalize { per_channel: false, time_constant_secs: 0.0 })),
        Some(Tone::Equalize(Equalize { per_channel: true, time_constant_secs: 0.0 })),
        Some(Tone::Clahe(Clahe::default())),
    ];
    let reductions = [
        None,
        Some(Reduction::Posterize(Posterize { levels: 4, placing: Placing::Width })),
        Some(Reduction::Posterize(Posterize { levels: 6, placing: Placing::Population })),
        Some(Reduction::Otsu(Otsu { classes: 3, shown: ClassDisplay::Colors })),
    ];
    let mut all = Vec::new();
    for blur in [None, Some(Blur { size: 5, runs: 2 })] {
        for tone in tones {
            let lut = [None, Some(lut(5, 1))];
            let all_of = |lut| reductions.map(|reduction| Adjustments { lut, blur, tone, reduction });
            all.extend(lut.map(all_of).concat());
        }
    }
    all.retain(|adjustments| !adjustments.is_off());
    all
}

#[test]
fn every_combination_is_the_reference_to_the_last_code() {
    let mut adjuster = Adjuster::get();
    for depth in [8, 10] {
        for adjustments in all() {
            let adjusted = adjuster.check(&format!("{depth} bits"), &picture(depth), &adjustments);
            assert_eq!(adjuster.count_result(), adjusted.histogram(), "{adjustments}");
        }
    }
}

#[test]
fn the_order_is_blur_then_tone_then_reduction() {
    let codes = Codes::of(&picture(8));
    let (around, tiles) = (Blur { size: 9, runs: 1 }, Clahe::default());
    let adjustments = Adjustments { blur: Some(around), tone: Some(Tone::Clahe(tiles)), ..Adjustments::default() };
    let adjusted = Processor::default().apply_to_codes(codes.clone(), &adjustments, None);
    assert_eq!(adjusted, clahe::apply(blur::apply(codes.clone(), around), tiles));
    assert_ne!(adjusted, blur::apply(clahe::apply(codes, tiles), around));
}

#[test]
fn all_off_does_nothing() {
    let mut adjuster = Adjuster::get();
    let Adjuster { gpu, chain, .. } = &mut *adjuster;
    let picture = picture(8);
    chain.prepare(gpu, InputPicture::from(&picture), &Adjustments::default(), None, true).unwrap();
    assert!(chain.is_off() && chain.result().is_none());
    assert!(!Adjustments::default().need_source_bins());
    let same = Processor::default().apply(&picture, &Adjustments::default(), None).unwrap();
    assert_eq!(same.layout(), picture.layout(), "the source itself");
}

#[test]
fn parameters_out_of_range_are_brought_into_it() {
    let mut adjuster = Adjuster::get();
    let wild = Adjustments {
        lut: None,
        blur: Some(Blur { size: 4, runs: 0 }),
        tone: Some(Tone::Clahe(Clahe { tiles: (0, 0), clip_limit: f64::NAN })),
        reduction: Some(Reduction::Posterize(Posterize { levels: 0, placing: Placing::Population })),
    };
    adjuster.check("wild", &picture(8), &wild);
    let wild = Adjustments {
        lut: None,
        blur: None,
        tone: Some(Tone::Equalize(Equalize { per_channel: false, time_constant_secs: f64::INFINITY })),
        reduction: Some(Reduction::Otsu(Otsu { classes: 99, shown: ClassDisplay::Tones })),
    };
    adjuster.check("wild", &picture(8), &wild);
}

/// Pictures of different sizes and depths, with adjustments switched on and off in between.
#[test]
fn pictures_and_adjustments_may_change_at_any_time() {
    let mut adjuster = Adjuster::get();
    let some: Vec<_> = all().into_iter().step_by(4).collect();
    for round in 0..12 {
        let size = [(40, 30), (1, 1), (200, 3)][round % 3];
        let layout = [PixelLayout::gray(8), PixelLayout::planar_gbr(10), PixelLayout::semi_planar(12, (1, 1), false)];
        let picture = natural(layout[round / 2 % 3], size, colorimetry(Matrix::Bt601, Range::Full), round as u64);
        adjuster.check(&format!("round {round}"), &picture, &some[round % some.len()]);
        if round == 6 {
            adjuster.chain.release();
        }
    }
}

#[test]
fn a_picture_that_the_adapter_cannot_hold_is_refused_in_words() {
    let mut adjuster = Adjuster::get();
    let Adjuster { gpu, chain, .. } = &mut *adjuster;
    let before = gpu.most_plane_bytes;
    gpu.most_plane_bytes = 131 * 78 * 4 - 1;
    let blurred = Adjustments { blur: Some(Blur::default()), ..Adjustments::default() };
    let refused = chain.prepare(gpu, InputPicture::from(&picture(8)), &blurred, None, true);
    gpu.most_plane_bytes = before;
    assert!(matches!(refused, Err(GpuError::PictureTooLarge { width: 131, height: 78, .. })), "{refused:?}");
    assert!(chain.result().is_none(), "what was there before is not shown");
    adjuster.check("afterwards", &picture(8), &blurred);
}
