//! The adjustments: the GPU's, and the fast ones on the CPU, against their plain definitions, code by code, and against
//! OpenCV.

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
