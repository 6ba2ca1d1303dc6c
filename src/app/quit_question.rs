//! The question that Esc asks before quitting, if quitting may not be intended.

use std::time::{Duration, Instant};

use histoscope_core::text::counted;

/// An Esc this soon after a menu or a field was closed may have been meant to close it.
const SOON: Duration = Duration::from_secs(1);
/// How long an answer is awaited: about as long as the question stays on screen.
const ASKED: Duration = Duration::from_secs(5);
/// Live input of at least this length, in seconds, is not discarded without a question.
const WORTH_KEEPING_SECS: f64 = 30.0;

/// The last thing that Esc or Enter did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuitQuestion {
    /// Nothing relevant.
    #[default]
    Unasked,
    /// Esc or Enter closed a menu or a field.
    Closed(Instant),
    /// Esc asked the question.
    Asked(Instant),
}

impl QuitQuestion {
    /// Returns the question that Esc asks before quitting, which would discard `kept_secs` of live input; `None` to
    /// quit now.
    pub fn ask(&mut self, kept_secs: f64, now: Instant) -> Option<String> {
        let within = |since: Instant, limit| now.saturating_duration_since(since) < limit;
        let question = match *self {
            Self::Asked(since) if within(since, ASKED) => None,
            _ if kept_secs >= WORTH_KEEPING_SECS => {
                let kept = if kept_secs < 120.0 {
                    counted(kept_secs as u64, "second")
                } else {
                    counted((kept_secs / 60.0) as u64, "minute")
                };
                Some(format!("press Esc again to quit and lose {kept} of live input"))
            }
            Self::Closed(since) if within(since, SOON) => Some("press Esc again to quit".to_owned()),
            _ => None,
        };
        *self = if question.is_some() { Self::Asked(now) } else { Self::Unasked };
        question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn esc_quits_immediately_if_nothing_is_lost() {
        let now = Instant::now();
        assert_eq!(QuitQuestion::default().ask(0.0, now), None);
        assert_eq!(QuitQuestion::default().ask(29.9, now), None);
    }

    #[test]
    fn esc_right_after_closing_something_asks_and_the_next_one_quits() {
        let now = Instant::now();
        let mut leaving = QuitQuestion::Closed(now);
        assert_eq!(leaving.ask(0.0, now + SOON / 2).as_deref(), Some("press Esc again to quit"));
        assert_eq!(leaving.ask(0.0, now + SOON / 2), None);
        assert_eq!(QuitQuestion::Closed(now).ask(0.0, now + SOON), None, "that was long ago");
    }

    #[test]
    fn minutes_of_live_input_are_not_lost_by_one_press() {
        let now = Instant::now();
        let mut leaving = QuitQuestion::default();
        let question = |leaving: &mut QuitQuestion, secs, at| leaving.ask(secs, at).unwrap_or_default();
        assert!(question(&mut leaving, 95.4, now).contains("95 seconds of live input"));
        assert_eq!(leaving.ask(95.5, now + ASKED / 2), None, "the second press leaves");
        assert!(question(&mut leaving, 200.0, now).contains("3 minutes"));
        assert!(question(&mut leaving, 200.0, now + ASKED).contains("3 minutes"), "the question has gone");
        assert!(question(&mut QuitQuestion::Closed(now), 60.0, now).contains("60 seconds"));
    }
}
