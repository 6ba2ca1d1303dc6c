//! Files of lookup tables: .cube, as Adobe, IRIDAS and Resolve write it.
//!
//! A file has a curve for each channel (`LUT_1D_SIZE`), a cube (`LUT_3D_SIZE`), or both: the curve then comes first.
//! Each table covers the signals of its domain, from 0 to 1 if the file does not state it; signals outside are treated
//! like its nearest end. `DOMAIN_MIN` and `DOMAIN_MAX` state the domain of the first table for each channel,
//! `LUT_1D_INPUT_RANGE` and `LUT_3D_INPUT_RANGE` one domain for all channels of their table.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The sizes of a curve that are read.
const CURVE_SIZES: (usize, usize) = (2, 65_536);
/// The numbers of nodes along a cube's edge that are read.
const CUBE_SIZES: (usize, usize) = (2, 129);
/// The largest file that is read, in bytes: about twice the largest table with long numbers.
const MOST_BYTES: u64 = 200 << 20;
/// The most characters of a file's own text in a message.
const QUOTED: usize = 30;

/// A .cube file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LutError {
    /// It cannot be read.
    #[error("{}: the LUT cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is malformed.
    #[error("{}, line {line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The defect.
        reason: String,
    },
}

/// The values of a .cube file: a curve, a cube, or a curve before a cube.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CubeFile {
    curve: Option<Curve>,
    cube: Option<Nodes>,
}

/// A curve for each channel.
#[derive(Debug, Clone, PartialEq)]
struct Curve {
    domain: Domain,
    values: Vec<[f32; 3]>,
}

/// A cube of nodes, of which red varies fastest.
#[derive(Debug, Clone, PartialEq)]
struct Nodes {
    domain: Domain,
    side: usize,
    values: Vec<[f32; 3]>,
}

/// The signals of each channel that a table begins and ends at.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Domain {
    first: [f64; 3],
    last: [f64; 3],
}

impl Domain {
    const UNIT: Self = Self { first: [0.0; 3], last: [1.0; 3] };

    /// Returns where a signal lies in the domain, from 0 to 1.
    fn place(&self, channel: usize, signal: f64) -> f64 {
        let (first, last) = (self.first[channel], self.last[channel]);
        ((signal - first) / (last - first)).clamp(0.0, 1.0)
    }
}

impl CubeFile {
    /// Returns the number of nodes along the cube's edge, or `None` if there is no cube.
    #[must_use]
    pub fn side(&self) -> Option<usize> {
        self.cube.as_ref().map(|cube| cube.side)
    }

    /// Returns the colours of the cube's nodes; red varies fastest.
    #[must_use]
    pub fn nodes(&self) -> &[[f32; 3]] {
        self.cube.as_ref().map_or(&[], |cube| &cube.values)
    }

    /// Returns the new signal for a signal of a channel or, with a cube, the position on its edge, from 0 to 1.
    #[must_use]
    pub fn curve(&self, channel: usize, signal: f64) -> f64 {
        let signal = self.curve.as_ref().map_or(signal, |curve| curve.at(channel, signal));
        self.cube.as_ref().map_or(signal, |cube| cube.domain.place(channel, signal))
    }

    /// Returns all numbers of the file that matter.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let curve = self.curve.iter().map(|Curve { domain, values }| (domain, values));
        let cube = self.cube.iter().map(|Nodes { domain, values, .. }| (domain, values));
        let all = curve.chain(cube);
        let ends = |domain: &Domain| [domain.first, domain.last].into_iter().flatten();
        all.flat_map(move |(domain, values)| ends(domain).chain(values.iter().flatten().copied().map(f64::from)))
    }
}

impl Curve {
    fn at(&self, channel: usize, signal: f64) -> f64 {
        let last = self.values.len() - 1;
        let position = self.domain.place(channel, signal) * last as f64;
        let below = (position as usize).min(last - 1);
        let part = position - below as f64;
        f64::from(self.values[below][channel]) * (1.0 - part) + f64::from(self.values[below + 1][channel]) * part
    }
}

/// Reads a file.
///
/// # Errors
/// [`LutError::Io`] if it cannot be read, or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>, LutError> {
    let io = |source| LutError::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_BYTES {
        let text = format!("it is larger than {} MB, the limit for .cube files", MOST_BYTES >> 20);
        return Err(io(io::Error::other(text)));
    }
    Ok(bytes)
}

/// Parses the content of a file.
///
/// # Errors
/// [`LutError::Malformed`] if it is malformed.
pub fn parse(path: &Path, content: &[u8]) -> Result<CubeFile, LutError> {
    parsed(content).map_err(|(line, reason)| LutError::Malformed { path: path.to_owned(), line, reason })
}

/// The number of a line, and the defect found there.
type Defect = (usize, String);

/// The state of reading a file.
#[derive(Default)]
struct Reader {
    curve_size: Option<usize>,
    cube_side: Option<usize>,
    /// The limits of the domains with the lines that state them.
    domain_min: Option<(usize, [f64; 3])>,
    domain_max: Option<(usize, [f64; 3])>,
    curve_range: Option<(usize, [f64; 2])>,
    cube_range: Option<(usize, [f64; 2])>,
    values: Vec<[f32; 3]>,
}

fn parsed(bytes: &[u8]) -> Result<CubeFile, Defect> {
    // A byte order mark is no part of the first word.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = Reader::default();
    let mut last_line = 1;
    for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
        let text = std::str::from_utf8(line.trim_ascii());
        // Comments and titles may be in any encoding.
        let is_free = line.trim_ascii_start().starts_with(b"#") || line.trim_ascii_start().starts_with(b"TITLE");
        let text = match text {
            Ok("") => continue,
            _ if is_free => continue,
            Ok(text) => text,
            Err(_) => return Err((number, "this is not text, so the file is not a .cube file".to_owned())),
        };
        last_line = number;
        reader.take(number, text).map_err(|reason| (number, reason))?;
    }
    reader.finish(last_line)
}

impl Reader {
    fn take(&mut self, line: usize, text: &str) -> Result<(), String> {
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next() else { return Ok(()) };
        let words: Vec<_> = words.collect();
        if !first.starts_with(|letter: char| letter.is_ascii_alphabetic()) || is_not_finite(first) {
            return self.take_values(&[&[first], &*words].concat());
        }
        if !self.values.is_empty() {
            return Err(format!("'{}' comes after the first values; it belongs before them", quoted(first)));
        }
        let is_first = match first {
            "LUT_1D_SIZE" => self.curve_size.replace(size(first, &words, CURVE_SIZES)?).is_none(),
            "LUT_3D_SIZE" => self.cube_side.replace(size(first, &words, CUBE_SIZES)?).is_none(),
            "DOMAIN_MIN" => self.domain_min.replace((line, numbers(first, &words)?)).is_none(),
            "DOMAIN_MAX" => self.domain_max.replace((line, numbers(first, &words)?)).is_none(),
            "LUT_1D_INPUT_RANGE" => self.curve_range.replace((line, numbers(first, &words)?)).is_none(),
            "LUT_3D_INPUT_RANGE" => self.cube_range.replace((line, numbers(first, &words)?)).is_none(),
            _ => return Err(format!("'{}' is not a keyword of .cube files that is supported", quoted(first))),
        };
        if is_first { Ok(()) } else { Err(format!("{first} is given a second time")) }
    }

    /// Returns the numbers of lines with values: of the curve, and of the cube.
    fn expected(&self) -> (usize, usize) {
        (self.curve_size.unwrap_or(0), self.cube_side.map_or(0, |side| side.pow(3)))
    }

    fn take_values(&mut self, words: &[&str]) -> Result<(), String> {
        let (curve, cube) = self.expected();
        if curve + cube == 0 {
            return Err("values come before LUT_1D_SIZE or LUT_3D_SIZE, so their number is unknown".to_owned());
        }
        if self.values.len() == curve + cube {
            return Err(format!("there are more than the {} lines of values that the sizes call for", curve + cube));
        }
        self.values.push(numbers("each line of values", words)?.map(|number| number as f32));
        Ok(())
    }

    fn finish(self, last_line: usize) -> Result<CubeFile, Defect> {
        let (curve_lines, cube_lines) = self.expected();
        if curve_lines + cube_lines == 0 {
            return Err((last_line, "the file ends without LUT_1D_SIZE or LUT_3D_SIZE; it is not a LUT".to_owned()));
        }
        if self.values.len() < curve_lines + cube_lines {
            let (found, expected) = (self.values.len(), curve_lines + cube_lines);
            return Err((last_line, format!("the file ends after {found} of {expected} lines of values")));
        }
        let stated = self.stated_domain()?;
        let (curve_range, cube_range) = (range(self.curve_range)?, range(self.cube_range)?);
        let mut values = self.values;
        let nodes = values.split_off(curve_lines);
        let has_curve = curve_lines > 0;
        let curve_domain = curve_range.or(stated).unwrap_or(Domain::UNIT);
        let cube_domain = cube_range.or(stated.filter(|_| !has_curve)).unwrap_or(Domain::UNIT);
        Ok(CubeFile {
            curve: has_curve.then_some(Curve { domain: curve_domain, values }),
            cube: self.cube_side.map(|side| Nodes { domain: cube_domain, side, values: nodes }),
        })
    }

    /// Returns the domain that `DOMAIN_MIN` and `DOMAIN_MAX` state, if either is given.
    fn stated_domain(&self) -> Result<Option<Domain>, Defect> {
        let (min, max) = (self.domain_min, self.domain_max);
        let lines = [min.map(|(line, _)| line), max.map(|(line, _)| line)];
        let Some(line) = lines.into_iter().flatten().max() else { return Ok(None) };
        let domain = Domain {
            first: min.map_or(Domain::UNIT.first, |(_, first)| first),
            last: max.map_or(Domain::UNIT.last, |(_, last)| last),
        };
        rising(domain).map(Some).map_err(|reason| (line, reason))
    }
}

/// Returns the domain of an input range.
fn range(stated: Option<(usize, [f64; 2])>) -> Result<Option<Domain>, Defect> {
    let Some((line, [first, last])) = stated else { return Ok(None) };
    rising(Domain { first: [first; 3], last: [last; 3] }).map(Some).map_err(|reason| (line, reason))
}

/// Checks that a domain begins below its end.
fn rising(domain: Domain) -> Result<Domain, String> {
    match (0..3).find(|&channel| domain.first[channel] >= domain.last[channel]) {
        None => Ok(domain),
        Some(channel) => {
            let (first, last) = (domain.first[channel], domain.last[channel]);
            Err(format!("the domain begins at {first} and ends at {last}; its end must be above its beginning"))
        }
    }
}

/// Parses the size of a table.
fn size(keyword: &str, words: &[&str], (least, most): (usize, usize)) -> Result<usize, String> {
    let text = words.join(" ");
    match text.parse() {
        Ok(size) if (least..=most).contains(&size) => Ok(size),
        _ => Err(format!("{keyword} is '{}'; sizes from {least} to {most} are supported", quoted(&text))),
    }
}

/// Parses N finite numbers.
fn numbers<const N: usize>(what: &str, words: &[&str]) -> Result<[f64; N], String> {
    let words: [&str; N] =
        words.try_into().map_err(|_| format!("{what} needs {N} numbers, and there are {}", words.len()))?;
    let mut found = [0.0; N];
    for (slot, word) in found.iter_mut().zip(words) {
        match word.parse::<f64>() {
            Ok(number) if (number as f32).is_finite() => *slot = number,
            _ => return Err(format!("'{}' is not a finite number", quoted(word))),
        }
    }
    Ok(found)
}

/// Returns `true` for NaN and infinity, which begin with a letter like keywords.
fn is_not_finite(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(|number| !number.is_finite())
}

/// Returns the beginning of a file's own text, for messages.
fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(Path::new("a.cube"), text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_forms_of_adobe_and_resolve_are_read() {
        let curve = "\u{feff}# made by hand\r\nTITLE \"caf\u{e9}\"\r\n\r\nLUT_1D_SIZE 2\r\nDOMAIN_MIN 0 0 0\r\nDOMAIN_MAX 1 2 4\r\n\
                     0 0 0\r\n1e0 1 +1\r\n";
        let curve = parse(Path::new("a.cube"), curve.as_bytes()).unwrap();
        assert_eq!(
            (curve.side(), curve.curve(0, 0.5), curve.curve(1, 0.5), curve.curve(2, 0.5)),
            (None, 0.5, 0.25, 0.125)
        );
        let latin_title = b"TITLE \"caf\xe9\"\n# \xe9\nLUT_1D_SIZE 2\n0 0 0\n1 1 1\n";
        assert!(parse(Path::new("a.cube"), latin_title).is_ok());
        let nodes = "0 0 0\n".repeat(8);
        let shaped = format!("LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -1 1\nLUT_3D_SIZE 2\n0 0 0\n.5 .5 .5\n{nodes}");
        let shaped = parse(Path::new("a.cube"), shaped.as_bytes()).unwrap();
        assert_eq!(
            (shaped.side(), shaped.nodes().len(), shaped.curve(0, 0.0), shaped.curve(2, 1.0)),
            (Some(2), 8, 0.25, 0.5)
        );
    }

    #[test]
    fn defects_are_named_with_their_line() {
        let cube = |lines: usize| format!("LUT_3D_SIZE 2\n{}", "0 0 0\n".repeat(lines));
        for (text, message) in [
            (cube(7), "a.cube, line 8: the file ends after 7 of 8 lines of values"),
            (cube(9), "a.cube, line 10: there are more than the 8 lines of values that the sizes call for"),
            (cube(8).replacen("0 0 0", "0 nan 0", 1), "a.cube, line 2: 'nan' is not a finite number"),
            (cube(8).replacen("0 0 0", "NaN 0 0", 1), "a.cube, line 2: 'NaN' is not a finite number"),
            (cube(8).replacen("0 0 0", "0 0 1e39", 1), "a.cube, line 2: '1e39' is not a finite number"),
            (
                cube(8).replacen("0 0 0", "0 0", 1),
                "a.cube, line 2: each line of values needs 3 numbers, and there are 2",
            ),
            (
                cube(8).replacen("0 0 0", "0 0 0 0", 1),
                "a.cube, line 2: each line of values needs 3 numbers, and there are 4",
            ),
            (cube(8).replacen("0 0 0", "0 0 x", 1), "a.cube, line 2: 'x' is not a finite number"),
            (
                format!("DOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 0 1\n{}", cube(8)),
                "a.cube, line 2: the domain begins at 0 and ends at 0; its end must be above its beginning",
            ),
            (
                format!("LUT_3D_INPUT_RANGE 1 0\n{}", cube(8)),
                "a.cube, line 1: the domain begins at 1 and ends at 0; its end must be above its beginning",
            ),
            ("LUT_3D_SIZE 300\n".to_owned(), "a.cube, line 1: LUT_3D_SIZE is '300'; sizes from 2 to 129 are supported"),
            ("LUT_1D_SIZE 1\n".to_owned(), "a.cube, line 1: LUT_1D_SIZE is '1'; sizes from 2 to 65536 are supported"),
            ("LUT_1D_SIZE\n".to_owned(), "a.cube, line 1: LUT_1D_SIZE is ''; sizes from 2 to 65536 are supported"),
            ("LUT_1D_SIZE 2\nLUT_1D_SIZE 2\n".to_owned(), "a.cube, line 2: LUT_1D_SIZE is given a second time"),
            (
                "\n0 0 0\n".to_owned(),
                "a.cube, line 2: values come before LUT_1D_SIZE or LUT_3D_SIZE, so their number is unknown",
            ),
            (
                cube(4) + "DOMAIN_MIN 0 0 0\n",
                "a.cube, line 6: 'DOMAIN_MIN' comes after the first values; it belongs before them",
            ),
            (
                "LUT_IN_VIDEO_RANGE\n".to_owned(),
                "a.cube, line 1: 'LUT_IN_VIDEO_RANGE' is not a keyword of .cube files that is supported",
            ),
            (String::new(), "a.cube, line 1: the file ends without LUT_1D_SIZE or LUT_3D_SIZE; it is not a LUT"),
        ] {
            assert_eq!(refused(&text), message, "{text:?}");
        }
        let binary = parse(Path::new("a.cube"), b"LUT_1D_SIZE 2\n\xff\xfe\0\n").unwrap_err().to_string();
        assert_eq!(binary, "a.cube, line 2: this is not text, so the file is not a .cube file");
        let missing = read(Path::new("not/there.cube")).unwrap_err().to_string();
        assert!(missing.starts_with("not/there.cube: the LUT cannot be read: "), "{missing}");
    }
}
