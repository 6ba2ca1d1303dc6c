//! Files that appear either complete or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use histoscope_core::text::is_windows_device;
use histoscope_render::gpu::readback::Image;

/// The reason a file could not be written, or an earlier output could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path is a folder.
    #[error("{} is a folder; name a file in it", .0.display())]
    Folder(PathBuf),
    /// Windows takes the path for one of its devices.
    #[error("{} cannot be written: Windows takes this name for a device; choose another one", .0.display())]
    WindowsDevice(PathBuf),
    /// The path names the input itself.
    #[error("{} is the input; name another file with -o", .0.display())]
    Input(PathBuf),
    /// The folder to write into does not exist.
    #[error(
        "{} cannot be written: the folder {} does not exist; create it, or name another place with -o",
        .path.display(),
        .folder.display()
    )]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The system refused to write the file.
    #[error("{} cannot be written ({source}); check its folder's permissions and space, or name another place with -o", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An earlier output cannot be read.
    #[error("{} cannot be read ({source}); check its permissions, or create it again", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error, or a description of what is wrong with the file.
        source: io::Error,
    },
    /// The picture could not be encoded.
    #[error("{} cannot be written as PNG: {source}", .path.display())]
    Png {
        /// The file.
        path: PathBuf,
        /// The encoder's error.
        source: png::EncodingError,
    },
}

impl FileError {
    /// Returns a function that converts an error from reading `path`.
    pub(super) fn reading<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self {
        move |source| Self::Read { path: path.to_owned(), source: source.into() }
    }
}

/// Checks that `path` can be written later, so that no work is wasted.
///
/// # Errors
/// [`FileError`] if it is a folder, or its folder does not exist.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Err(FileError::Folder(path.to_owned()));
    }
    if cfg!(windows) && is_windows_device(path) {
        return Err(FileError::WindowsDevice(path.to_owned()));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(FileError::NoFolder { path: path.to_owned(), folder });
    }
    Ok(())
}

/// Checks that `path` can be written later without replacing the input.
///
/// # Errors
/// [`FileError`] if it cannot be written, or is the input.
pub fn check_output(path: &Path, input: &Path) -> Result<(), FileError> {
    if is_same_file(path, input) { Err(FileError::Input(path.to_owned())) } else { check_writable(path) }
}

/// Returns `true` if both paths lead to the same existing file.
pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b && a.is_file())
}

/// Encodes a picture as PNG and writes it with [`write_whole`].
///
/// # Errors
/// [`FileError`] if the file cannot be written. Nothing is left behind in that case.
pub fn write_png(path: &Path, image: &Image) -> Result<(), FileError> {
    let png = encode_png(image).map_err(|source| FileError::Png { path: path.to_owned(), source })?;
    write_whole(path, &png)
}

/// Writes bytes to a temporary file next to `path`, then renames it. A symbolic link stays in place and its target is
/// replaced; a device or pipe is written directly.
///
/// # Errors
/// [`FileError`] if the file cannot be written. Nothing is left behind in that case.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    check_writable(path)?;
    let given = path;
    let io = |source| FileError::Io { path: given.to_owned(), source };
    let path = &fs::canonicalize(given).unwrap_or_else(|_| given.to_owned());
    if fs::metadata(given).is_ok_and(|existing| !existing.is_file()) {
        // Renaming would replace /dev/null with a regular file.
        return fs::OpenOptions::new().write(true).open(given).and_then(|mut sink| sink.write_all(bytes)).map_err(io);
    }
    let mut file = NamedTempFile::new_in(folder_of(path)).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    set_usual_permissions(&file, path).map_err(io)?;
    file.persist(path).map_err(|e| io(e.error))?;
    Ok(())
}

/// Writes a complete file unless `path` already exists. Returns `true` if it was written.
///
/// # Errors
/// [`FileError`] if it cannot be written. Nothing is left behind in that case.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, FileError> {
    check_writable(path)?;
    let io = |source| FileError::Io { path: path.to_owned(), source };
    let mut file = NamedTempFile::new_in(folder_of(path)).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    set_usual_permissions(&file, path).map_err(io)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(io(error.error)),
    }
}

/// Encodes a PNG file.
///
/// # Errors
/// [`png::EncodingError`] if the picture cannot be encoded.
pub fn encode_png(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // The view is opaque, and picture viewers and scripts expect three samples per pixel.
    let rgb: Vec<u8> = image.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}

pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Gives a temporary file, which only its owner may read, the permissions of the file it replaces, or 0644.
#[cfg(unix)]
fn set_usual_permissions(file: &NamedTempFile, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_or(0o644, |existing| existing.permissions().mode());
    fs::set_permissions(file.path(), fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_usual_permissions(_: &NamedTempFile, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        Image { width: 2, height: 1, rgba: vec![1, 2, 3, 255, 4, 5, 6, 255] }
    }

    #[test]
    fn a_png_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("view.png");
        write_png(&path, &image()).unwrap();
        let decoder = png::Decoder::new(io::BufReader::new(fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        assert_eq!(rgb, [1, 2, 3, 4, 5, 6]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn unwritable_paths_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let as_folder = write_png(folder.path(), &image()).unwrap_err().to_string();
        assert!(as_folder.contains("is a folder"), "{as_folder}");
        let missing = write_png(&folder.path().join("no/view.png"), &image()).unwrap_err().to_string();
        assert!(missing.contains("does not exist"), "{missing}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }
}
