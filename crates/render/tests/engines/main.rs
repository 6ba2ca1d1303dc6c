//! Both engines: their counts against the scalar reference, against each other, and against independent software.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/support/counter.rs"]
mod counter;
#[path = "../../../../tests/support/studio.rs"]
mod studio;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod alike;
mod cpu;
mod linear_luminance;
mod pixel_light;
mod property;
mod scopes;
mod zimg;
