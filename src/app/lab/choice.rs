//! The lab's topic, method and parameters: what was chosen, and the nearest choice that the adapter supports.

use histoscope_hud::{LAB_BINS, LAB_CHUNKS, LabPage, grouped, sum_kind};
use histoscope_lab::MAX_SIZE;
use histoscope_lab::bench::BenchContent;
use histoscope_lab::{
    BlurMethod, BlurSetup, ChannelSet, DrawMethod, Method, ScanKind, ScanMethod, Setup, Shape, ShapeError, SumSetup,
    Topic,
};
use histoscope_render::gpu::Gpu;

/// The choices of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabChoice {
    /// The picture in place of the video's, if there is one.
    pub input: Option<BenchContent>,
    /// The topic.
    pub topic: Topic,
    /// The page before the methods.
    pub page: LabPage,
    /// The counting method.
    pub method: Method,
    /// Size of a chunk in pixels, or of a workgroup for methods without chunks; `None` for the method's size in the
    /// tutorial.
    pub chunk: Option<(u32, u32)>,
    /// Bins per channel, counted or drawn.
    pub bins: u32,
    /// The counted channels.
    pub channels: ChannelSet,
    /// The setup of the prefix sum.
    pub sums: SumSetup,
    /// The setup of the blur.
    pub blur: BlurSetup,
    /// The method of drawing.
    pub drawing: DrawMethod,
}

impl Default for LabChoice {
    /// Returns the first method that is both parallel and wrong, in the tutorial's shape: this is what a lab is for.
    fn default() -> Self {
        Self {
            input: None,
            topic: Topic::Counting,
            method: Method::Race,
            chunk: None,
            bins: Shape::default().bins(),
            channels: ChannelSet::Four,
            page: LabPage::ByHand,
            sums: SumSetup::default(),
            blur: BlurSetup::default(),
            drawing: DrawMethod::PerPixel,
        }
    }
}

impl LabChoice {
    /// Returns the size of a chunk in pixels.
    #[must_use]
    pub fn chunk(&self) -> (u32, u32) {
        self.chunk.unwrap_or(self.method.usual_chunk())
    }

    /// Returns the name of the topic's method.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        match self.topic {
            Topic::Basics => self.page.title(),
            Topic::Counting => self.method.title(),
            Topic::PrefixSum => self.sums.method.title(),
            Topic::Blur => self.blur.method.title(),
            Topic::Drawing => self.drawing.title(),
        }
    }

    /// Returns the choice with the previous or next method; unchanged at the ends.
    #[must_use]
    pub fn stepped(self, forward: bool) -> Self {
        match self.topic {
            Topic::Basics => Self { page: neighbour(&LabPage::ALL, self.page, forward), ..self },
            Topic::Counting => Self { method: neighbour(Method::ladder(), self.method, forward), ..self },
            Topic::PrefixSum => {
                let method = neighbour(&ScanMethod::ALL, self.sums.method, forward);
                Self { sums: SumSetup { method, ..self.sums }, ..self }
            }
            Topic::Blur => {
                let method = neighbour(&BlurMethod::ALL, self.blur.method, forward);
                Self { blur: BlurSetup { method, ..self.blur }, ..self }
            }
            Topic::Drawing => Self { drawing: neighbour(&DrawMethod::ALL, self.drawing, forward), ..self },
        }
    }

    /// Returns the choice with a parameter increased or decreased, unchanged at the ends, and a description of its new
    /// value. The first and second parameter are the bins and the chunk size for counting, the length and whether a
    /// word's own value is in its sum for a prefix sum, and the width and the number of runs for a blur. A drawing has
    /// only bins.
    #[must_use]
    pub fn changed(self, is_first: bool, more: bool) -> (Self, String) {
        match (self.topic, is_first) {
            (Topic::Counting | Topic::Drawing, true) => {
                let to = if more {
                    LAB_BINS.into_iter().find(|&bins| bins > self.bins)
                } else {
                    LAB_BINS.into_iter().rev().find(|&bins| bins < self.bins)
                };
                let bins = to.unwrap_or(self.bins);
                (Self { bins, ..self }, format!("{bins} bins"))
            }
            (Topic::Counting, false) => {
                let all: Vec<_> = std::iter::once(None).chain(LAB_CHUNKS.map(Some)).collect();
                let to = Self { chunk: neighbour(&all, self.chunk, more), ..self };
                let (width, height) = to.chunk();
                (to, format!("chunks of {width}×{height}"))
            }
            (Topic::Basics, _) => (self, "a page has no parameters".to_owned()),
            (Topic::Drawing, false) => (self, "a drawing has bins, and no chunks".to_owned()),
            (Topic::PrefixSum, true) => {
                let (now, ends) = (self.sums.length, SumSetup::LENGTHS);
                let to = if more { (now + 1).next_power_of_two() } else { 1 << (now - 1).ilog2() };
                let to = to.clamp(*ends.start(), *ends.end());
                (Self { sums: SumSetup { length: to, ..self.sums }, ..self }, format!("{} words", grouped(to.into())))
            }
            (Topic::PrefixSum, false) => {
                let kind = if more { ScanKind::Inclusive } else { ScanKind::Exclusive };
                (Self { sums: SumSetup { kind, ..self.sums }, ..self }, sum_kind(kind).to_owned())
            }
            (Topic::Blur, true) => {
                let size = if more { self.blur.size + 2 } else { self.blur.size.saturating_sub(2) };
                let size = size.clamp(1, MAX_SIZE);
                (Self { blur: BlurSetup { size, ..self.blur }, ..self }, format!("blur of {size}×{size} pixels"))
            }
            (Topic::Blur, false) => {
                let runs = if more { self.blur.runs + 1 } else { self.blur.runs.saturating_sub(1) };
                let runs = runs.clamp(*BlurSetup::RUNS.start(), *BlurSetup::RUNS.end());
                let times = if runs == 1 { "once".to_owned() } else { format!("{runs} times") };
                (Self { blur: BlurSetup { runs, ..self.blur }, ..self }, format!("blurred {times}"))
            }
        }
    }

    /// Returns the nearest choice for which `shape` succeeds, its shape if one was found, and the reason if it differs
    /// from this choice.
    fn nearest(
        mut self,
        shape: impl Fn((u32, u32), u32) -> Result<Shape, ShapeError>,
    ) -> (Self, Option<Shape>, Option<String>) {
        let mut told: Option<String> = None;
        // Both bins and chunk may be invalid, and the nearest value of one may be too large for the other.
        for _ in 0..4 {
            let error = match shape(self.chunk(), self.bins) {
                Ok(shape) => return (self, Some(shape), told),
                Err(error) => error,
            };
            match error {
                ShapeError::Bins { nearest, .. } | ShapeError::Memory { nearest, .. } => self.bins = nearest,
                ShapeError::Chunk { nearest, .. } => self.chunk = Some(nearest),
            }
            told = Some(match told {
                None => error.to_string(),
                Some(before) => format!("{before}; {error}"),
            });
        }
        (self, None, told)
    }

    /// Returns the nearest choice that the adapter supports, its setup, and the reason if it differs from this choice.
    #[must_use]
    pub fn on(self, gpu: &Gpu) -> (Self, Option<Setup>, Option<String>) {
        let (choice, shape, told) = self.nearest(|chunk, bins| Shape::new(gpu, chunk, bins));
        let setup = shape.map(|shape| Setup { method: choice.method, channels: choice.channels, shape });
        (choice, setup, told)
    }
}

/// Returns the previous or next item; at the ends, the same item. An unknown item counts as the first one.
fn neighbour<T: Copy + PartialEq>(all: &[T], now: T, forward: bool) -> T {
    let at = all.iter().position(|&other| other == now).unwrap_or(0);
    all[if forward { (at + 1).min(all.len() - 1) } else { at.saturating_sub(1) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusing(chunk: (u32, u32), bins: u32) -> Result<Shape, ShapeError> {
        if !(3..=4096).contains(&bins) {
            return Err(ShapeError::Bins { bins, nearest: bins.clamp(3, 4096) });
        }
        if chunk.0 * chunk.1 > 256 {
            return Err(ShapeError::Chunk { chunk, most: 256, sides: (256, 256), nearest: (256, 1) });
        }
        Ok(Shape::default())
    }

    #[test]
    fn impossible_choices_become_the_nearest_possible() {
        let choice = LabChoice { chunk: Some((64, 64)), bins: 2, ..LabChoice::default() };
        let (near, shape, told) = choice.nearest(refusing);
        assert_eq!((near.chunk, near.bins, shape), (Some((256, 1)), 3, Some(Shape::default())));
        let told = told.expect("it is told");
        assert!(told.contains("nearest is 3;") && told.ends_with("nearest is 256x1"), "{told}");
        let (same, _, told) = LabChoice::default().nearest(refusing);
        assert_eq!((same, told), (LabChoice::default(), None));
    }

    #[test]
    fn the_ladder_has_two_ends() {
        let first = LabChoice { method: Method::ladder()[0], ..LabChoice::default() };
        assert_eq!(first.stepped(false), first);
        let mut seen = vec![first.method];
        let mut choice = first;
        while choice.stepped(true) != choice {
            choice = choice.stepped(true);
            seen.push(choice.method);
        }
        assert_eq!(seen, Method::ladder());
        assert_eq!(choice.stepped(false).stepped(true), choice);
    }

    #[test]
    fn parameters_change_in_steps_and_have_limits() {
        let of = |topic| LabChoice { topic, ..LabChoice::default() };
        for topic in Topic::ALL {
            for (is_first, more) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut seen = vec![of(topic)];
                loop {
                    let (to, told) = seen[seen.len() - 1].changed(is_first, more);
                    assert!(!told.is_empty() && seen.len() < 200, "{topic:?}: it has no end");
                    if to == seen[seen.len() - 1] {
                        break;
                    }
                    seen.push(to);
                }
                let back = seen.iter().rev().skip(1).fold(seen[seen.len() - 1], |c, _| c.changed(is_first, !more).0);
                assert_eq!(back, of(topic), "{topic:?}: there and back are not the same");
            }
        }
        let most = (0..40).fold(of(Topic::PrefixSum), |choice, _| choice.changed(true, true).0);
        assert_eq!(most.sums.length, 1 << 26);
        let odd = LabChoice { sums: SumSetup { length: 1000, ..SumSetup::default() }, ..of(Topic::PrefixSum) };
        assert_eq!((odd.changed(true, true).0.sums.length, odd.changed(true, false).0.sums.length), (1024, 512));
    }
}
