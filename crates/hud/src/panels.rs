//! Which panels are open, and how many fit side by side.

use histoscope_keys::Panel;

/// Minimum width of a window, in points, with room for two panels side by side.
pub const TWO_PANELS: f64 = 800.0;
/// Minimum width for the facts, the statistics and the adjustments together.
const THREE_PANELS: f64 = 1150.0;

/// The open panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenPanels {
    /// The help with all keys.
    pub help: bool,
    /// Facts about the video.
    pub info: bool,
    /// The findings of a check.
    pub checks: bool,
    /// The frame's statistics.
    pub numbers: bool,
    /// The durations of the passes.
    pub timing: bool,
    /// The sound meters.
    pub sound: bool,
    /// The adjustments with their parameters.
    pub adjusting: bool,
}

impl OpenPanels {
    /// Returns `true` if any of them is open.
    #[must_use]
    pub const fn any(self) -> bool {
        self.help || self.info || self.checks || self.numbers || self.timing || self.sound || self.adjusting
    }

    /// Returns the panels that are shown in a window of this width, in points of its layout. Of the statistics, facts
    /// and adjustments, a narrow window has room for only one, and few windows for all three: the most important ones
    /// are shown, and the others reappear when there is room. The durations or the sound meters are above the facts and
    /// the adjustments, but next to the statistics. The findings of a check take the position of the facts.
    #[must_use]
    pub fn within(self, width: f64) -> Self {
        self.with_room(Panel::Numbers, width)
    }

    /// Opens or closes a panel in a window of this width. Opening one closes others that have no room next to it.
    pub fn toggle(&mut self, which: Panel, width: f64) {
        let wanted = match which {
            Panel::Timing => &mut self.timing,
            Panel::Sound => &mut self.sound,
            Panel::Numbers => &mut self.numbers,
            Panel::Info => &mut self.info,
            Panel::Checks => &mut self.checks,
            Panel::Adjusting => &mut self.adjusting,
        };
        *wanted = !*wanted;
        if *wanted {
            *self = self.with_room(which, width);
        }
    }

    /// Returns the panels that have room, with `first` taking precedence.
    fn with_room(mut self, first: Panel, width: f64) -> Self {
        let is_narrow = width < TWO_PANELS;
        if matches!(first, Panel::Timing | Panel::Sound) {
            self.numbers &= !((self.timing || self.sound) && is_narrow);
        }
        if first == Panel::Sound {
            self.timing &= !self.sound;
        }
        if first == Panel::Info {
            self.checks &= !self.info;
        }
        self.info &= !self.checks;
        // The others, by importance.
        let table = if self.checks { &mut self.checks } else { &mut self.info };
        let (numbers, adjusting) = (&mut self.numbers, &mut self.adjusting);
        let panels = match first {
            Panel::Info | Panel::Checks => [table, numbers, adjusting],
            Panel::Adjusting => [adjusting, numbers, table],
            _ => [numbers, table, adjusting],
        };
        let mut room = match width {
            width if width <= 0.0 => 0,
            _ if is_narrow => 1,
            width => 2 + usize::from(width >= THREE_PANELS),
        };
        for panel in panels {
            *panel &= room > 0;
            room -= usize::from(*panel);
        }
        let has_room_above = !(self.numbers && is_narrow) && width > 0.0;
        self.timing &= has_room_above;
        self.sound &= has_room_above && !self.timing;
        self
    }

    /// Returns `true` if the adjustments can be opened in a window of this width, in points, without closing a panel
    /// and with room left for the picture.
    #[must_use]
    pub fn has_width_for_adjusting(self, width: f64) -> bool {
        let mut with = self;
        with.toggle(Panel::Adjusting, width);
        width >= TWO_PANELS && with == Self { adjusting: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: OpenPanels = OpenPanels {
        help: false,
        info: false,
        checks: false,
        numbers: false,
        timing: false,
        sound: false,
        adjusting: false,
    };

    fn after(mut panels: OpenPanels, which: Panel, width: f64) -> OpenPanels {
        panels.toggle(which, width);
        panels
    }

    #[test]
    fn durations_and_statistics_close_each_other_if_they_would_overlap() {
        let [numbers, timing] = [OpenPanels { numbers: true, ..NONE }, OpenPanels { timing: true, ..NONE }];
        let both = OpenPanels { timing: true, ..numbers };
        assert_eq!(after(numbers, Panel::Timing, 480.0), timing);
        assert_eq!(after(timing, Panel::Numbers, 480.0), numbers);
        assert_eq!(after(numbers, Panel::Timing, 960.0), both);
        assert_eq!(after(timing, Panel::Numbers, 960.0), both);
        assert_eq!(after(both, Panel::Timing, 480.0), numbers, "what closes leaves the others alone");
        assert_eq!(after(both, Panel::Numbers, 480.0), timing);
    }

    #[test]
    fn durations_stay_open_above_the_facts_and_the_adjustments() {
        let times = OpenPanels { timing: true, ..NONE };
        assert_eq!(after(times, Panel::Info, 480.0), OpenPanels { info: true, ..times });
        assert_eq!(after(times, Panel::Adjusting, 480.0), OpenPanels { adjusting: true, ..times });
        let sliders = OpenPanels { adjusting: true, ..NONE };
        assert_eq!(after(sliders, Panel::Timing, 480.0), OpenPanels { timing: true, ..sliders });
    }

    #[test]
    fn panels_stay_open_while_they_have_room() {
        let two = OpenPanels { info: true, numbers: true, ..NONE };
        let all = OpenPanels { adjusting: true, ..two };
        assert_eq!(after(two, Panel::Adjusting, 480.0), OpenPanels { adjusting: true, ..NONE });
        assert_eq!(after(two, Panel::Adjusting, 960.0), OpenPanels { info: false, ..all });
        assert_eq!(after(two, Panel::Adjusting, 1280.0), all);
    }

    #[test]
    fn open_panels_are_shown() {
        let panels = [Panel::Timing, Panel::Numbers, Panel::Info, Panel::Adjusting, Panel::Checks, Panel::Sound];
        let is_open = |panels: OpenPanels, which| match which {
            Panel::Timing => panels.timing,
            Panel::Sound => panels.sound,
            Panel::Numbers => panels.numbers,
            Panel::Info => panels.info,
            Panel::Checks => panels.checks,
            Panel::Adjusting => panels.adjusting,
        };
        for state in 0..1 << panels.len() {
            let [timing, numbers, info, adjusting, checks, sound] = [0, 1, 2, 3, 4, 5].map(|bit| state >> bit & 1 == 1);
            for width in [480.0, 960.0, 1280.0] {
                let before = OpenPanels { help: false, info, checks, numbers, timing, sound, adjusting }.within(width);
                for which in panels {
                    let now = after(before, which, width);
                    assert_eq!(now.within(width), now, "{which:?} after {before:?} in {width} points");
                    assert_ne!(is_open(now, which), is_open(before, which), "{which:?} after {before:?}");
                }
            }
        }
    }

    #[test]
    fn hidden_panels_reappear_when_there_is_room() {
        let all = OpenPanels { info: true, numbers: true, adjusting: true, timing: true, help: true, ..NONE };
        for (panels, width, expected) in [
            (all, 1280.0, all),
            (all, 960.0, OpenPanels { adjusting: false, ..all }),
            (all, 480.0, OpenPanels { adjusting: false, info: false, timing: false, ..all }),
            (OpenPanels { numbers: false, ..all }, 480.0, OpenPanels { numbers: false, adjusting: false, ..all }),
            (OpenPanels { adjusting: true, ..NONE }, 480.0, OpenPanels { adjusting: true, ..NONE }),
        ] {
            assert_eq!(panels.within(width), expected, "{panels:?} in {width} points");
        }
    }

    #[test]
    fn adjustments_have_room_only_if_they_close_nothing_and_leave_some_of_the_picture() {
        let numbers = OpenPanels { numbers: true, ..NONE };
        for (panels, width, expected) in [
            (NONE, 480.0, false),
            (NONE, 960.0, true),
            (numbers, 480.0, false),
            (numbers, 960.0, true),
            (OpenPanels { info: true, ..numbers }, 960.0, false),
            (OpenPanels { info: true, ..numbers }, 1280.0, true),
            (OpenPanels { adjusting: true, ..NONE }, 1280.0, false),
        ] {
            assert_eq!(panels.has_width_for_adjusting(width), expected, "{panels:?} in {width} points");
        }
    }
}
