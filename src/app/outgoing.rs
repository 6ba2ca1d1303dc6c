//! What leaves the window: the view as a picture with the frame's bins beside it, saved without a pause in playback, and copies of
//! the picture and of values.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use glam::DVec2;

use super::clipboard::Clipboard;
use super::event::Waker;
use super::geometry::{Geometry, Pixel};
use super::graphics::Graphics;
use super::hud::{Card, Note, ProbeText, Readout, StatsTable};
use super::session::Session;
use histoscope_batch::figures::{AdjustedFigures, BinFigures, Figures};
use histoscope_batch::file::{self, FileError};
use histoscope_batch::labels::{self, LabelSubject};
use histoscope_core::adjust::Reduction;
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::text::{public, time_text};
use histoscope_render::cpu;
use histoscope_render::gpu::FrameTag;
use histoscope_render::gpu::readback::Image;
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Counted, Scene};

/// How long to wait for thresholds that are under way.
const THRESHOLDS_LIMIT: Duration = Duration::from_millis(100);
/// The most numbers that are tried behind a name.
const MOST_NUMBERS: u32 = 100_000;

/// Everything that leaves the window: saved pictures with their bins, and copies on the clipboard.
pub struct Outgoing {
    waker: Waker,
    answers: Vec<Receiver<Result<PathBuf, FileError>>>,
    clipboard: Clipboard,
}

/// The names of the pictures that are shown with the video's: of the one whose bins are outlined, and of the one beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtherNames<'a> {
    /// The picture whose bins are outlined.
    pub outlined: Option<&'a str>,
    /// The picture beside the video's.
    pub beside: Option<&'a str>,
}

impl Outgoing {
    /// Nothing yet; `waker` is called whenever something has been saved.
    #[must_use]
    pub const fn new(waker: Waker, clipboard: Clipboard) -> Self {
        Self { waker, answers: Vec::new(), clipboard }
    }

    /// Begins to save what the window shows, without the controls, with labels or bare, and the bins of the frame.
    ///
    /// # Errors
    /// Why nothing is saved, in words.
    pub fn save(
        &mut self,
        session: &Session,
        graphics: &mut Graphics,
        (scene, components, region): (&Scene, Components, Option<Rect>),
        OtherNames { outlined: held, beside: other }: OtherNames<'_>,
        labelled: bool,
    ) -> Result<(), String> {
        let Some(frame) = &session.frame else { return Ok(()) };
        let scene = Scene { marks: None, ..*scene };
        let (read, size) = (session.read(frame), graphics.screen.size());
        let image = if labelled {
            let subject =
                LabelSubject { input: &session.name, frame: &read, components, region, scene: &scene, held, other };
            labels::snapshot(&mut graphics.renderer, &graphics.gpu, size, &subject)
        } else {
            graphics.renderer.snapshot(&graphics.gpu, size, &scene)
        };
        let image = image.map_err(|error| error.to_string())?;
        let histogram = graphics.renderer.count(&graphics.gpu).map_err(|error| error.to_string())?;
        let counter = (graphics.engine.name(), Some(graphics.gpu.info.name.as_str()));
        let bins = BinFigures { count: scene.look.histograms.clamped().bins, listed: true };
        let has_linear = components == Components::Rgbl && scene.look.histograms.linear_luminance;
        let linear = has_linear.then(|| graphics.renderer.count_linear(&graphics.gpu, &scene)).transpose();
        let linear = linear.map_err(|error| error.to_string())?;
        let figures =
            Figures::new(&public(&session.input).display().to_string(), (&read, region), &histogram, counter, bins)
                .with_linear(linear);
        let figures = of_adjusted(figures, graphics, &scene, (&read.picture, components, region))?;
        let json = serde_json::to_string(&figures).map_err(|error| error.to_string())?;
        let name = name(session, frame);
        let (sender, answer) = mpsc::channel();
        let waker = Arc::clone(&self.waker);
        let write = move || {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(write_pair(&folders(), &name, &image, &json));
            waker();
        };
        std::thread::Builder::new().name("histoscope-save".to_owned()).spawn(write).map_err(|e| e.to_string())?;
        self.answers.push(answer);
        Ok(())
    }

    /// Returns the notes on files that have been written since.
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
    /// Copies what the window shows, without the controls.
    pub fn copy_picture(&mut self, graphics: &mut Graphics, scene: &Scene) -> Note {
        let scene = Scene { marks: None, ..*scene };
        let size = graphics.screen.size();
        let image = graphics.renderer.snapshot(&graphics.gpu, size, &scene);
        let image = image.map_err(|error| format!("nothing was copied: {error}"));
        let copied = image.and_then(|image| self.clipboard.copy_image(image));
        copied_note(copied.map(|()| format!("the picture, {}×{}", size.0, size.1)))
    }

    /// Copies these values.
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

/// Values as text, whose columns are parted by tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// The text.
    pub text: String,
    /// Its name.
    pub name: String,
}

/// Returns the values of the bin or the pixel at a point of the view, or where there is neither, all numbers of the frame, whose
/// bins are given; `None` while there is no frame.
#[must_use]
pub fn values_at(
    geometry: &Geometry<'_>,
    session: &Session,
    (tag, sums): (&FrameTag, &Cumulative),
    at: Option<DVec2>,
) -> Option<Values> {
    let frame = session.read(session.frame.as_ref()?);
    let number = tag.index.map_or_else(String::new, |index| format!("\tframe {index}"));
    let heading = format!("{}{number}\t{}", session.name, time_text(tag.time_secs));
    let numbers = StatsTable::new(tag, sums, &geometry.scene.look.adjustments);
    let of_card = |card: Card, picture: Option<&str>| {
        let counted = picture.map_or_else(String::new, |picture| format!("\n{picture}"));
        Values { text: format!("{heading}{counted}\n{}", card.as_table()), name: card.title }
    };
    if let Some(hit) = at.and_then(|at| geometry.hit(at)) {
        return Some(of_card(
            Readout::of_bin(sums, hit.channels, (hit.bin, geometry.scene.look.histograms.binning(sums.bits))),
            Some(&numbers.picture),
        ));
    }
    let card = |frame: &Frame, (x, y)| {
        ProbeText::card(&probe(&frame.picture, x, y, geometry.components), &frame.picture, frame.orientation)
    };
    match at.and_then(|at| geometry.pixel_at(at)) {
        Some(Pixel::Live(place)) => return Some(of_card(card(&frame, place), None)),
        // It is named by its own file and time.
        Some(Pixel::Other(held, place)) => {
            let card = card(&held.frame, place);
            return Some(Values { text: format!("{}\n{}", held.title, card.as_table()), name: card.title });
        }
        None => {}
    }
    Some(Values { text: format!("{heading}\n{}", numbers.as_table()), name: "the frame's numbers".to_owned() })
}

/// The figures with the name of the picture that they are of, and what there is to tell of the other one.
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
    // The bins that were drawn filled are the result's; those beside them are counted here once more.
    let count = || cpu::Engine::new().count_region(source, region, components);
    let source = (counted == Counted::Both).then(count).transpose().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    let Graphics { renderer, gpu, .. } = graphics;
    // Thresholds that an adapter finds come a little later than its bins.
    while matches!(scene.look.adjustments.reduction, Some(Reduction::Otsu(_)))
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

/// Where to save: the working directory, or the user's folder for pictures where that one cannot be written.
fn folders() -> Vec<PathBuf> {
    let working = std::env::current_dir().ok();
    let pictures = directories::UserDirs::new().and_then(|folders| folders.picture_dir().map(Path::to_owned));
    working.into_iter().chain(pictures).collect()
}

/// The files' name without its ending: the video's and the frame's.
fn name(session: &Session, frame: &Frame) -> String {
    let stem =
        Path::new(&session.name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    // An address may hold anything; a file's name may not.
    let plain: String = stem.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect();
    let plain = plain.trim_matches(['-', ' ', '.']);
    let stem = if plain.is_empty() { "histoscope" } else { plain };
    match session.player.frame_index() {
        Some(index) => format!("{stem}-frame-{index}"),
        None => format!("{stem}-{:.3}s", frame.time_secs),
    }
}

/// Writes the picture and the bins into the first folder that takes them, under the first free number; where the picture
/// is then.
fn write_pair(folders: &[PathBuf], name: &str, image: &Image, json: &str) -> Result<PathBuf, FileError> {
    let mut first_error = None;
    for folder in folders {
        match write_pair_in(folder, name, image, json) {
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
    for number in 1..MOST_NUMBERS {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let [picture, bins] = ["png", "json"].map(|ending| folder.join(format!("{name}.{ending}")));
        if picture.exists() || bins.exists() || !file::write_new(&picture, &png)? {
            continue;
        }
        match file::write_new(&bins, format!("{json}\n").as_bytes()) {
            Ok(true) => return Ok(picture),
            // Somebody was quicker with the second name, or the disk is full: the two belong together.
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
        // A name of which one half is taken is passed over as a whole.
        std::fs::write(folder.path().join("clip-frame-3-4.json"), "mine").unwrap();
        assert_eq!(save().file_name().unwrap(), "clip-frame-3-5.png");
        assert_eq!(std::fs::read_to_string(folder.path().join("clip-frame-3-4.json")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 9, "a temporary file is left behind");
    }

    #[test]
    fn the_next_folder_is_taken_where_one_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [PathBuf::from("/no/such/folder"), folder.path().to_owned()];
        let path = write_pair(&folders, "a", &image(), "{}").unwrap();
        assert_eq!(path, folder.path().join("a.png"));
        let error = write_pair(&folders[..1], "a", &image(), "{}").unwrap_err().to_string();
        assert!(error.contains("/no/such/folder"), "{error}");
    }
}
