//! Playback by keys: pausing, seeking, stepping, speed and loops.

use std::time::Instant;

use super::Session;
use histoscope_hud::speed_text;
use histoscope_keys::{Action, SpeedChange};

/// The note to show when the user tries to play a single picture.
pub const NOTHING_TO_PLAY: &str = "a single picture: there is nothing to play";

/// The note to show when the user seeks in live input.
pub const LIVE: &str =
    "live: the sender sets the pace; Space holds the picture, arrows and the timeline go back through the stored part";

/// Returns `true` if an action leads to a different picture of the video.
const fn goes_elsewhere(action: Action) -> bool {
    matches!(action, Action::SeekBy { .. } | Action::ToStart | Action::ToEnd)
}

/// Returns `true` if an action is only for videos with a length and a pace of their own.
const fn needs_length(action: Action) -> bool {
    matches!(action, Action::Continue | Action::Speed(_) | Action::ToggleLoop | Action::Mark)
}

/// Applies a key's action to playback; `held` if the key has been down for a while. Returns the note to show.
pub fn operate(session: &mut Session, action: Action, held: bool, now: Instant) -> Option<String> {
    let player = &session.player;
    match action {
        Action::TogglePause | Action::Step { .. } if player.is_single() => return Some(NOTHING_TO_PLAY.to_owned()),
        _ if player.is_single() && (goes_elsewhere(action) || needs_length(action)) => {
            return Some(NOTHING_TO_PLAY.to_owned());
        }
        _ if player.is_live() && needs_length(action) => return Some(LIVE.to_owned()),
        Action::Continue if !player.is_seekable() => {
            return Some("forward playback only: this input cannot seek".to_owned());
        }
        _ if goes_elsewhere(action) && !player.is_seekable() && !player.is_live() => {
            return Some("forward playback only: this input cannot seek".to_owned());
        }
        Action::TogglePause => session.toggle_pause(now),
        Action::Step { forward } => session.step(forward, now),
        Action::SeekBy { secs, exact: false } if held => session.scrub_by(secs, now),
        Action::SeekBy { secs, .. } => {
            session.go_by(secs);
            return announced(session, format!("{}{} s", if secs < 0.0 { "−" } else { "+" }, secs.abs()));
        }
        Action::ToStart => {
            session.go_to(0.0);
            let oldest = if session.player.is_live() { "oldest stored picture" } else { "first frame" };
            return announced(session, format!("to the {oldest}"));
        }
        Action::ToEnd => {
            session.go_to(f64::MAX);
            let newest = if session.player.is_live() { "newest picture" } else { "last frame" };
            return announced(session, format!("to the {newest}"));
        }
        Action::Continue => {
            return Some(match session.left_at {
                Some(secs) => session.go_to_time(secs),
                None => "no earlier position is stored for this video".to_owned(),
            });
        }
        Action::Speed(change) => {
            let wanted = match change {
                SpeedChange::By(factor) => session.player.speed() * factor,
                SpeedChange::Normal => 1.0,
            };
            return Some(format!("speed {}", speed_text(session.set_speed(wanted, now))));
        }
        Action::ToggleLoop => {
            return Some(if session.player.toggle_loop() { "loop on" } else { "loop off" }.to_owned());
        }
        Action::SwitchDecoder => return session.switch_decoder(),
        Action::Mark => return Some(session.mark()),
        Action::Reinterpret(property) => return Some(session.reinterpret(property)),
        _ => {}
    }
    None
}

/// Registers a seek, so that its destination is shown once its picture arrives. Returns the note to show.
fn announced(session: &mut Session, said: String) -> Option<String> {
    session.announce(&said);
    Some(said)
}
