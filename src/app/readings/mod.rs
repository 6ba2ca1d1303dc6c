//! What is read from the picture and the file, for the HUD and for the user to take along.

pub mod checker;
pub mod outgoing;
pub mod readouts;
pub mod scope_readings;
