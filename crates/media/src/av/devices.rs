//! FFmpeg's device library: cameras, screens, generators. It is loaded when a device is named, rather than linked: it
//! depends on a dozen other libraries, and few systems without FFmpeg's programs have it.

use std::ffi::c_void;
use std::sync::OnceLock;

use ffmpeg_next::ffi;
use libloading::{Library, Symbol};

use super::static_text;

/// The names by which devices can be opened, each entry with its aliases, as in `video4linux2,v4l2`.
pub(crate) struct Devices {
    names: Vec<&'static str>,
}

impl Devices {
    /// Returns the devices of the library. The first call loads it, and it stays loaded until the program ends.
    ///
    /// # Errors
    /// Returns the library's name if it cannot be loaded.
    pub(crate) fn load() -> Result<&'static Self, &'static str> {
        static LOADED: OnceLock<Result<Devices, String>> = OnceLock::new();
        LOADED.get_or_init(|| Self::from(&library_name(major()))).as_ref().map_err(String::as_str)
    }

    fn from(name: &str) -> Result<Self, String> {
        let failed = |error: libloading::Error| {
            log::info!("{error}");
            name.to_owned()
        };
        // SAFETY: the library is FFmpeg's own, of the same release as the FFmpeg libraries in use, as its number shows.
        // Its initialisers do whatever those of its dependencies do, as in every FFmpeg program.
        let library = unsafe { Library::new(name) }.map_err(failed)?;
        type Register = unsafe extern "C" fn();
        type Next = unsafe extern "C" fn(*const c_void) -> *const ffi::AVInputFormat;
        let mut names = Vec::new();
        // SAFETY: both functions have had these signatures in all releases with this number, except for `const`. The
        // first takes nothing and may be called once; the second takes null or its previous result, and returns
        // constants of the library, which stays loaded.
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
        // FFmpeg now has pointers to its functions, so it must never be unloaded.
        std::mem::forget(library);
        Ok(Self { names })
    }

    /// Returns `true` if there are devices with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().flat_map(|names| names.split(',')).any(|known| known == name)
    }

    /// Returns all names as text for people to read.
    pub(crate) fn names(&self) -> String {
        let mut names: Vec<_> = self.names.iter().map(|names| names.rsplit(',').next().unwrap_or_default()).collect();
        names.sort_unstable();
        names.join(", ")
    }
}

/// Returns the major version of FFmpeg's format library, which its device library has shared since FFmpeg 5.
pub(crate) fn major() -> u32 {
    // SAFETY: the function takes nothing.
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
    fn a_missing_library_is_named() {
        let name = library_name(0);
        assert_eq!(Devices::from(&name).err(), Some(name));
    }

    #[test]
    fn devices_are_known_by_each_alias_and_file_formats_are_not_devices() {
        let devices = Devices { names: vec!["x11grab", "video4linux2,v4l2"] };
        assert!(["x11grab", "v4l2", "video4linux2"].iter().all(|name| devices.has(name)));
        assert!(["", "x11", "mov", "video4linux2,v4l2"].iter().all(|name| !devices.has(name)));
        assert_eq!(devices.names(), "v4l2, x11grab");
    }
}
