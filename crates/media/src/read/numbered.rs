//! Numbered pictures: which files in a folder form a sequence, where it starts, and which number is missing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

use histoscope_core::picture::Ratio;
use histoscope_core::text::sanitized;

/// File extensions that FFmpeg accepts for numbered pictures.
const ENDINGS: &[&str] = &[
    "bmp", "dds", "dpx", "exr", "hdr", "j2c", "j2k", "jp2", "jpeg", "jpg", "jxl", "pam", "pbm", "pcx", "pfm", "pgm",
    "phm", "png", "pnm", "ppm", "qoi", "ras", "sgi", "sun", "tga", "tif", "tiff", "webp", "xbm", "xwd",
];
/// Extensions of picture formats used for films.
const FILM_ENDINGS: [&str; 2] = ["dpx", "exr"];
/// Assumed frame rates in frames per second: of film formats, and of others.
const RATES: (Ratio, Ratio) = (Ratio { num: 24, den: 1 }, Ratio { num: 25, den: 1 });
/// Maximum number of digits that FFmpeg counts with; digits before them are part of the name.
const MAX_DIGITS: usize = 9;
/// Time for which a file must be unchanged before it is considered complete.
const SETTLED: Duration = Duration::from_secs(1);

/// A path that contains a number, in FFmpeg's notation: `shots/a.%04d.exr`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NumberPattern {
    before: String,
    /// Minimum number of digits; shorter numbers are padded with zeros.
    digits: usize,
    after: String,
}

impl NumberPattern {
    /// Parses a pattern with a single `%d`, `%4d` or `%04d`, and with `%%` for a percent sign.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut found = Self { before: String::new(), digits: 0, after: String::new() };
        let mut has_number = false;
        let mut rest = text;
        while let Some((plain, behind)) = rest.split_once('%') {
            let side = if has_number { &mut found.after } else { &mut found.before };
            side.push_str(plain);
            if let Some(behind) = behind.strip_prefix('%') {
                side.push('%');
                rest = behind;
                continue;
            }
            let (width, behind) =
                behind.split_once('d').filter(|(width, _)| width.bytes().all(|b| b.is_ascii_digit()))?;
            if has_number {
                return None;
            }
            has_number = true;
            found.digits =
                if width.is_empty() { 1 } else { width.parse().ok().filter(|width| *width <= MAX_DIGITS)? };
            rest = behind;
        }
        if has_number { &mut found.after } else { &mut found.before }.push_str(rest);
        has_number.then_some(found)
    }

    /// Returns the path that has that number.
    fn path(&self, number: u32) -> PathBuf {
        format!("{}{number:0digits$}{}", self.before, self.after, digits = self.digits).into()
    }

    /// Returns the number between the two parts, if it is written as this pattern requires.
    fn number_in(&self, text: &str, (before, after): (&str, &str)) -> Option<u32> {
        let digits = text.strip_prefix(before)?.strip_suffix(after)?;
        let is_plain = digits.bytes().all(|b| b.is_ascii_digit()) && digits.len() >= self.digits;
        let number: u32 = digits.parse().ok().filter(|number| is_plain && i32::try_from(*number).is_ok())?;
        (digits == format!("{number:0width$}", width = self.digits)).then_some(number)
    }

    /// Returns the numbers of all existing files, in ascending order.
    fn numbers(&self) -> io::Result<Vec<u32>> {
        // The number may be in the name of a folder.
        let name = self.before.rsplit(is_separator).next().unwrap_or_default();
        let folder = &self.before[..self.before.len() - name.len()];
        let folder = Path::new(if folder.is_empty() { "." } else { folder });
        let (rest, is_in_folder) =
            self.after.split_once(is_separator).map_or((&*self.after, false), |(rest, _)| (rest, true));
        let mut numbers = Vec::new();
        for entry in fs::read_dir(folder)? {
            let found = entry?.file_name();
            let number = found.to_str().and_then(|found| self.number_in(found, (name, rest)));
            numbers.extend(number.filter(|number| !is_in_folder || self.path(*number).exists()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the pattern in FFmpeg's notation.
    pub(crate) fn text(&self) -> String {
        let escaped = |text: &str| text.replace('%', "%%");
        format!("{}%0{}d{}", escaped(&self.before), self.digits, escaped(&self.after))
    }

    /// Returns the pattern of the sequence that a numbered picture belongs to; `None` if its name has no number or no
    /// picture's extension.
    pub(crate) fn around(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let folder = path.to_str()?.strip_suffix(name)?;
        let patterns = Self::all_of(folder, name).into_iter().filter(Self::is_of_stills);
        largest(patterns.filter_map(|pattern| Some((pattern.numbers().ok()?.len(), pattern))))
            .map(|(_, pattern)| pattern)
    }

    /// Returns `true` if its files are stills, according to their extension.
    fn is_of_stills(&self) -> bool {
        ending(&self.after).is_some_and(|ending| ENDINGS.contains(&&*ending))
    }

    /// Returns the patterns that a file name may belong to: each run of digits in it may be the number.
    fn all_of(folder: &str, name: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let stem = name.rfind('.').unwrap_or(name.len());
        let mut end = stem;
        while let Some(last) = name[..end].rfind(|c: char| c.is_ascii_digit()) {
            let begin = name[..last]
                .rfind(|c: char| !c.is_ascii_digit())
                .map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
            let begin_of_number = begin.max((last + 1).saturating_sub(MAX_DIGITS));
            let digits = last + 1 - begin_of_number;
            let is_filled = name[begin_of_number..].starts_with('0') && digits > 1;
            let of_digits = |digits| Self {
                before: format!("{folder}{}", &name[..begin_of_number]),
                digits,
                after: name[last + 1..].to_owned(),
            };
            found.push(of_digits(digits));
            if !is_filled && digits > 1 && begin_of_number == begin {
                found.push(of_digits(1));
            }
            end = begin;
        }
        found
    }
}

/// Returns the pattern with the most files; if several have as many, the one whose number is last in the name.
fn largest(sized: impl Iterator<Item = (usize, NumberPattern)>) -> Option<(usize, NumberPattern)> {
    sized.reduce(|best, other| if other.0 > best.0 { other } else { best })
}

fn ending(name: &str) -> Option<String> {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

/// The files of a pattern, from the first number to the last, or to the first gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sequence {
    pattern: NumberPattern,
    first: u32,
    /// The number at which reading starts.
    begin: u32,
    /// Number of pictures from the first up to the gap or the end.
    count: u32,
    /// Number of pictures after the gap.
    after_gap: usize,
}

impl Sequence {
    /// Returns the pictures of a pattern; `None` if there are none.
    pub(crate) fn of(pattern: NumberPattern) -> Option<Self> {
        let numbers = pattern.numbers().ok()?;
        let first = *numbers.first()?;
        let count = numbers.iter().zip(first..).take_while(|(found, expected)| *found == expected).count();
        let after_gap = numbers.len() - count;
        Some(Self { pattern, first, begin: first, count: u32::try_from(count).ok()?, after_gap })
    }

    /// Returns the sequence without its last picture if that is still being written.
    pub(crate) fn settled(self) -> Self {
        let last = self.pattern.path(self.first.saturating_add(self.count.saturating_sub(1)));
        let count = if is_settled(&last) { self.count } else { (self.count - 1).max(1) };
        Self { count, ..self }
    }

    /// Returns the sequence extended by the pictures added after its last one, where reading continues; `None` if there
    /// are none yet.
    pub(crate) fn grown(&self) -> Option<Self> {
        let begin = self.next();
        if !is_settled(&self.pattern.path(begin)) {
            return None;
        }
        let more = (begin..).take_while(|number| is_settled(&self.pattern.path(*number))).count();
        let count = self.count.saturating_add(u32::try_from(more).ok()?);
        Some(Self { begin, count, after_gap: 0, ..self.clone() })
    }

    /// Returns the sequences in a folder that have at least two pictures, ordered by name.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub(crate) fn in_folder(folder: &Path) -> io::Result<Vec<NumberPattern>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            let is_shown = |name: &&str| !name.starts_with('.') && ending(name).is_some_and(|e| ENDINGS.contains(&&*e));
            names.extend(name.to_str().filter(is_shown).map(str::to_owned));
        }
        let prefix = folder.join("x");
        let Some(prefix) = prefix.to_str().and_then(|text| text.strip_suffix('x')) else { return Ok(Vec::new()) };
        let mut sizes: BTreeMap<NumberPattern, usize> = BTreeMap::new();
        for name in &names {
            for pattern in NumberPattern::all_of(prefix, name) {
                *sizes.entry(pattern).or_default() += 1;
            }
        }
        // Each file belongs to the largest of its patterns.
        let of_file = |name: &String| {
            let patterns = NumberPattern::all_of(prefix, name).into_iter();
            largest(patterns.map(|pattern| (sizes.get(&pattern).copied().unwrap_or(0), pattern)))
        };
        let mut found: Vec<_> =
            names.iter().filter_map(of_file).filter(|(size, _)| *size > 1).map(|(_, pattern)| pattern).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the pattern in FFmpeg's notation.
    pub(crate) fn pattern(&self) -> String {
        self.pattern.text()
    }

    /// Returns the path of the first picture.
    pub(crate) fn first_path(&self) -> PathBuf {
        self.pattern.path(self.first)
    }

    /// Returns the number of pictures up to the gap or the end.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// Returns the number at which reading starts.
    pub(crate) const fn begin(&self) -> u32 {
        self.begin
    }

    /// Returns how many pictures precede that one.
    pub(crate) const fn before(&self) -> u32 {
        self.begin - self.first
    }

    /// Returns the number that follows the last picture before the gap or the end.
    const fn next(&self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// Returns `true` if a number is missing.
    pub(crate) const fn is_broken(&self) -> bool {
        self.after_gap > 0
    }

    /// Returns a description of the missing number; `None` if there is none.
    pub(crate) fn gap(&self) -> Option<String> {
        let number = self.next();
        let path = self.pattern.path(number);
        let name = sanitized(&path.file_name().unwrap_or_default().to_string_lossy());
        let ignored = match self.after_gap {
            1 => "the picture after it is ignored".to_owned(),
            more => format!("the {more} pictures after it are ignored"),
        };
        self.is_broken().then(|| format!("number {number} is missing ({name}), and {ignored}"))
    }

    /// Returns the assumed frame rate, in frames per second.
    pub(crate) fn assumed_rate(&self) -> Ratio {
        assumed_rate(&self.pattern.after)
    }
}

/// Returns `true` if a file exists, is not empty, and has not been written to for a while.
fn is_settled(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    // If clocks differ, a file's time may be in the future.
    let is_new = metadata.modified().is_ok_and(|written| written.elapsed().is_ok_and(|age| age < SETTLED));
    metadata.len() > 0 && !is_new
}

/// Returns the frame rate assumed for pictures with such names, in frames per second.
pub(crate) fn assumed_rate(name: &str) -> Ratio {
    let is_film = ending(name).is_some_and(|ending| FILM_ENDINGS.contains(&&*ending));
    if is_film { RATES.0 } else { RATES.1 }
}

/// Returns the sequences of numbered pictures in a folder as patterns that can be opened, ordered by name.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn sequences_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(Sequence::in_folder(folder)?.iter().map(|pattern| pattern.text().into()).collect())
}
