//! The times and numbers of frames. `index` lists a file's packets.

pub(crate) mod index;
pub(crate) mod numbering;
pub(crate) mod timecodes;
pub(crate) mod timeline;
