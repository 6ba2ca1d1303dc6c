//! Faults found in the file so far: counts and facts that stay on display, and notes when they first appear.

use histoscope_core::text::counted;
use histoscope_hud::InfoLine;
use histoscope_media::FrameCounters;

/// The known faults of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults {
    counters: FrameCounters,
    /// The fault of its end, in words.
    ending: Option<String>,
}

impl Faults {
    /// Creates the faults from the decoder's counters and the fault at the file's end, if any.
    #[must_use]
    pub const fn new(counters: FrameCounters, ending: Option<String>) -> Self {
        Self { counters, ending }
    }

    /// Returns the decoder's counters.
    #[must_use]
    pub const fn counters(&self) -> FrameCounters {
        self.counters
    }

    /// Returns `true` if anything is wrong.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.ending.is_some() || self.has_damage()
    }

    /// Returns `true` if the file's end is intact.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.ending.is_none()
    }

    const fn has_damage(&self) -> bool {
        let FrameCounters { refused_packets, damaged, unusable, read_errors, .. } = self.counters;
        refused_packets + damaged + unusable + read_errors > 0
    }

    /// Describes the damage in words, with counts; `None` if there is none.
    fn damage(&self) -> Option<String> {
        let FrameCounters { refused_packets, damaged, unusable, read_errors, .. } = self.counters;
        let counts = [
            (refused_packets, "packet", " refused by the decoder"),
            (damaged, "frame", " damaged"),
            (unusable, "frame", " left out"),
            (read_errors, "read error", ""),
        ];
        let parts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let texts: Vec<_> = parts.map(|(count, what, how)| format!("{}{how}", counted(count, what))).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    /// Returns the lines on faults for the panel about the file.
    #[must_use]
    pub fn lines(&self) -> Vec<InfoLine> {
        let line = |name, value: Option<String>| value.map(|value| InfoLine { name, value, origin: None });
        let damage = self.damage().map(|damage| format!("{damage}, so far"));
        let hardware = (self.counters.hardware_failures > 0).then(|| "failed; software decodes since then".to_owned());
        let lines = [line("partial", self.ending.clone()), line("damage", damage), line("hardware", hardware)];
        lines.into_iter().flatten().collect()
    }

    /// Returns notes on faults found since those in `reported`. Counts are reported only when damage first appears, and
    /// at the end of the video.
    #[must_use]
    pub fn new_notes(&self, reported: &Self, has_ended: bool) -> Vec<String> {
        let ending = self.ending.clone().filter(|_| self.ending != reported.ending);
        let ending = ending.map(|ending| format!("the file is incomplete: {ending}"));
        let is_due = !reported.has_damage() || has_ended && self.counters != reported.counters;
        let damage = self.damage().filter(|_| is_due).map(|damage| format!("the file is damaged: {damage}"));
        let has_failed = self.counters.hardware_failures > reported.counters.hardware_failures;
        let hardware = has_failed.then(|| "the hardware decoder failed; software continues".to_owned());
        ending.into_iter().chain(damage).chain(hardware).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(refused_packets: u64, damaged: u64) -> Faults {
        Faults::new(FrameCounters { refused_packets, damaged, ..FrameCounters::default() }, None)
    }

    #[test]
    fn damage_is_reported_at_first_and_at_the_end_and_counted_throughout() {
        let (none, some, more) = (Faults::default(), faults(1, 0), faults(2, 3));
        assert!(!none.any() && none.lines().is_empty() && none.new_notes(&none, true).is_empty());
        assert_eq!(some.new_notes(&none, false), ["the file is damaged: 1 packet refused by the decoder"]);
        assert!(more.new_notes(&some, false).is_empty(), "the panel counts");
        let all = "2 packets refused by the decoder, 3 frames damaged";
        assert_eq!(more.new_notes(&some, true), [format!("the file is damaged: {all}")]);
        assert_eq!((more.lines()[0].name, more.lines()[0].value.clone()), ("damage", format!("{all}, so far")));
        assert!(more.new_notes(&more, true).is_empty(), "it was said");
    }

    #[test]
    fn a_failure_of_the_hardware_is_reported_once_and_stays_in_the_panel() {
        let failed = Faults::new(FrameCounters { hardware_failures: 1, ..FrameCounters::default() }, None);
        let notes = failed.new_notes(&Faults::default(), false);
        assert_eq!(notes, ["the hardware decoder failed; software continues"]);
        assert!(failed.new_notes(&failed, true).is_empty() && !failed.any(), "the file has no fault");
        assert_eq!(failed.lines()[0].name, "hardware");
    }

    #[test]
    fn a_truncated_file_is_reported_once_and_stays_in_the_panel() {
        let cut = Faults::new(FrameCounters::default(), Some("it was cut off in the middle of its data".to_owned()));
        assert_eq!(
            cut.new_notes(&Faults::default(), false),
            ["the file is incomplete: it was cut off in the middle of its data"]
        );
        assert!(cut.new_notes(&cut, true).is_empty() && cut.any());
        assert_eq!(cut.lines()[0].name, "partial");
    }
}
