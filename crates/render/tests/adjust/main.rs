//! The adjustments: the GPU's, and the fast ones on the CPU, against their plain definitions, code by code, and against
//! OpenCV.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/support/adjuster.rs"]
mod adjuster;
#[path = "../../../../tests/common/mod.rs"]
mod common;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod blur;
mod chain;
mod clahe;
mod count;
mod equalize;
mod exact;
mod fast;
mod opencv;
mod otsu;
mod scan;
mod video;
