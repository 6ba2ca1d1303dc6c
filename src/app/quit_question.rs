//! The question that Esc asks before it quits, where that may not be meant.

use std::time::{Duration, Instant};

use histoscope_core::text::counted;

/// Esc that follows this soon on what closed a menu or a field may be meant for that.
const SOON: Duration = Duration::from_secs(1);
/// For how long an answer is waited for: about as long as the question stands on the picture.
const ASKED: Duration = Duration::from_secs(5);
/// Live input that took longer to gather than this, in seconds, is not thrown away without a question.
const WORTH_KEEPING_SECS: f64 = 30.0;

/// The last thing that Esc or Enter did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuitQuestion {
    /// Nothing that matters.
    #[default]
    Unasked,
    /// It, or Enter, closed a menu or a field.
    Closed(Instant),
    /// It asked whether it is meant.
    Asked(Instant),
}

impl QuitQuestion {
    /// Returns what Esc asks before it quits, with so many seconds of live input kept that would go with the window; `None` where it quits.
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
                Some(format!("Esc once more quits, and {kept} of live input that are kept are lost"))
            }
            Self::Closed(since) if within(since, SOON) => Some("Esc once more quits".to_owned()),
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
    fn esc_leaves_at_once_where_nothing_is_lost() {
        let now = Instant::now();
        assert_eq!(QuitQuestion::default().ask(0.0, now), None);
        assert_eq!(QuitQuestion::default().ask(29.9, now), None);
    }

    #[test]
    fn esc_right_after_what_closed_a_menu_or_a_field_asks_and_the_next_leaves() {
        let now = Instant::now();
        let mut leaving = QuitQuestion::Closed(now);
        assert_eq!(leaving.ask(0.0, now + SOON / 2).as_deref(), Some("Esc once more quits"));
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
