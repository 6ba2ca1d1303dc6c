//! Shares of a run, joined into what one run would have written, byte for byte.
//!
//! Lines are copied. The rows of tables are gathered anew, for the first rows of a share may belong to the last row group of
//! the one before.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::ending::{AnalyzeError, Stop, check_number, stopped};
use super::format::TextFormat;
use super::lines::{last_line, recognise};
use super::output::{Output, Target, not_to_be_continued};
use super::parquet::{self, Table};
use super::summary::{Summary, hash};
use crate::export::file::{FileError, is_same_file};

/// A share that was looked at.
struct Share {
    path: PathBuf,
    form: Form,
    summary: Summary,
}

/// What shares must have in common besides their options, and where their records are.
enum Form {
    Lines {
        format: TextFormat,
        head: String,
        /// Where the records end, behind the last one's line end.
        end: u64,
    },
    Table(Table),
}

impl Form {
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lines { format, head, .. }, Self::Lines { format: f, head: h, .. }) => (format, head) == (f, h),
            (Self::Table(table), Self::Table(other)) => table.has_columns_of(other),
            _ => false,
        }
    }
}

/// Joins shares, given in any order, and writes the result.
///
/// # Errors
/// [`AnalyzeError::Merge`] if they are not parts of one run that follow on each other; other errors as for any output.
pub fn merge(shares: &[PathBuf], target: &Target, stop: &Stop) -> Result<Summary, AnalyzeError> {
    let mut shares = shares.iter().map(|path| look(path)).collect::<Result<Vec<_>, _>>()?;
    shares.sort_by_key(|share| (share.summary.first_frame, share.summary.end_frame));
    let summary = join(&shares)?;
    let Some(first) = shares.first() else {
        return Err(AnalyzeError::Merge("there are no shares to merge".to_owned()));
    };
    if let Target::File(path) = target
        && let Some(share) = shares.iter().find(|share| is_same_file(&share.path, path))
    {
        let text = format!("{}: a share cannot be the output too; name another file with -o", share.path.display());
        return Err(AnalyzeError::Merge(text));
    }
    let run = hash(serde_json::to_string(&summary).unwrap_or_default().as_bytes());
    let mut output = Output::open(target, run, None)?;
    let filled = || shares.iter().filter(|share| share.summary.frames > 0);
    let written = match &first.form {
        Form::Lines { format, head, .. } => join_lines(filled(), &mut output, (*format, head), &summary, stop),
        Form::Table(table) => {
            let tables = filled().filter_map(|share| match &share.form {
                Form::Table(table) => Some((share.path.as_path(), table, share.summary.frames)),
                Form::Lines { .. } => None,
            });
            parquet::join(table, tables, &mut output, &summary, stop)
        }
    };
    // Nothing goes on from what was joined so far.
    if let Err(error) = written.and_then(|()| output.flush()) {
        output.discard();
        return Err(not_to_be_continued(error));
    }
    output.finish().map_err(not_to_be_continued)?;
    Ok(summary)
}

/// Writes the lines of all shares.
fn join_lines<'a>(
    shares: impl Iterator<Item = &'a Share>,
    output: &mut Output,
    (format, head): (TextFormat, &str),
    summary: &Summary,
    stop: &Stop,
) -> Result<(), AnalyzeError> {
    output.write(head.as_bytes())?;
    let mut is_empty = true;
    for share in shares {
        if !std::mem::take(&mut is_empty) {
            output.write(format.before_next().as_bytes())?;
        }
        copy_records(share, output, stop)?;
    }
    if !is_empty {
        output.write(format.after_last().as_bytes())?;
    }
    output.write(format.tail(summary).as_bytes())
}

/// Reads what a share says of itself.
fn look(path: &Path) -> Result<Share, AnalyzeError> {
    let io = |error: std::io::Error| {
        AnalyzeError::Merge(format!("{}: cannot be read ({error}); check the name and its permissions", path.display()))
    };
    let unknown = || {
        AnalyzeError::Merge(format!(
            "{}: this is no share that 'histoscope analyze --from … --to …' wrote, or it was cut off or changed since; make it again",
            path.display()
        ))
    };
    if let Some(table) = parquet::open(path).map_err(io)? {
        let summary = table.summary().ok_or_else(unknown)?;
        return Ok(Share { path: path.to_owned(), form: Form::Table(table), summary });
    }
    let format = recognise(path).map_err(io)?.ok_or_else(unknown)?;
    let (end, line) = last_line(path).map_err(io)?.ok_or_else(unknown)?;
    let summary = format.read_tail(&line).ok_or_else(unknown)?;
    let head = match format {
        TextFormat::Jsonl => String::new(),
        _ => first_line(path).map_err(io)?,
    };
    Ok(Share { path: path.to_owned(), form: Form::Lines { format, head, end }, summary })
}

fn first_line(path: &Path) -> std::io::Result<String> {
    use std::io::BufRead as _;
    let mut line = String::new();
    std::io::BufReader::new(File::open(path)?).read_line(&mut line)?;
    Ok(line)
}

/// The summary of all shares, if they follow on each other.
fn join(shares: &[Share]) -> Result<Summary, AnalyzeError> {
    let refuse = |text: String| Err(AnalyzeError::Merge(text));
    let Some(first) = shares.first() else { return refuse("there are no shares to merge".to_owned()) };
    let mut joined = first.summary.clone();
    for pair in shares.windows(2) {
        let [before, share] = pair else { continue };
        let (a, b) = (before.path.display(), share.path.display());
        let (found, wanted) = (&share.summary, &joined);
        if !share.form.is_like(&before.form) || found.options != wanted.options {
            return refuse(format!("{a} and {b} were made with different options or formats; make one of them again"));
        }
        if found.input != wanted.input || found.source != wanted.source {
            return refuse(format!(
                "{a} and {b} are shares of different files ({} and {}, {} and {} bytes); merge those of one file",
                wanted.input,
                found.input,
                wanted.source.as_ref().map_or(0, |source| source.bytes),
                found.source.as_ref().map_or(0, |source| source.bytes),
            ));
        }
        if !before.summary.complete {
            let reason = before.summary.reason.as_deref().unwrap_or("it was stopped");
            return refuse(format!("{a} is partial ({reason}); finish it with --resume, then merge again"));
        }
        if before.summary.reached_end && found.first_frame != found.end_frame {
            return refuse(format!("{a} and {b} overlap: {a} reaches the end of the file; cut shares that do not"));
        }
        let (end, next) = (joined.end_frame, found.first_frame);
        if next > end {
            return refuse(format!("frames {end} to {} are missing between {a} and {b}; add their share", next - 1));
        }
        if next < end {
            return refuse(format!("{a} and {b} overlap in frames {next} to {}; cut shares that do not", end - 1));
        }
        joined.frames += found.frames;
        joined.end_frame = found.end_frame;
        joined.reached_end = found.reached_end;
        match (&mut joined.comparison, &found.comparison) {
            (Some(sum), Some(share)) => sum.add(share),
            (sum, _) => *sum = None,
        }
        (joined.complete, joined.reason) = (found.complete, found.reason.clone());
    }
    Ok(joined)
}

/// Copies a share's records.
fn copy_records(share: &Share, output: &mut Output, stop: &Stop) -> Result<(), AnalyzeError> {
    let Form::Lines { format, head, end } = &share.form else { return Ok(()) };
    let io = FileError::reading(&share.path);
    let mut file = File::open(&share.path).map_err(&io)?;
    let start = head.len() as u64;
    file.seek(SeekFrom::Start(start)).map_err(&io)?;
    // What stands behind the last record stands behind the last share's last record.
    let mut left = end.saturating_sub(format.after_last().len() as u64).saturating_sub(start);
    let mut buffer = vec![0; 1 << 16];
    let mut line_ends = 0_u64;
    while left > 0 {
        if stop.is_stopped() {
            return Err(stopped());
        }
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..most]).map_err(&io)?;
        line_ends += buffer[..most].iter().filter(|byte| **byte == b'\n').count() as u64;
        output.write(&buffer[..most])?;
        left -= most as u64;
    }
    // Each record is a line. The end of an array's last one was not copied.
    let records = line_ends + u64::from(format.has_array());
    check_number(&share.path, records, share.summary.frames)
}
