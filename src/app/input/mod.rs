//! What the user does: the window's events, the keys that they stand for, clicks, gestures and the wheel.

pub mod clicks;
pub mod event;
pub mod gestures;
pub mod keyboard;
pub mod wheel;
