//! What the values in a target's textures mean to its display.

use std::fmt;

use histoscope_core::tone_map::{Display, WHITE};

/// Whether light above SDR's white goes out to the display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HdrChoice {
    /// If the display is known to show HDR.
    #[default]
    Auto,
    /// If the surface offers it, whatever is known about the display.
    On,
    /// Never.
    Off,
}

/// The meaning of the values in a texture to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Codes for SDR, as drawn.
    Codes,
    /// Linear light of BT.709, beyond 0 to 1 for brighter light and other colours.
    Linear {
        /// The light of 1 in cd/m².
        unit: u32,
    },
    /// PQ (ST 2084) with the primaries of BT.2020.
    Pq,
}

/// The form in which a target takes pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// The format of its textures.
    pub format: wgpu::TextureFormat,
    /// What their values mean.
    pub encoding: Encoding,
    /// The light in cd/m² of SDR's white.
    pub white: u32,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let white = self.white;
        match self.encoding {
            Encoding::Codes => write!(f, "SDR output"),
            Encoding::Linear { unit } if unit == white => {
                write!(f, "HDR output in linear light, by the desktop's white")
            }
            Encoding::Linear { .. } => write!(f, "HDR output in linear light, white of controls {white} cd/m²"),
            Encoding::Pq => write!(f, "HDR output in PQ, white of controls {white} cd/m²"),
        }
    }
}

/// Light of 1 in cd/m² in extended linear sRGB (scRGB, IEC 61966-2-2).
const SCRGB_UNIT: u32 = 80;

impl Output {
    /// Returns an output of codes.
    #[must_use]
    pub const fn of_codes(format: wgpu::TextureFormat) -> Self {
        Self { format, encoding: Encoding::Codes, white: WHITE }
    }

    /// Returns an output of linear light (scRGB) whose SDR white has `white` cd/m².
    #[must_use]
    pub const fn linear(white: u32) -> Self {
        let encoding = Encoding::Linear { unit: SCRGB_UNIT };
        Self { format: wgpu::TextureFormat::Rgba16Float, encoding, white }
    }

    /// Returns an output of PQ whose SDR white has `white` cd/m².
    #[must_use]
    pub const fn pq(white: u32) -> Self {
        Self { format: wgpu::TextureFormat::Rgb10a2Unorm, encoding: Encoding::Pq, white }
    }

    /// Returns the output of light that a surface offers, the more precise one if there are two.
    #[must_use]
    pub fn of_light(
        capabilities: &wgpu::SurfaceCapabilities,
        info: &wgpu::DisplayHdrInfo,
        backend: wgpu::Backend,
    ) -> Option<Self> {
        let stated = info.luminance.and_then(|luminance| luminance.sdr_white_nits).filter(|&white| white >= 1.0);
        let white = stated.map_or(WHITE, |white| white.round() as u32);
        // Metal's unit is SDR's white, whatever its light.
        let unit = if backend == wgpu::Backend::Metal { white } else { SCRGB_UNIT };
        let linear = Self { encoding: Encoding::Linear { unit }, ..Self::linear(white) };
        let is_offered = |output: &Self| {
            let space = output.color_space().to_color_spaces();
            space.is_some_and(|space| capabilities.color_spaces(output.format).contains(space))
        };
        [linear, Self::pq(white)].into_iter().find(is_offered)
    }

    /// Returns the colour space of surfaces with this output.
    #[must_use]
    pub const fn color_space(&self) -> wgpu::SurfaceColorSpace {
        match self.encoding {
            Encoding::Codes => wgpu::SurfaceColorSpace::Auto,
            Encoding::Linear { .. } => wgpu::SurfaceColorSpace::ExtendedSrgbLinear,
            Encoding::Pq => wgpu::SurfaceColorSpace::Bt2100Pq,
        }
    }

    /// Returns the display for which pictures are drawn.
    #[must_use]
    pub const fn display(&self) -> Display {
        match self.encoding {
            Encoding::Codes => Display::Sdr,
            Encoding::Linear { .. } | Encoding::Pq => Display::Hdr { white: self.white },
        }
    }
}
