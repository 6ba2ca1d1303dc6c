//! The requests of other programs. Properties have mpv's names where mpv has them; others are the settings of
//! `histoscope_keys`, and the fields of the figures that are saved with a picture.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::control::{Control, CountedFrame};
use super::{Flow, Viewer};
use crate::app::input::event::{Event, Waker};
use crate::app::options::AppError;
use crate::app::remote::endpoint::Endpoint;
use crate::app::remote::protocol::{Call, CallResult, NOT_FOUND, UNAVAILABLE};
use crate::app::remote::{Remote, Request};
use crate::app::session::Session;
use histoscope_core::text::public;
use histoscope_hud::UiEvents;
use histoscope_keys::command;

/// Returns a property's value; `None` if it has none at present.
type Get = fn(&Viewer) -> Option<Value>;
/// Changes a property. Returns why that is impossible.
type Set = fn(&mut Viewer, &Value, Instant) -> Result<(), String>;

/// A property of playback or of the window.
struct Property {
    name: &'static str,
    get: Get,
    /// `None` if it can only be read.
    set: Option<Set>,
}

const fn fixed(name: &'static str, get: Get) -> Property {
    Property { name, get, set: None }
}

const fn settable(name: &'static str, get: Get, set: Set) -> Property {
    Property { name, get, set: Some(set) }
}

/// The properties of playback and of the window.
const PROPERTIES: &[Property] = &[
    settable(
        "pause",
        |viewer| Some(json!(session(viewer)?.player.is_paused())),
        |viewer, value, now| {
            let session = playable(viewer)?;
            if session.player.is_paused() != truth(value)? {
                session.toggle_pause(now);
            }
            Ok(())
        },
    ),
    settable(
        "time-pos",
        |viewer| Some(json!(session(viewer)?.player.position_secs())),
        |viewer, value, _| {
            seekable(viewer)?.go_to(number(value)?);
            Ok(())
        },
    ),
    fixed("duration", |viewer| Some(json!(session(viewer)?.player.duration_secs()?))),
    settable(
        "estimated-frame-number",
        |viewer| {
            let player = &session(viewer)?.player;
            Some(json!(player.frame_index().or(player.estimated_index())?))
        },
        |viewer, value, _| {
            let index = value.as_u64().ok_or_else(|| format!("{value} is not a frame number"))?;
            seekable(viewer)?.go_to_frame(index);
            Ok(())
        },
    ),
    fixed("estimated-frame-count", |viewer| Some(json!(session(viewer)?.info.stated_frames?))),
    fixed("timecode", |viewer| Some(json!(session(viewer)?.place().timecode?.to_string()))),
    settable(
        "speed",
        |viewer| Some(json!(session(viewer)?.player.speed())),
        |viewer, value, now| {
            let speed = number(value)?;
            if speed <= 0.0 {
                return Err(format!("{value} is not a speed; it must be above 0"));
            }
            playable(viewer)?.set_speed(speed, now);
            Ok(())
        },
    ),
    settable(
        "loop-file",
        |viewer| Some(json!(session(viewer)?.player.is_looped())),
        |viewer, value, _| {
            let session = playable(viewer)?;
            if session.player.is_looped() != truth(value)? {
                session.player.toggle_loop();
            }
            Ok(())
        },
    ),
    settable(
        "fullscreen",
        |viewer| Some(json!(viewer.work.graphics.screen.is_full())),
        |viewer, value, now| {
            let full = truth(value)?;
            viewer.set_full(full, now);
            Ok(())
        },
    ),
    fixed("path", |viewer| Some(json!(public(&session(viewer)?.input).display().to_string()))),
    fixed("filename", |viewer| Some(json!(session(viewer)?.name))),
    fixed("container-fps", |viewer| Some(json!(session(viewer)?.frame_rate()?))),
    fixed("width", |viewer| Some(json!(session(viewer)?.frame.as_ref()?.picture.width()))),
    fixed("height", |viewer| Some(json!(session(viewer)?.frame.as_ref()?.picture.height()))),
    fixed("seekable", |viewer| Some(json!(session(viewer)?.player.is_seekable()))),
    fixed("eof-reached", |viewer| Some(json!(session(viewer)?.player.has_ended()))),
    fixed("frame-drop-count", |viewer| Some(json!(session(viewer)?.player.counts().dropped))),
];

fn session(viewer: &Viewer) -> Option<&Session> {
    viewer.work.session.as_ref()
}

/// Returns the video if it has a pace that can be changed.
fn playable(viewer: &mut Viewer) -> Result<&mut Session, String> {
    let session = viewer.work.session.as_mut().ok_or(UNAVAILABLE)?;
    if session.player.is_single() { Err("a single picture does not play".to_owned()) } else { Ok(session) }
}

fn seekable(viewer: &mut Viewer) -> Result<&mut Session, String> {
    let session = playable(viewer)?;
    if session.player.is_seekable() { Ok(session) } else { Err("this input cannot seek".to_owned()) }
}

fn truth(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{value} is neither true nor false"))
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| format!("{value} is not a number"))
}

impl Viewer {
    /// Listens for other programs at an endpoint, if there is one.
    ///
    /// # Errors
    /// [`AppError`] if no thread can be started.
    pub fn listen(&mut self, endpoint: Option<Endpoint>, waker: &Waker) -> Result<(), AppError> {
        let Some(endpoint) = endpoint else { return Ok(()) };
        let waker = Arc::clone(waker);
        self.control = Some(Control { remote: Remote::start(endpoint, move || waker())?, figures: None });
        Ok(())
    }

    /// Carries out the requests that have arrived. Returns whether the program continues.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn take_requests(&mut self) -> Result<Flow, AppError> {
        while let Some(request) = self.control.as_mut().and_then(|control| control.remote.next()) {
            if self.on_event(Event::Request(request), UiEvents::default)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    /// Carries out a request and answers it.
    pub(super) fn on_request(&mut self, request: Request) -> Result<Flow, AppError> {
        let now = self.work.now();
        let mut flow = Flow::Continue;
        log::debug!("request: {:?}", request.call);
        let result = match request.call.clone() {
            Err(reason) => Err(reason),
            Ok(Call::Get(name)) => self.property(&name),
            Ok(Call::Set(name, value)) => self.set_property(&name, &value, now).map(|()| Value::Null),
            Ok(Call::Observe(id, name)) => match self.property(&name) {
                Err(reason) if reason == NOT_FOUND => Err(reason),
                _ => {
                    if let Some(control) = &mut self.control {
                        control.remote.observe(&request, id, name);
                    }
                    Ok(Value::Null)
                }
            },
            Ok(Call::Unobserve(id)) => {
                Ok(json!(self.control.as_mut().map_or(0, |control| control.remote.unobserve(&request, id))))
            }
            Ok(Call::Do(name, values)) => match command::action(&name, &values) {
                Ok(action) => {
                    flow = self.act(action, false)?;
                    Ok(Value::Null)
                }
                Err(reason) => Err(reason),
            },
        };
        if let Some(control) = &mut self.control {
            control.remote.answer(&request, result);
        }
        self.report_properties();
        Ok(flow)
    }

    /// Reports the observed properties that have changed.
    pub(super) fn report_properties(&mut self) {
        let Some(control) = &self.control else { return };
        for name in control.remote.observed() {
            let value = self.property(&name);
            if let Some(control) = &mut self.control {
                control.remote.report(&name, &value);
            }
        }
    }

    /// Returns the value of a property, or why there is none.
    fn property(&mut self, name: &str) -> CallResult {
        if let Some(property) = PROPERTIES.iter().find(|property| property.name == name) {
            return (property.get)(self).ok_or_else(|| UNAVAILABLE.to_owned());
        }
        if let Some(setting) = command::setting(name) {
            let value = command::value(&self.work.scene.look, self.work.bins.components, setting);
            return value.ok_or_else(|| UNAVAILABLE.to_owned());
        }
        let figures = self.figures()?;
        let pointer = format!("/{name}");
        figures.pointer(&pointer).cloned().ok_or_else(|| NOT_FOUND.to_owned())
    }

    /// Returns the figures of the frame on screen.
    fn figures(&mut self) -> CallResult {
        let session = session(self).ok_or(UNAVAILABLE)?;
        let time_secs = session.frame.as_ref().ok_or(UNAVAILABLE)?.time_secs;
        let frame = CountedFrame { name: session.name.clone(), time_secs, chosen: self.work.chosen() };
        let known = self.control.as_ref().and_then(|control| control.figures.as_ref());
        if let Some((_, figures)) = known.filter(|(counted, _)| *counted == frame) {
            return figures.clone();
        }
        let figures = self.work.figures();
        if let Some(control) = &mut self.control {
            control.figures = Some((frame, figures.clone()));
        }
        figures
    }

    fn set_property(&mut self, name: &str, value: &Value, now: Instant) -> Result<(), String> {
        if let Some(property) = PROPERTIES.iter().find(|property| property.name == name) {
            let set = property.set.ok_or_else(|| format!("'{name}' can only be read"))?;
            set(self, value, now)?;
        } else if let Some(setting) = command::setting(name) {
            let format = (self.work.bins.components, self.work.geometry().bits().unwrap_or(8));
            self.work.scene.look = command::with_value(&self.work.scene.look, format, setting, value)?;
            self.work.settings.changed(now);
        } else {
            return Err(match self.property(name) {
                Ok(_) => format!("'{name}' can only be read"),
                Err(reason) => reason,
            });
        }
        self.work.redraw();
        self.work.follow_title(now, true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_lists_every_property_and_setting() {
        let manual = include_str!("../../../docs/ipc.md");
        for property in PROPERTIES {
            let access = if property.set.is_some() { "read, set" } else { "read" };
            assert!(manual.contains(&format!("| `{}` | {access} |", property.name)), "{} ({access})", property.name);
            assert!(command::setting(property.name).is_none(), "{} is a setting, too", property.name);
        }
        for name in command::setting_names() {
            assert!(manual.contains(&format!("`{name}`")), "{name}");
        }
    }
}
