//! Everything that leaves the window: the view as a picture together with the frame's bins, saved without pausing
//! playback, and copies of the picture and of values.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use glam::DVec2;

use crate::app::input::event::Waker;
use crate::app::pointer::geometry::{Geometry, Pixel};
use crate::app::screen::clipboard::Clipboard;
use crate::app::screen::graphics::Graphics;
use crate::app::session::Session;
use histoscope_batch::figures::{AdjustedFigures, BinFigures, Figures};
use histoscope_batch::file::{self, FileError};
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::text::{public, time_text};
use histoscope_hud::{Card, Note, ProbeText, Readout, StatsTable};
use histoscope_render::cpu;
use histoscope_render::gpu::FrameTag;
use histoscope_render::gpu::readback::Image;
use histoscope_render::labels::{self, LabelSubject};
use histoscope_render::view::placement::Shape;
use histoscope_render::view::probe::probe;
use histoscope_render::view::probe_table::ProbeTable;
use histoscope_render::view::scene::{Counted, Scene};

/// How long to wait for pending thresholds.
const THRESHOLDS_LIMIT: Duration = Duration::from_millis(100);
/// Limit for the numbers tried as suffixes of a file name.
const MAX_NUMBERS: u32 = 100_000;

/// Saves pictures with their bins, and copies to the clipboard.
pub struct Outgoing {
    waker: Waker,
    answers: Vec<Receiver<Result<PathBuf, FileError>>>,
    clipboard: Clipboard,
}

/// The pictures shown with the video's: the one whose bins are outlined, and the one next to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtherPictures<'a> {
    /// Name of the picture whose bins are outlined.
    pub outlined: Option<&'a str>,
    /// Name of the picture next to the video's.
    pub beside: Option<&'a str>,
    /// The shape of that picture.
    pub shape: Option<Shape>,
}

impl Outgoing {
    /// Creates the state before anything is saved; `waker` is called whenever files have been saved.
    #[must_use]
    pub const fn new(waker: Waker, clipboard: Clipboard) -> Self {
        Self { waker, answers: Vec::new(), clipboard }
    }

    /// Starts saving the view, without the controls and with or without labels, together with the bins of the frame.
    ///
    /// # Errors
    /// A message that says why nothing is saved.
    pub fn save(
        &mut self,
        session: &Session,
        graphics: &mut Graphics,
        (scene, components, region): (&Scene, Components, Option<Rect>),
        OtherPictures { outlined: held, beside: other, shape: other_shape }: OtherPictures<'_>,
        labelled: bool,
    ) -> Result<(), String> {
        let Some(frame) = &session.frame else { return Ok(()) };
        let scene = Scene { marks: None, ..*scene };
        let size = graphics.screen.size();
        let (input, scene) = (session.name.as_str(), &scene);
        let subject = LabelSubject { input, frame, components, region, scene, held, other, other_shape };
        let drawn = if labelled { labels::snapshot } else { labels::snapshot_bare };
        let image = drawn(&mut graphics.renderer, &graphics.gpu, size, &subject);
        let image = image.map_err(|error| error.to_string())?;
        let figures = figures(session, graphics, (scene, components, region), true)?;
        let json = serde_json::to_string(&figures).map_err(|error| error.to_string())?;
        let name = name(session, frame);
        let (sender, answer) = mpsc::channel();
        let waker = Arc::clone(&self.waker);
        let write = move || {
            // The receiver is gone if the window has been closed.
            let _ = sender.send(write_pair(&folders(), &name, &image, &json));
            waker();
        };
        std::thread::Builder::new().name("histoscope-save".to_owned()).spawn(write).map_err(|e| e.to_string())?;
        self.answers.push(answer);
        Ok(())
    }

    /// Returns the notes on files that have been written since the last call.
    pub fn advance(&mut self) -> Vec<Note> {
        let mut notes = Vec::new();
        self.answers.retain(|answer| match answer.try_recv() {
            Ok(result) => {
                notes.push(note_of(result));
                false
            }
            Err(mpsc::TryRecvError::Empty) => true,
            Err(mpsc::TryRecvError::Disconnected) => false,
        });
        notes
    }
}

impl Outgoing {
    /// Copies the view without the controls. Returns the note to show.
    pub fn copy_picture(
        &mut self,
        session: &Session,
        graphics: &mut Graphics,
        (scene, components): (&Scene, Components),
        other_shape: Option<Shape>,
    ) -> Note {
        let scene = &Scene { marks: None, ..*scene };
        let size = graphics.screen.size();
        let Some(frame) = &session.frame else { return Note::warning("nothing was copied: there is no picture") };
        let input = session.name.as_str();
        let (region, held, other) = (None, None, None);
        let subject = LabelSubject { input, frame, components, region, scene, held, other, other_shape };
        let image = labels::snapshot_bare(&mut graphics.renderer, &graphics.gpu, size, &subject);
        let image = image.map_err(|error| format!("nothing was copied: {error}"));
        let copied = image.and_then(|image| self.clipboard.copy_image(image));
        copied_note(copied.map(|()| format!("the picture, {}×{}", size.0, size.1)))
    }

    /// Copies these values as text. Returns the note to show.
    pub fn copy_values(&mut self, Values { text, name }: Values) -> Note {
        copied_note(self.clipboard.copy_text(text).map(|()| name))
    }
}

fn copied_note(copied: Result<String, String>) -> Note {
    match copied {
        Ok(name) => Note::done(format!("copied {name}")),
        Err(reason) => Note::warning(reason),
    }
}

fn note_of(result: Result<PathBuf, FileError>) -> Note {
    match result {
        Ok(path) => {
            log::info!("saved {} and its bins", path.display());
            Note::info(format!("saved {} and its bins as .json", path.display()))
        }
        Err(error) => Note::warning(format!("nothing was saved: {error}")),
    }
}

/// Values as text, in columns separated by tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// The text.
    pub text: String,
    /// Name of the values, for the note.
    pub name: String,
}

/// Returns the values of the bin or the pixel at a point of the view or, if there is neither, all numbers of the frame.
/// The rows of the probes follow. `sums` are the frame's bins. Returns `None` while there is no frame.
#[must_use]
pub fn values_at(
    geometry: &Geometry<'_>,
    session: &Session,
    (tag, sums): (&FrameTag, &Cumulative),
    at: Option<DVec2>,
) -> Option<Values> {
    let frame = session.frame.as_ref()?;
    let number = tag.index.map_or_else(String::new, |index| format!("\tframe {index}"));
    let heading = format!("{}{number}\t{}", session.name, time_text(tag.time_secs));
    let probes = ProbeTable::of(&geometry.scene.look.probes, frame, geometry.components);
    let probes = probes.map_or_else(String::new, |table| format!("\n{}", table.lines("\t").join("\n")));
    let numbers = StatsTable::new(tag, sums, &geometry.scene.look.adjustments);
    let of_card = |card: Card, picture: Option<&str>| {
        let counted = picture.map_or_else(String::new, |picture| format!("\n{picture}"));
        // The values of a pixel are those of the source.
        let name = format!("{}  ·  {}", card.title, picture.unwrap_or("source"));
        Values { text: format!("{heading}{counted}\n{}{probes}", card.as_table()), name }
    };
    if let Some(hit) = at.and_then(|at| geometry.hit(at)) {
        return Some(of_card(
            Readout::of_bin(sums, hit.channels, (hit.bin, geometry.scene.look.histograms.binning(sums.bits))),
            Some(&numbers.picture),
        ));
    }
    let card = |frame: &Frame, (x, y)| ProbeText::card(&probe(&frame.picture, x, y, geometry.components), frame);
    match at.and_then(|at| geometry.pixel_at(at)) {
        Some(Pixel::Live(place)) => return Some(of_card(card(frame, place), None)),
        // This pixel is listed under the file and time of its own frame.
        Some(Pixel::Other(held, place)) => {
            let card = card(&held.frame, place);
            return Some(Values { text: format!("{}\n{}", held.title, card.as_table()), name: card.title });
        }
        None => {}
    }
    let name = format!("the frame's numbers  ·  {}", numbers.picture);
    Some(Values { text: format!("{heading}\n{}{probes}", numbers.as_table()), name })
}

/// Returns the figures of the frame on screen, and all its bins if `listed`. The frame is counted again.
///
/// # Errors
/// A message that says why there are none.
pub fn figures(
    session: &Session,
    graphics: &mut Graphics,
    (scene, components, region): (&Scene, Components, Option<Rect>),
    listed: bool,
) -> Result<Figures, String> {
    let frame = session.frame.as_ref().ok_or("there is no picture yet")?;
    let histogram = graphics.renderer.count(&graphics.gpu).map_err(|error| error.to_string())?;
    let counter = (graphics.engine.name(), Some(graphics.gpu.info.name.as_str()));
    let bins = BinFigures { count: scene.look.histograms.clamped().bins, listed };
    let has_linear = components == Components::Rgbl && scene.look.histograms.linear_luminance;
    let linear = has_linear.then(|| graphics.renderer.count_linear(&graphics.gpu, scene)).transpose();
    let linear = linear.map_err(|error| error.to_string())?;
    let input = public(&session.input).display().to_string();
    let figures = Figures::new(&input, (frame, region), &histogram, counter, bins).with_linear(linear);
    of_adjusted(figures, graphics, scene, (&frame.picture, components, region))
}

/// Completes the figures of an adjusted picture: which picture was counted, the thresholds, and the source's bins if
/// both pictures are counted.
fn of_adjusted(
    figures: Figures,
    graphics: &mut Graphics,
    scene: &Scene,
    (source, components, region): (&Picture, Components, Option<Rect>),
) -> Result<Figures, String> {
    if scene.look.adjustments.is_off() {
        return Ok(figures);
    }
    let counted = scene.look.counted_in(components);
    // The bins drawn filled are the result's. The source's bins, drawn with them, are counted again here.
    let count = || cpu::Engine::new().count_region(source, region, components);
    let source = (counted == Counted::Both).then(count).transpose().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let Graphics { renderer, gpu, .. } = graphics;
    // An adapter's thresholds arrive slightly later than its bins.
    while scene.look.adjustments.have_thresholds()
        && renderer.is_histogram_pending()
        && begin.elapsed() < THRESHOLDS_LIMIT
    {
        renderer.poll_times(gpu);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(figures.of_adjusted(AdjustedFigures {
        adjustments: &scene.look.adjustments,
        is_result: counted != Counted::Source,
        thresholds: renderer.thresholds(),
        source: source.as_ref(),
    }))
}

/// Returns the folders to save to: the working directory, then the user's pictures folder in case the first is not
/// writable.
fn folders() -> Vec<PathBuf> {
    let working = std::env::current_dir().ok();
    let pictures = directories::UserDirs::new().and_then(|folders| folders.picture_dir().map(Path::to_owned));
    working.into_iter().chain(pictures).collect()
}

/// Returns the name of the files without extension, from the video's name and the frame.
fn name(session: &Session, frame: &Frame) -> String {
    let stem = plain_stem(&session.name);
    match session.player.frame_index() {
        Some(index) => format!("{stem}-frame-{index}"),
        None => format!("{stem}-{:.3}s", frame.time_secs),
    }
}

/// Returns a file name without extension for files about a video of this name.
#[must_use]
pub fn plain_stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    // An address may contain any character, but a file name may not.
    let plain: String = stem.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let plain = plain.trim_matches(['-', ' ', '.']);
    if plain.is_empty() { "histoscope" } else { plain }.to_owned()
}

/// Writes a text to the first writable folder, under the first free number. Returns its path.
///
/// # Errors
/// [`FileError`] if no folder can be written to.
pub fn save_text(name: &str, extension: &str, text: &str) -> Result<PathBuf, FileError> {
    in_first_folder(&folders(), |folder| {
        for number in 1..MAX_NUMBERS {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let path = folder.join(format!("{name}.{extension}"));
            if file::write_new(&path, text.as_bytes())? {
                return Ok(path);
            }
        }
        Err(FileError::Folder(folder.join(name)))
    })
}

/// Writes the picture and the bins to the first writable folder, under the first free number. Returns the path of the
/// picture.
fn write_pair(folders: &[PathBuf], name: &str, image: &Image, json: &str) -> Result<PathBuf, FileError> {
    in_first_folder(folders, |folder| write_pair_in(folder, name, image, json))
}

/// Writes to the first folder in which `write` succeeds. Returns its result, or the first error.
fn in_first_folder(
    folders: &[PathBuf],
    write: impl Fn(&Path) -> Result<PathBuf, FileError>,
) -> Result<PathBuf, FileError> {
    let mut first_error = None;
    for folder in folders {
        match write(folder) {
            Ok(path) => return Ok(path),
            Err(error) => {
                log::warn!("{error}");
                first_error.get_or_insert(error);
            }
        }
    }
    Err(first_error.unwrap_or_else(|| FileError::Folder(PathBuf::from("."))))
}

fn write_pair_in(folder: &Path, name: &str, image: &Image, json: &str) -> Result<PathBuf, FileError> {
    let encoded = file::encode_png(image);
    let png = encoded.map_err(|source| FileError::Png { path: folder.join(name), source })?;
    for number in 1..MAX_NUMBERS {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let [picture, bins] = ["png", "json"].map(|ending| folder.join(format!("{name}.{ending}")));
        if picture.exists() || bins.exists() || !file::write_new(&picture, &png)? {
            continue;
        }
        match file::write_new(&bins, format!("{json}\n").as_bytes()) {
            Ok(true) => return Ok(picture),
            // The second name was taken in the meantime, or the disk is full. Neither file is kept without the other.
            Ok(false) => drop(std::fs::remove_file(&picture)),
            Err(error) => {
                drop(std::fs::remove_file(&picture));
                return Err(error);
            }
        }
    }
    Err(FileError::Folder(folder.join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        Image { width: 1, height: 1, rgba: vec![9, 8, 7, 255] }
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_owned()];
        let save = || write_pair(&folders, "clip-frame-3", &image(), "{}").unwrap();
        let names: Vec<_> = (0..3).map(|_| save().file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["clip-frame-3.png", "clip-frame-3-2.png", "clip-frame-3-3.png"]);
        // A number is skipped if either of its two names is taken.
        std::fs::write(folder.path().join("clip-frame-3-4.json"), "mine").unwrap();
        assert_eq!(save().file_name().unwrap(), "clip-frame-3-5.png");
        assert_eq!(std::fs::read_to_string(folder.path().join("clip-frame-3-4.json")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 9, "a temporary file is left behind");
    }

    #[test]
    fn the_next_folder_is_used_if_one_is_not_writable() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [PathBuf::from("/no/such/folder"), folder.path().to_owned()];
        let path = write_pair(&folders, "a", &image(), "{}").unwrap();
        assert_eq!(path, folder.path().join("a.png"));
        let error = write_pair(&folders[..1], "a", &image(), "{}").unwrap_err().to_string();
        assert!(error.contains("/no/such/folder"), "{error}");
    }
}
