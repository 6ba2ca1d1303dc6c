//! The `histoscope` program.

fn main() {}
