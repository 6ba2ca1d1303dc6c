//! Finished strips in the platform's cache folder, one file each, identified by the video's fingerprint.
//!
//! A file is a single gzip stream: a line of JSON that identifies the strip, then, for each column, the number of its
//! frames and, if there are any, its counts and their figures, as little-endian 64-bit numbers. Gzip's checksum covers
//! all of it, and the line must be the expected one; otherwise the strip is counted again.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use histoscope_batch::analyze::summary::{SourceIdentity, hash};
use histoscope_core::strip::{CELLS, COLUMNS, Cells, Cut, FigureSpan, Figures, Finding, Strip, StripColumn};
use histoscope_core::text::shown;
use histoscope_media::{OpenOptions, ffmpeg_version};

/// Incremented whenever the counts or their format change.
const VERSION: u32 = 6;
/// Maximum total size of all files in bytes.
const MAX_BYTES: u64 = 200 << 20;
/// File extension.
const ENDING: &str = "strip";
/// Prefix of the names of files that are still being written.
const UNFINISHED: &str = ".unfinished-";
/// Age from which an unfinished file counts as abandoned by a process that was terminated.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);
/// Maximum length of the first line: 10 000 cuts of less than 100 bytes each, and as many findings of less than 200
/// bytes for each of five kinds.
const LONGEST_LINE: u64 = 12 << 20;

/// The key of a strip: a file, by its size, modification time and a hash of its ends, and the options for reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripKey {
    version: u32,
    program: String,
    file: SourceIdentity,
    changed_nanos: u64,
    matrix: Option<String>,
    range: Option<String>,
    luminance_weights: String,
    /// The transfer function, if it was chosen.
    transfer: Option<String>,
    chroma_lines: Option<String>,
    field: Option<String>,
    cropping: String,
    track: Option<u32>,
    layer: Option<String>,
}

impl StripKey {
    /// Returns the key of a regular file read with these options, or `None` for anything else or if the file cannot be
    /// read.
    #[must_use]
    pub fn of(path: &Path, open: &OpenOptions) -> Option<Self> {
        if open.sequence {
            // The named file is only one of many.
            return None;
        }
        let changed = fs::metadata(path).ok()?.modified().ok()?;
        let since = changed.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Some(Self {
            version: VERSION,
            program: format!("{} with FFmpeg {}", env!("CARGO_PKG_VERSION"), ffmpeg_version()),
            file: SourceIdentity::of(path)?,
            changed_nanos: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            matrix: open.matrix.map(|matrix| matrix.to_string()),
            range: open.range.map(|range| range.to_string()),
            luminance_weights: open.luminance_weights.name().to_owned(),
            transfer: open.transfer.map(|transfer| transfer.name().to_owned()),
            chroma_lines: open.chroma_lines.map(|lines| lines.to_string()),
            field: open.field.map(|field| field.to_string()),
            cropping: open.cropping.name().to_owned(),
            track: open.track,
            layer: open.layer.clone(),
        })
    }

    fn file_name(&self) -> String {
        format!("{:016x}.{ENDING}", hash(format!("{self:?}").as_bytes()))
    }
}

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    key: StripKey,
    /// The duration as its bits, so that it round-trips exactly.
    span_bits: u64,
    cuts: Vec<Cut>,
    findings: Vec<Finding>,
}

/// A folder of finished strips.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

impl Cache {
    /// Returns the platform's cache folder, or `None` if there is none.
    #[must_use]
    pub fn of_platform() -> Option<Self> {
        let folders = directories::ProjectDirs::from("", "", "histoscope");
        if folders.is_none() {
            log::warn!("this system has no cache folder; strips are not saved");
        }
        folders.map(|folders| Self::in_folder(&folders.cache_dir().join("strips")))
    }

    /// Creates a cache in a folder, which need not exist yet.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), most_bytes: MAX_BYTES }
    }

    /// Returns the strip of a file, if a complete one for exactly this file is stored. Logs a warning if the stored one
    /// is damaged or belongs to another file.
    #[must_use]
    pub fn read(&self, key: &StripKey) -> Option<Strip> {
        let path = self.folder.join(key.file_name());
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                log::warn!("{} cannot be read ({error}); the strip is counted again", shown(&path));
                return None;
            }
        };
        match parse(&file, key) {
            Ok(strip) => {
                // The least recently used files are removed first. If the use cannot be recorded, this one is merely
                // removed sooner.
                let noted = File::options().append(true).open(&path);
                let noted = noted.and_then(|file| file.set_modified(SystemTime::now()));
                noted.unwrap_or_else(|error| log::debug!("{}: its use cannot be recorded: {error}", shown(&path)));
                Some(strip)
            }
            Err(error) => {
                log::warn!("{} is not a strip of this file ({error}); the strip is counted again", shown(&path));
                None
            }
        }
    }

    /// Stores a complete strip, and removes the least recently used ones if the total size becomes too large.
    ///
    /// # Errors
    /// [`io::Error`] if it cannot be written.
    pub fn write(&self, key: &StripKey, strip: &Strip) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        let mut packed = GzEncoder::new(io::BufWriter::new(file), Compression::fast());
        let (cuts, findings) = (strip.cuts().to_vec(), strip.findings().to_vec());
        let head = Head { key: key.clone(), span_bits: strip.span_secs().to_bits(), cuts, findings };
        serde_json::to_writer(&mut packed, &head).map_err(io::Error::other)?;
        packed.write_all(b"\n")?;
        for cells in strip.columns().iter().map(StripColumn::cells) {
            let figures = cells.figures.0.iter().filter(|_| cells.frames() > 0).flat_map(words_of);
            for number in [cells.frames()].into_iter().chain(cells.counts().iter().copied()).chain(figures) {
                packed.write_all(&number.to_le_bytes())?;
            }
        }
        let file = packed.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(self.folder.join(key.file_name())).map_err(|error| error.error)?;
        self.trim();
        Ok(())
    }

    /// Removes the least recently used files until the remaining ones are small enough in total. Another window may do
    /// the same concurrently; if a file cannot be removed, it stays and others are removed instead.
    fn trim(&self) {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Some((used, size)) = entry.metadata().and_then(|data| Ok((data.modified()?, data.len()))).ok() else {
                continue;
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            // Keep a file that is still being written, and files of other programs; remove an abandoned one.
            let is_left = || used.elapsed().is_ok_and(|age| age > LONGEST_WRITING);
            if name.ends_with(&format!(".{ENDING}")) || name.starts_with(UNFINISHED) && is_left() {
                files.push((used, size, entry.path()));
            }
        }
        files.sort();
        let mut bytes = files.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
        for (_, size, path) in files {
            if bytes <= self.most_bytes {
                break;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    log::debug!("{} cannot be removed: {error}", shown(&path));
                }
                _ => {
                    log::debug!("{} removed: cached strips take {bytes} bytes", shown(&path));
                    bytes -= size;
                }
            }
        }
    }
}

/// Returns a figure as it is stored.
fn words_of(span: &FigureSpan) -> [u64; 4] {
    [span.frames, span.sum.to_bits(), span.low.to_bits(), span.high.to_bits()]
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn parse(file: &File, key: &StripKey) -> io::Result<Strip> {
    let mut unpacked = BufReader::new(GzDecoder::new(BufReader::new(file)));
    let mut line = Vec::new();
    unpacked.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    let head: Head = serde_json::from_slice(&line)?;
    if head.key != *key {
        return Err(wrong("it belongs to another file"));
    }
    let mut number = || {
        let mut bytes = [0; 8];
        unpacked.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let mut columns = Vec::with_capacity(COLUMNS);
    for _ in 0..COLUMNS {
        let frames = number()?;
        let counts = if frames > 0 { (0..CELLS).map(|_| number()).collect::<io::Result<_>>()? } else { Vec::new() };
        let mut figures = Figures::default();
        for span in figures.0.iter_mut().filter(|_| frames > 0) {
            span.frames = number()?;
            for value in [&mut span.sum, &mut span.low, &mut span.high] {
                *value = f64::from_bits(number()?);
            }
        }
        columns.push(Cells::new(frames, counts, figures).ok_or_else(|| wrong("a column has a wrong number of cells"))?);
    }
    // The checksum is verified at the end of the stream.
    if unpacked.read(&mut [0])? > 0 {
        return Err(wrong("it is longer than a strip"));
    }
    Strip::of(f64::from_bits(head.span_bits), columns, head.cuts, head.findings)
        .ok_or_else(|| wrong("its length is invalid"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};
    use histoscope_core::picture::TimecodeRate;
    use histoscope_core::picture::color::Range;
    use histoscope_core::picture::luminance::{LuminanceWeights, WeightsChoice};
    use histoscope_core::picture::transfer::Transfer;
    use histoscope_core::strip::{ExaminedFrame, FindingKind, FrameFigures, Sweep};

    fn strip(seed: u32) -> Strip {
        let mut strip = Strip::new(12.345).unwrap();
        let rate = TimecodeRate::of(30_000, 1001).unwrap();
        let mut sweep = Sweep::new(strip.span_secs());
        for number in 0..40_u32 {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            for channel in 0..4 {
                for (bin, code) in histogram.bins_mut(channel).iter_mut().zip(0_u32..) {
                    *bin = (number * 31 + code * seed) % 1009;
                }
                histogram.bins_mut(channel)[if number < 20 { 10 } else { 240 }] += 9_000_000;
                // The worst frame at each end of the scale.
                for (worst, code) in [(25, 0), (27, 255)] {
                    histogram.bins_mut(channel)[code] += if number == worst { 20_000 } else { 0 };
                }
            }
            let (time_secs, difference) = (f64::from(number) * 0.3, (number > 30).then_some(0.0));
            let (end_secs, range) = (time_secs + 0.3, Range::Limited);
            // It stands still from frame 30 on, so each following frame is a break.
            let label = rate.timecode(number.min(30).into(), true);
            let timecode = Some((label, rate));
            let seen = ExaminedFrame { time_secs, end_secs, histogram: &histogram, range, difference, timecode };
            if let Some(progress) = sweep.add(&seen, &FrameFigures::new(&histogram, difference, None, None)) {
                strip.advance(progress);
            }
        }
        strip.advance(sweep.finish());
        assert_eq!(strip.cuts().len(), 1);
        let is_break = |finding: &&Finding| matches!(finding.kind, FindingKind::Timecode(_));
        assert_eq!(strip.findings().iter().filter(is_break).count(), 9);
        assert!(strip.findings().len() > 11, "{:?}", strip.findings());
        strip
    }

    /// Creates a video file, of which only the bytes matter here, and a cache folder that does not exist yet.
    fn home() -> (tempfile::TempDir, PathBuf, Cache) {
        let home = tempfile::tempdir().unwrap();
        let video = home.path().join("a.mp4");
        fs::write(&video, "a video").unwrap();
        let cache = Cache::in_folder(&home.path().join("not/there"));
        (home, video, cache)
    }

    fn key(video: &Path) -> StripKey {
        StripKey::of(video, &OpenOptions::default()).unwrap()
    }

    fn same(a: &Strip, b: &Strip) -> bool {
        a.columns() == b.columns()
            && a.cuts() == b.cuts()
            && a.findings() == b.findings()
            && a.span_secs().to_bits() == b.span_secs().to_bits()
    }

    #[test]
    fn a_strip_round_trips_through_the_cache() {
        let (_home, video, cache) = home();
        assert!(cache.read(&key(&video)).is_none());
        let strip = strip(7);
        cache.write(&key(&video), &strip).unwrap();
        let back = cache.read(&key(&video)).unwrap();
        assert!(same(&back, &strip) && back.is_complete());
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 1, "a temporary file is left behind");
    }

    #[test]
    fn a_changed_file_or_different_options_do_not_share_a_strip() {
        let (_home, video, cache) = home();
        let before = key(&video);
        cache.write(&before, &strip(7)).unwrap();
        let range = Some(Range::Full);
        let other = StripKey::of(&video, &OpenOptions { range, ..OpenOptions::default() }).unwrap();
        assert!(cache.read(&other).is_none());
        let weighed = |luminance_weights, transfer| {
            StripKey::of(&video, &OpenOptions { luminance_weights, transfer, ..OpenOptions::default() }).unwrap()
        };
        let bt2020 = WeightsChoice::Always(LuminanceWeights::Bt2020);
        assert!(cache.read(&weighed(bt2020, None)).is_none());
        // Light depends on the transfer function, and so do weights of the primaries.
        let pq = Some(Transfer::Pq);
        assert_ne!(weighed(WeightsChoice::default(), pq), before, "the light depends on it");
        assert_ne!(weighed(WeightsChoice::OfPrimaries, pq), weighed(WeightsChoice::OfPrimaries, None));
        // Same size and name.
        fs::write(&video, "b video").unwrap();
        assert!(cache.read(&key(&video)).is_none());
        // Same bytes at both ends, different time.
        fs::write(&video, "a video").unwrap();
        let file = File::options().append(true).open(&video).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(5)).unwrap();
        assert!(cache.read(&key(&video)).is_none());
        // The strip of one file under the name of another.
        fs::rename(cache.folder.join(before.file_name()), cache.folder.join(key(&video).file_name())).unwrap();
        assert!(cache.read(&key(&video)).is_none());
        assert!(StripKey::of(Path::new("-"), &OpenOptions::default()).is_none());
        assert!(StripKey::of(video.parent().unwrap(), &OpenOptions::default()).is_none());
    }

    #[test]
    fn damaged_files_are_rejected() {
        let (_home, video, cache) = home();
        let key = key(&video);
        cache.write(&key, &strip(7)).unwrap();
        let path = cache.folder.join(key.file_name());
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 97) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, &damaged).unwrap();
            // A bit in gzip's own header, such as the time, may change harmlessly.
            assert!(cache.read(&key).is_none_or(|back| same(&back, &strip(7))), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(cache.read(&key).is_none(), "cut off at {at}");
        }
        fs::write(&path, "something else").unwrap();
        assert!(cache.read(&key).is_none());
        cache.write(&key, &strip(7)).unwrap();
        assert!(cache.read(&key).is_some(), "it is written anew");
    }

    #[test]
    fn the_least_recently_used_are_removed_first() {
        let (home, video, mut cache) = home();
        let keys = [1, 2, 3].map(|number: u64| StripKey { changed_nanos: number, ..key(&video) });
        cache.write(&keys[0], &strip(1)).unwrap();
        let size = fs::metadata(cache.folder.join(keys[0].file_name())).unwrap().len();
        cache.most_bytes = size * 5 / 2;
        cache.write(&keys[1], &strip(1)).unwrap();
        for (key, age) in [(&keys[0], 100), (&keys[1], 50)] {
            let file = File::options().append(true).open(cache.folder.join(key.file_name())).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        let foreign = cache.folder.join("of somebody else");
        fs::write(&foreign, vec![0; 1 << 20]).unwrap();
        assert!(cache.read(&keys[0]).is_some(), "used now, it is the newest");
        cache.write(&keys[2], &strip(1)).unwrap();
        assert_eq!(keys.each_ref().map(|key| cache.read(key).is_some()), [true, false, true]);
        assert!(foreign.exists());
        // An unfinished file that another program may be writing is kept; an abandoned one is removed like the others.
        let unfinished = |name: &str, age: Duration| {
            let path = cache.folder.join(format!("{UNFINISHED}{name}"));
            fs::write(&path, vec![0; 1 << 20]).unwrap();
            File::options().append(true).open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let (now, left) =
            (unfinished("now", Duration::from_secs(60)), unfinished("left", LONGEST_WRITING + Duration::from_secs(60)));
        cache.trim();
        assert_eq!((now.exists(), left.exists()), (true, false));
        drop(home);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_written_is_only_an_error() {
        let (home, video, _) = home();
        // A file stands where the folder should be.
        let cache = Cache::in_folder(&home.path().join("a.mp4"));
        assert!(cache.write(&key(&video), &strip(7)).is_err());
        assert!(cache.read(&key(&video)).is_none());
        assert_eq!(fs::read_to_string(&video).unwrap(), "a video");
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config {
            failure_persistence: None,
            ..proptest::test_runner::Config::with_cases(24)
        })]

        /// Damage that gzip's checksum does not detect, as if done on purpose.
        #[test]
        fn well_packed_nonsense_is_rejected_or_a_complete_strip(
            changes in proptest::collection::vec((0..4000_usize, proptest::prelude::any::<u8>()), 1..6),
            cut in 0..3_usize,
        ) {
            let (_home, video, cache) = home();
            let key = key(&video);
            cache.write(&key, &strip(7)).unwrap();
            let path = cache.folder.join(key.file_name());
            let mut bytes = Vec::new();
            GzDecoder::new(File::open(&path).unwrap()).read_to_end(&mut bytes).unwrap();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            bytes.truncate(bytes.len() - cut);
            let mut packed = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
            packed.write_all(&bytes).unwrap();
            packed.finish().unwrap();
            if let Some(strip) = cache.read(&key) {
                proptest::prop_assert!(strip.columns().len() == COLUMNS && strip.span_secs() > 0.0);
            }
        }
    }
}
