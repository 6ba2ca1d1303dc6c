//! Both engines: their counts against the scalar reference, against each other, and against independent software.

mod alike;
mod cpu;
mod linear_luminance;
mod property;
mod scopes;
mod zimg;
