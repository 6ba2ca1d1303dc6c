//! Joins shares of a run into the output that a single run would have written, byte for byte.
//!
//! Lines are copied. Rows of tables are regrouped, since the first rows of a share may belong to the last row group of
//! the previous one.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{AnalyzeError, Stop, check_number, stopped};
use super::format::TextFormat;
use super::format::{last_line, recognise};
use super::output::{Output, OutputTarget, into_final_error};
use super::overview::announce;
use super::parquet::{self, FinishedTable};
use super::summary::{Summary, hash};
use crate::file::{FileError, is_same_file};
use histoscope_core::text::counted;

/// A share whose summary has been read.
struct Share {
    path: PathBuf,
    form: Form,
    summary: Summary,
}

/// The format of a share and the location of its records. All shares must have the same format, besides the same
/// options.
enum Form {
    Lines {
        format: TextFormat,
        head: String,
        /// Byte position of the end of the records, after the last line end.
        end: u64,
    },
    Table(FinishedTable),
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

/// Joins shares, given in any order, and writes the result. Unless `quiet`, a terminal is told which file was written.
///
/// # Errors
/// [`AnalyzeError::Merge`] if the shares are not consecutive parts of one run; any error from writing the output.
pub fn merge(shares: &[PathBuf], target: &OutputTarget, stop: &Stop, quiet: bool) -> Result<Summary, AnalyzeError> {
    let mut shares = shares.iter().map(|path| open_share(path)).collect::<Result<Vec<_>, _>>()?;
    shares.sort_by_key(|share| (share.summary.first_frame, share.summary.end_frame));
    let summary = join(&shares)?;
    let Some(first) = shares.first() else {
        return Err(AnalyzeError::Merge("there are no shares to merge".to_owned()));
    };
    if let OutputTarget::File(path) = target
        && let Some(share) = shares.iter().find(|share| is_same_file(&share.path, path))
    {
        let text = format!("{}: a share cannot also be the output; name another file with -o", share.path.display());
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
    // A partial result cannot be continued.
    if let Err(error) = written.and_then(|()| output.flush()) {
        output.discard();
        return Err(into_final_error(error));
    }
    output.finish().map_err(into_final_error)?;
    if let OutputTarget::File(path) = target {
        announce(&format!("wrote {} to {}", counted(summary.frames, "record"), path.display()), quiet);
    }
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

/// Opens a share and reads its summary.
fn open_share(path: &Path) -> Result<Share, AnalyzeError> {
    let io = |error: std::io::Error| {
        AnalyzeError::Merge(format!("{}: cannot be read ({error}); check the name and its permissions", path.display()))
    };
    let unknown = || {
        AnalyzeError::Merge(format!(
            "{}: not a share written by 'histoscope analyze --from … --to …', or truncated or changed since; create it \
             again",
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

/// Returns the joint summary of all shares if they are consecutive.
fn join(shares: &[Share]) -> Result<Summary, AnalyzeError> {
    let refuse = |text: String| Err(AnalyzeError::Merge(text));
    let Some(first) = shares.first() else { return refuse("there are no shares to merge".to_owned()) };
    let mut joined = first.summary.clone();
    for pair in shares.windows(2) {
        let [before, share] = pair else { continue };
        let (a, b) = (before.path.display(), share.path.display());
        let (found, wanted) = (&share.summary, &joined);
        if !share.form.is_like(&before.form) || found.options != wanted.options {
            return refuse(format!(
                "{a} and {b} were made with different options or formats; create one of them again"
            ));
        }
        if found.input != wanted.input || found.source != wanted.source {
            return refuse(format!(
                "{a} and {b} are shares of different files ({} and {}, {} and {} bytes); merge shares of a single file",
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
            return refuse(format!(
                "{a} and {b} overlap: {a} reaches the end of the file; cut shares that do not overlap"
            ));
        }
        let (end, next) = (joined.end_frame, found.first_frame);
        if next > end {
            return refuse(format!("frames {end} to {} are missing between {a} and {b}; add their share", next - 1));
        }
        if next < end {
            return refuse(format!(
                "{a} and {b} overlap in frames {next} to {}; cut shares that do not overlap",
                end - 1
            ));
        }
        joined.frames += found.frames;
        joined.end_frame = found.end_frame;
        joined.reached_end = found.reached_end;
        match (&mut joined.comparison, &found.comparison) {
            (Some(sum), Some(share)) => sum.add(share),
            (sum, _) => *sum = None,
        }
        match (&mut joined.light, &found.light) {
            (Some(sum), Some(share)) => sum.add(share),
            (sum, _) => *sum = None,
        }
        // Loudness needs the sound itself.
        joined.audio = None;
        (joined.complete, joined.reason) = (found.complete, found.reason.clone());
    }
    if let (Some(stated), Some(light)) = (&mut joined.stated_light, &joined.light) {
        stated.judge(light);
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
    // The text after the last record is written once, after the last share.
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
    // Each record is a line. The line end of an array's last record was not copied.
    let records = line_ends + u64::from(format.has_array());
    check_number(&share.path, records, share.summary.frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::comparison::ComparisonSummary;

    /// Returns the summary of a share of a video with a hundred frames.
    fn summary(first: u64, end: u64) -> Summary {
        let text = format!(
            r#"{{"schema":1,"type":"summary","input":"clip.mp4","source":{{"bytes":5,"fingerprint":"ab"}},
            "options":{{"components":"rgbl","bins":false,"every":1,"keyframes":false,"region":null,"bars_leave":null,
            "matrix":null,"range":null}},"frames":{},"first_frame":{first},"end_frame":{end},"reached_end":{},
            "complete":true,"reason":null}}"#,
            end - first,
            end == 100
        );
        serde_json::from_str(&text).expect("a summary")
    }

    fn changed(first: u64, end: u64, change: impl FnOnce(&mut Summary)) -> Summary {
        let mut changed = summary(first, end);
        change(&mut changed);
        changed
    }

    /// Joins shares of lines in this order. Each is named after its index.
    fn joined(summaries: &[Summary]) -> Result<Summary, String> {
        let share = |(at, summary): (usize, &Summary)| Share {
            path: PathBuf::from(format!("share{at}")),
            form: Form::Lines { format: TextFormat::Jsonl, head: String::new(), end: 0 },
            summary: summary.clone(),
        };
        join(&summaries.iter().enumerate().map(share).collect::<Vec<_>>()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refuses(first: Summary, second: Summary, words: &str) {
        let refused = joined(&[first, second]).expect_err(words);
        assert!(refused.contains(words), "{refused}");
    }

    #[test]
    fn consecutive_shares_are_one_run() {
        let parts = [summary(3, 10), summary(10, 10), summary(10, 40), summary(40, 100)];
        assert_eq!(joined(&parts), Ok(Summary { frames: 97, ..summary(3, 100) }));
        assert_eq!(joined(&parts[..3]), Ok(Summary { frames: 37, ..summary(3, 40) }));
        assert_eq!(joined(&parts[3..]), Ok(summary(40, 100)));
        // Nothing follows the end of the file; an empty share may state that.
        let nothing = changed(100, 100, |share| share.frames = 0);
        assert_eq!(joined(&[summary(0, 100), nothing]), Ok(summary(0, 100)));
        assert!(joined(&[]).is_err());
        let cut = |share: &mut Summary| (share.complete, share.reason) = (false, Some("it broke".to_owned()));
        let whole = joined(&[summary(0, 50), changed(50, 70, cut)]).expect("the last share may be partial");
        assert_eq!((whole.complete, whole.reason.as_deref()), (false, Some("it broke")));
        refuses(changed(0, 50, cut), summary(50, 70), "share0 is partial (it broke)");
    }

    #[test]
    fn shares_with_gaps_or_overlaps_are_refused() {
        refuses(summary(0, 50), summary(51, 60), "frames 50 to 50 are missing between share0 and share1");
        refuses(summary(0, 50), summary(60, 70), "frames 50 to 59 are missing");
        refuses(summary(0, 50), summary(49, 60), "share0 and share1 overlap in frames 49 to 49");
        refuses(summary(0, 100), summary(100, 101), "share0 reaches the end of the file");
        let [a, b, c] = [summary(0, 50), summary(50, 60), summary(61, 70)];
        assert!(
            joined(&[a, b, c])
                .is_err_and(|text| text.contains("frames 60 to 60 are missing between share1 and share2"))
        );
    }

    #[test]
    fn shares_of_other_runs_are_refused() {
        refuses(summary(0, 50), changed(50, 60, |share| share.options.bins = true), "different options or formats");
        refuses(summary(0, 50), changed(50, 60, |share| share.input = "other".to_owned()), "shares of different files");
        refuses(summary(0, 50), changed(50, 60, |share| share.source = None), "(clip.mp4 and clip.mp4, 5 and 0 bytes)");
        let lines = |format, head: &str| Form::Lines { format, head: head.to_owned(), end: 7 };
        let csv = lines(TextFormat::Csv, "a,b\n");
        assert!(csv.is_like(&Form::Lines { format: TextFormat::Csv, head: "a,b\n".to_owned(), end: 8 }));
        assert!(!csv.is_like(&lines(TextFormat::Csv, "a,c\n")) && !csv.is_like(&lines(TextFormat::Json, "a,b\n")));
    }

    #[test]
    fn comparisons_add_up_if_every_share_has_one() {
        let compared = |first, end, differing| {
            let comparison = ComparisonSummary { compared: end - first, differing, ..ComparisonSummary::default() };
            changed(first, end, |share| share.comparison = Some(comparison))
        };
        let comparison = joined(&[compared(0, 50, 2), compared(50, 60, 3)]).expect("one run").comparison;
        assert_eq!(comparison.map(|sum| (sum.compared, sum.differing)), Some((60, 5)));
        assert_eq!(joined(&[compared(0, 50, 2), summary(50, 60)]).expect("one run").comparison, None);
    }

    /// Writes a share as a file with `frames` arbitrary records and the format's surrounding text.
    fn written(folder: &Path, format: TextFormat, head: &str, summary: &Summary) -> PathBuf {
        let records: Vec<_> = (summary.first_frame..summary.first_frame + summary.frames)
            .map(|frame| {
                format!("{{\"schema\":1,\"type\":\"frame\",\"frame\":{frame}}}").repeat(1 + (frame % 700) as usize)
            })
            .collect();
        let body = if format.has_array() {
            records.join(format.before_next())
        } else {
            records.iter().map(|record| format!("{record}\n")).collect()
        };
        let after = if records.is_empty() { "" } else { format.after_last() };
        let path = folder.join(format!("{}-{}.share", summary.first_frame, summary.end_frame));
        std::fs::write(&path, [head, &body, after, &format.tail(summary)].concat()).expect("a file");
        path
    }

    #[test]
    fn joined_lines_equal_those_of_one_run() {
        let csv = "schema,input,frame,pts\n";
        let heads =
            [(TextFormat::Jsonl, ""), (TextFormat::Csv, csv), (TextFormat::Json, "{\"schema\":1,\"frames\":[\n")];
        for (format, head) in heads {
            let folder = tempfile::tempdir().expect("a folder");
            let parts = [summary(40, 90), summary(3, 3), summary(3, 40)];
            let shares = parts.map(|part| written(folder.path(), format, head, &part));
            let target = folder.path().join("out");
            let merged = merge(&shares, &OutputTarget::File(target.clone()), &Stop::new(), true).expect("one run");
            assert_eq!(merged, summary(3, 90));
            let whole = written(folder.path(), format, head, &summary(3, 90));
            assert!(std::fs::read(target).expect("a file") == std::fs::read(whole).expect("a file"), "{format:?}");
            let own = merge(&shares, &OutputTarget::File(shares[0].clone()), &Stop::new(), true).expect_err("a share");
            assert!(own.to_string().contains("cannot also be the output"), "{own}");
            let stop = Stop::new();
            stop.stop();
            let target = folder.path().join("stopped");
            assert!(
                merge(&shares, &OutputTarget::File(target.clone()), &stop, true)
                    .is_err_and(|error| error.to_string().contains("stopped"))
            );
            assert!(!target.exists());
        }
    }

    #[test]
    fn a_share_with_a_wrong_record_count_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let share = written(folder.path(), TextFormat::Jsonl, "", &summary(0, 9));
        let text = std::fs::read_to_string(&share).expect("a file");
        std::fs::write(&share, text.split_once('\n').expect("two lines").1).expect("a file");
        let refused = merge(&[share], &OutputTarget::File(folder.path().join("out")), &Stop::new(), true)
            .expect_err("a record lost");
        assert!(refused.to_string().contains("states 9 records but has 8"), "{refused}");
    }
}
