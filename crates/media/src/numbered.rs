//! Numbered pictures: which files of a folder are one sequence, where it begins, and which number is missing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

use histoscope_core::picture::Ratio;
use histoscope_core::text::{counted, plain};

/// Endings of names that FFmpeg's numbered pictures have.
const ENDINGS: &[&str] = &[
    "bmp", "dds", "dpx", "exr", "hdr", "j2c", "j2k", "jp2", "jpeg", "jpg", "jxl", "pam", "pbm", "pcx", "pfm", "pgm",
    "phm", "png", "pnm", "ppm", "qoi", "ras", "sgi", "sun", "tga", "tif", "tiff", "webp", "xbm", "xwd",
];
/// Endings of pictures that films are made of.
const FILM_ENDINGS: [&str; 2] = ["dpx", "exr"];
/// Frames a second that are assumed of those, and of others.
const RATES: (Ratio, Ratio) = (Ratio { num: 24, den: 1 }, Ratio { num: 25, den: 1 });
/// The most digits of a number that FFmpeg counts on; digits before them are part of the name.
const MOST_DIGITS: usize = 9;
/// How long a file must have been as it is before it is taken for whole.
const SETTLED: Duration = Duration::from_secs(1);

/// A path with a number in it, as FFmpeg writes it: `shots/a.%04d.exr`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NumberPattern {
    before: String,
    /// The fewest digits; zeros fill them up.
    digits: usize,
    after: String,
}

impl NumberPattern {
    /// Reads `%d`, `%4d` or `%04d`, once, with `%%` for a percent sign.
    pub(super) fn parse(text: &str) -> Option<Self> {
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
                if width.is_empty() { 1 } else { width.parse().ok().filter(|width| *width <= MOST_DIGITS)? };
            rest = behind;
        }
        if has_number { &mut found.after } else { &mut found.before }.push_str(rest);
        has_number.then_some(found)
    }

    /// The path of that number.
    fn path(&self, number: u32) -> PathBuf {
        format!("{}{number:0digits$}{}", self.before, self.after, digits = self.digits).into()
    }

    /// The number that stands between both parts, where it is written as this pattern has it.
    fn number_in(&self, text: &str, (before, after): (&str, &str)) -> Option<u32> {
        let digits = text.strip_prefix(before)?.strip_suffix(after)?;
        let is_plain = digits.bytes().all(|b| b.is_ascii_digit()) && digits.len() >= self.digits;
        let number: u32 = digits.parse().ok().filter(|number| is_plain && i32::try_from(*number).is_ok())?;
        (digits == format!("{number:0width$}", width = self.digits)).then_some(number)
    }

    /// All numbers that there are, from the lowest on.
    fn numbers(&self) -> io::Result<Vec<u32>> {
        // The number may stand in the name of a folder.
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

    /// The pattern as FFmpeg reads it.
    pub(super) fn text(&self) -> String {
        let escaped = |text: &str| text.replace('%', "%%");
        format!("{}%0{}d{}", escaped(&self.before), self.digits, escaped(&self.after))
    }

    /// The pattern of the sequence that a numbered picture belongs to; `None` where its name has no number.
    pub(super) fn around(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let folder = path.to_str()?.strip_suffix(name)?;
        let patterns = Self::all_of(folder, name).into_iter().filter(Self::is_of_stills);
        largest(patterns.filter_map(|pattern| Some((pattern.numbers().ok()?.len(), pattern))))
            .map(|(_, pattern)| pattern)
    }

    /// Returns whether its files are stills by their names.
    fn is_of_stills(&self) -> bool {
        ending(&self.after).is_some_and(|ending| ENDINGS.contains(&&*ending))
    }

    /// The patterns that a file's name may be of: each row of digits in it may be the number.
    fn all_of(folder: &str, name: &str) -> Vec<Self> {
        let mut found = Vec::new();
        let stem = name.rfind('.').unwrap_or(name.len());
        let mut end = stem;
        while let Some(last) = name[..end].rfind(|c: char| c.is_ascii_digit()) {
            let begin = name[..last]
                .rfind(|c: char| !c.is_ascii_digit())
                .map_or(0, |at| at + name[at..].chars().next().map_or(1, char::len_utf8));
            let begin_of_number = begin.max((last + 1).saturating_sub(MOST_DIGITS));
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

/// Of several patterns of a file the one of most files; of those the one whose number stands last in the name.
fn largest(sized: impl Iterator<Item = (usize, NumberPattern)>) -> Option<(usize, NumberPattern)> {
    sized.reduce(|best, other| if other.0 > best.0 { other } else { best })
}

fn ending(name: &str) -> Option<String> {
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

/// The files of a pattern, from the first number up to the last, or to the first that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sequence {
    pattern: NumberPattern,
    first: u32,
    /// The number that reading begins with.
    begin: u32,
    /// How many there are from the first on without a gap.
    count: u32,
    /// How many there are behind the gap.
    behind_gap: usize,
}

impl Sequence {
    /// Returns the pictures of a pattern; `None` if there are none.
    pub(super) fn of(pattern: NumberPattern) -> Option<Self> {
        let numbers = pattern.numbers().ok()?;
        let first = *numbers.first()?;
        let count = numbers.iter().zip(first..).take_while(|(found, expected)| *found == expected).count();
        let behind_gap = numbers.len() - count;
        Some(Self { pattern, first, begin: first, count: u32::try_from(count).ok()?, behind_gap })
    }

    /// The sequence without its last picture while that is being written.
    pub(super) fn settled(self) -> Self {
        let last = self.pattern.path(self.first.saturating_add(self.count.saturating_sub(1)));
        let count = if is_settled(&last) { self.count } else { (self.count - 1).max(1) };
        Self { count, ..self }
    }

    /// Returns the sequence with the pictures that have come behind the last one, with which reading goes on; `None` while there are none.
    pub(super) fn grown(&self) -> Option<Self> {
        let begin = self.next();
        if !is_settled(&self.pattern.path(begin)) {
            return None;
        }
        let more = (begin..).take_while(|number| is_settled(&self.pattern.path(*number))).count();
        let count = self.count.saturating_add(u32::try_from(more).ok()?);
        Some(Self { begin, count, behind_gap: 0, ..self.clone() })
    }

    /// The sequences of a folder that have two pictures or more, in the order of their names.
    ///
    /// # Errors
    /// Those of reading the folder.
    pub(super) fn in_folder(folder: &Path) -> io::Result<Vec<NumberPattern>> {
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
        // Each file goes to the largest of its patterns.
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

    /// The pattern as FFmpeg reads it.
    pub(super) fn pattern(&self) -> String {
        self.pattern.text()
    }

    /// How many pictures there are without a gap.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// The number that reading begins with.
    pub(super) const fn begin(&self) -> u32 {
        self.begin
    }

    /// How many pictures come before that.
    pub(super) const fn before(&self) -> u32 {
        self.begin - self.first
    }

    /// The number behind the last one that there is without a gap.
    const fn next(&self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// Returns whether a number is missing.
    pub(super) const fn is_broken(&self) -> bool {
        self.behind_gap > 0
    }

    /// The number that is missing, in words; `None` where none is.
    pub(super) fn gap(&self) -> Option<String> {
        let number = self.next();
        let path = self.pattern.path(number);
        let name = plain(&path.file_name().unwrap_or_default().to_string_lossy());
        let behind = counted(self.behind_gap as u64, "picture");
        self.is_broken().then(|| format!("number {number} is missing ({name}), and {behind} behind it left out"))
    }

    /// The frame rate that is assumed, frames a second.
    pub(super) fn assumed_rate(&self) -> Ratio {
        assumed_rate(&self.pattern.after)
    }
}

/// Returns whether a file is there, and nobody has written to it for a while.
fn is_settled(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    // Where clocks differ, a file may be from the future.
    let is_new = metadata.modified().is_ok_and(|written| written.elapsed().is_ok_and(|age| age < SETTLED));
    metadata.len() > 0 && !is_new
}

/// The frame rate that is assumed of pictures with names like that, frames a second.
pub(super) fn assumed_rate(name: &str) -> Ratio {
    let is_film = ending(name).is_some_and(|ending| FILM_ENDINGS.contains(&&*ending));
    if is_film { RATES.0 } else { RATES.1 }
}

/// The sequences of numbered pictures in a folder, as patterns that can be opened, in the order of their names.
///
/// # Errors
/// Those of reading the folder.
pub fn sequences_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(Sequence::in_folder(folder)?.iter().map(|pattern| pattern.text().into()).collect())
}
