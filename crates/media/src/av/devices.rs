//! FFmpeg's library of devices: cameras, screens, generators. It is loaded when a device is named, and not linked: it brings a dozen other
//! libraries with it, and hardly anybody has it besides those who have FFmpeg's programs.

use std::ffi::c_void;
use std::sync::OnceLock;

use ffmpeg_next::ffi;
use libloading::{Library, Symbol};

use super::static_text;

/// The names that devices can be opened as, each with the others it has, as in `video4linux2,v4l2`.
pub(crate) struct Devices {
    names: Vec<&'static str>,
}

impl Devices {
    /// Those of the library, which is loaded when this is called first and stays until the program ends.
    ///
    /// # Errors
    /// The library's name, where it cannot be loaded.
    pub(crate) fn load() -> Result<&'static Self, &'static str> {
        static LOADED: OnceLock<Result<Devices, String>> = OnceLock::new();
        LOADED.get_or_init(|| Self::from(&library_name(major()))).as_ref().map_err(String::as_str)
    }

    fn from(name: &str) -> Result<Self, String> {
        let failed = |error: libloading::Error| {
            log::info!("{error}");
            name.to_owned()
        };
        // SAFETY: the library is FFmpeg's own, of the release whose other libraries are in use: its number tells. What its
        // initialisers do is up to the libraries that it is linked with, as with every program of FFmpeg's.
        let library = unsafe { Library::new(name) }.map_err(failed)?;
        type Register = unsafe extern "C" fn();
        type Next = unsafe extern "C" fn(*const c_void) -> *const ffi::AVInputFormat;
        let mut names = Vec::new();
        // SAFETY: both functions have had these signatures in all releases that have that number, but for `const`. The first takes
        // nothing and may be called once; the second takes null or what it gave before, and gives constants of the library, which stays.
        unsafe {
            let register: Symbol<'_, Register> = library.get(b"avdevice_register_all\0").map_err(failed)?;
            let next: Symbol<'_, Next> = library.get(b"av_input_video_device_next\0").map_err(failed)?;
            register();
            let mut device = next(std::ptr::null());
            while let Some(format) = device.as_ref() {
                names.extend(static_text(format.name));
                device = next(device.cast());
            }
        }
        // FFmpeg knows its functions from now on.
        std::mem::forget(library);
        Ok(Self { names })
    }

    /// Returns whether there are devices of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().flat_map(|names| names.split(',')).any(|known| known == name)
    }

    /// All names, for people.
    pub(crate) fn names(&self) -> String {
        let mut names: Vec<_> = self.names.iter().map(|names| names.rsplit(',').next().unwrap_or_default()).collect();
        names.sort_unstable();
        names.join(", ")
    }
}

/// The number of FFmpeg's release, which its libraries of formats and of devices have had in common since FFmpeg 5.
pub(crate) fn major() -> u32 {
    // SAFETY: it takes nothing.
    unsafe { ffi::avformat_version() >> 16 }
}

fn library_name(major: u32) -> String {
    if cfg!(windows) {
        format!("avdevice-{major}.dll")
    } else if cfg!(target_os = "macos") {
        format!("libavdevice.{major}.dylib")
    } else {
        format!("libavdevice.so.{major}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let name = library_name(0);
        assert_eq!(Devices::from(&name).err(), Some(name));
    }

    #[test]
    fn devices_are_known_by_each_of_their_names_and_files_are_none() {
        let devices = Devices { names: vec!["x11grab", "video4linux2,v4l2"] };
        assert!(["x11grab", "v4l2", "video4linux2"].iter().all(|name| devices.has(name)));
        assert!(["", "x11", "mov", "video4linux2,v4l2"].iter().all(|name| !devices.has(name)));
        assert_eq!(devices.names(), "v4l2, x11grab");
    }
}
