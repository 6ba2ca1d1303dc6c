//! The question that quitting by a key asks first if live input would be lost.

use std::time::{Duration, Instant};

use histoscope_core::text::counted;

/// How long an answer is awaited: about as long as the question stays on screen.
const ASKED: Duration = Duration::from_secs(5);
/// Live input of at least this length, in seconds, is not discarded without a question.
const WORTH_KEEPING_SECS: f64 = 30.0;

/// When the question was asked last, if it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuitQuestion(Option<Instant>);

impl QuitQuestion {
    /// Returns the question to ask before quitting, which would discard `kept_secs` of live input; `None` to quit now.
    /// `key` is the key that quits.
    pub fn ask(&mut self, key: &str, kept_secs: f64, now: Instant) -> Option<String> {
        let was_asked = self.0.is_some_and(|since| now.saturating_duration_since(since) < ASKED);
        if was_asked || kept_secs < WORTH_KEEPING_SECS {
            return None;
        }
        self.0 = Some(now);
        let kept = if kept_secs < 120.0 {
            counted(kept_secs as u64, "second")
        } else {
            counted((kept_secs / 60.0) as u64, "minute")
        };
        Some(format!("press {key} again to quit and lose {kept} of live input"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_quits_immediately_if_nothing_is_lost() {
        let now = Instant::now();
        assert_eq!(QuitQuestion::default().ask("q", 0.0, now), None);
        assert_eq!(QuitQuestion::default().ask("q", 29.9, now), None);
    }

    #[test]
    fn minutes_of_live_input_are_not_lost_by_one_press() {
        let now = Instant::now();
        let mut leaving = QuitQuestion::default();
        let question = |leaving: &mut QuitQuestion, secs, at| leaving.ask("q", secs, at).unwrap_or_default();
        assert_eq!(question(&mut leaving, 95.4, now), "press q again to quit and lose 95 seconds of live input");
        assert_eq!(leaving.ask("q", 95.5, now + ASKED / 2), None, "the second press leaves");
        assert!(question(&mut leaving, 200.0, now + ASKED).contains("3 minutes"), "the question has gone");
    }
}
