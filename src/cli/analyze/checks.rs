//! Checks of the arguments of `analyze`. Each impossible combination is rejected with an explanation.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::Path;

use histoscope::analysis::{Format, Jobs, Point, SceneFormat};
use histoscope::{Components, Counted};

use super::{AnalyzeArgs, FFPROBE, FORMATS, QCTOOLS, check_extension, is_stream, output_name};
use crate::cli::output::{WrongUsage, wrong_usage};

impl AnalyzeArgs {
    /// Returns `true` if records go to a file instead of standard output.
    fn is_to_file(&self) -> bool {
        self.out_dir.is_some() || self.output.as_deref().is_some_and(|path| path != Path::new("-"))
    }

    /// Returns `true` if records go to a terminal.
    fn is_to_terminal(&self) -> bool {
        !self.is_to_file() && std::io::stdout().is_terminal()
    }

    pub(super) fn check_usage(&self) -> Result<(), WrongUsage> {
        if let (Some(output), None) = (&self.output, self.format) {
            check_extension(output, FORMATS, ", or name the format with --format")?;
        }
        let format = self.format();
        if self.inputs.len() > 1 {
            if self.output.is_some() {
                return wrong_usage("-o is for a single input; use --out-dir for several");
            }
            if format.is_one_object() && self.out_dir.is_none() {
                return wrong_usage(format!(
                    "--format {format} writes one object per input; use --out-dir for several"
                ));
            }
            let mut names = HashSet::new();
            let twice =
                self.inputs.iter().map(|input| output_name(input, format)).find(|name| !names.insert(name.clone()));
            if let (Some(name), Some(_)) = (twice, &self.out_dir) {
                return wrong_usage(format!("two inputs would be written to {name}; write them to different folders"));
            }
        }
        if self.resume && !self.is_to_file() {
            return wrong_usage("--resume continues a file; name it with -o or --out-dir");
        }
        if format == Format::Parquet && self.is_to_terminal() {
            return wrong_usage("--format parquet is not text; name a file with -o, or redirect the output to one");
        }
        let has_more = self.bins || !self.scopes.is_empty() || self.counting.components() == Components::YCbCr;
        if format == FFPROBE && has_more {
            return wrong_usage(
                "--format ffprobe has a fixed set of fields; leave out --bins, --scopes and --components",
            );
        }
        if let Some(secs) = self.segment {
            let is_stream = self.output.as_deref().is_some_and(is_stream);
            if !self.is_to_file() || is_stream {
                return wrong_usage(format!("--segment {secs} writes several files; name them with -o or --out-dir"));
            }
            if self.resume {
                return wrong_usage("--resume continues a single file; leave out --resume or --segment");
            }
        }
        self.check_light(format)?;
        self.check_audio(format)?;
        self.check_scenes(format)?;
        self.check_whole(format)?;
        self.check_adjustments(format)?;
        self.check_against(format)?;
        let is_backward = match (self.part.from, self.part.to) {
            (Some(Point::Time(from)), Some(Point::Time(to))) => from >= to,
            (Some(Point::Frame(from)), Some(Point::Frame(to))) => from >= to,
            _ => false,
        };
        if let (true, Some(from), Some(to)) = (is_backward, self.part.from, self.part.to) {
            return wrong_usage(format!("--to {to} is not after --from {from}"));
        }
        Ok(())
    }

    /// Checks the arguments for measuring light: the summary of a clip needs all of its frames, as they are coded.
    fn check_light(&self, format: Format) -> Result<(), WrongUsage> {
        if self.light.wanted().is_none() {
            return Ok(());
        }
        if format == FFPROBE || format == QCTOOLS {
            return wrong_usage(format!("--format {format} has a fixed set of fields; leave out --light"));
        }
        if !self.adjust.is_off() {
            return wrong_usage("--light measures pictures as they are coded; leave out --light or the adjustments");
        }
        Ok(())
    }

    /// Checks the arguments for measuring sound.
    fn check_audio(&self, format: Format) -> Result<(), WrongUsage> {
        if self.audio_track.audio_track.is_some() && !self.audio {
            return wrong_usage("--audio-track chooses what --audio measures; add --audio");
        }
        if self.audio && (format == FFPROBE || format == QCTOOLS || matches!(format, Format::Scenes(_))) {
            return wrong_usage(format!("--format {format} has a fixed set of fields; leave out --audio"));
        }
        Ok(())
    }

    /// Checks the arguments for the light of scenes, which takes every frame of a part as it is coded.
    fn check_scenes(&self, format: Format) -> Result<(), WrongUsage> {
        let Format::Scenes(kind) = format else { return Ok(()) };
        let given = [
            ("--bins", self.bins),
            ("--scopes", !self.scopes.is_empty()),
            ("--components", self.counting.components() == Components::YCbCr),
            ("--gamut", self.light.wanted().is_some_and(|light| light.gamut)),
            ("--every", self.every.get() > 1),
            ("--keyframes", self.keyframes),
            ("--resume", self.resume),
            ("--segment", self.segment.is_some()),
            ("--against", self.against.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return wrong_usage(format!(
                "--format {format} describes the light of every frame, and nothing else; leave out {name}"
            ));
        }
        if !self.adjust.is_off() {
            return wrong_usage(format!(
                "--format {format} measures pictures as they are coded; leave out the adjustments"
            ));
        }
        if kind == SceneFormat::Madvr && self.is_to_terminal() {
            return wrong_usage("--format madvr is not text; name a file with -o, or redirect the output to one");
        }
        Ok(())
    }

    /// Checks the arguments for QCTools: a report covers the whole file, and each frame is compared with the one before
    /// it.
    fn check_whole(&self, format: Format) -> Result<(), WrongUsage> {
        if format != QCTOOLS {
            return Ok(());
        }
        let part = &self.part;
        let given = [
            ("--bins", self.bins),
            ("--scopes", !self.scopes.is_empty()),
            ("--components", self.counting.components() == Components::YCbCr),
            ("--from", part.from.is_some()),
            ("--to", part.to.is_some()),
            ("--region", part.region.is_some()),
            ("--crop-bars", part.crop_bars),
            ("--every", self.every.get() > 1),
            ("--keyframes", self.keyframes),
            ("--resume", self.resume),
            ("--segment", self.segment.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return wrong_usage(format!(
                "--format qctools reports the whole file, comparing each frame with the one before; leave out {name}"
            ));
        }
        if self.is_to_terminal() {
            return wrong_usage("--format qctools is compressed; write it to a file with -o or --out-dir");
        }
        Ok(())
    }

    /// Checks the arguments of a comparison, which reads each frame as coded and in order in both files.
    fn check_against(&self, format: Format) -> Result<(), WrongUsage> {
        let Some(against) = &self.against else { return Ok(()) };
        let stdin = Path::new("-");
        let piped = self.inputs.iter().chain([against]).filter(|path| *path == stdin).count();
        if piped > 1 || (against == stdin && self.inputs.len() > 1) {
            return wrong_usage("standard input can be read only once; name a file for --against or for the input");
        }
        if piped > 0 && self.align.is_some() {
            return wrong_usage("--align reads the beginning of both videos twice; save standard input to a file");
        }
        if matches!(format, FFPROBE | QCTOOLS) {
            return wrong_usage(format!(
                "--format {format} has no fields for a comparison; use jsonl, csv, json or parquet with --against"
            ));
        }
        let refused = [
            ("--resume", self.resume, "a comparison cannot be continued; start it again"),
            (
                "--jobs",
                self.jobs != Jobs::ONE,
                "the two files are decoded side by side; split the file into shares for several machines",
            ),
            ("--segment", self.segment.is_some(), "the comparison covers all frames"),
            ("--crop-bars", self.part.crop_bars, "the bars of two files may differ; set the part with --region"),
        ];
        if let Some((name, _, why)) = refused.into_iter().find(|(_, is_given, _)| *is_given) {
            return wrong_usage(format!("{name} cannot be used with --against: {why}"));
        }
        if !self.adjust.is_off() {
            return wrong_usage("--against compares pictures as coded; leave out the adjustments");
        }
        Ok(())
    }

    /// Checks the adjustments: a record must not depend on earlier frames, and it describes a single picture.
    fn check_adjustments(&self, format: Format) -> Result<(), WrongUsage> {
        self.adjust.check(self.counting.components())?;
        if self.adjust.is_off() {
            return Ok(());
        }
        if self.adjust.counted() != Counted::Result {
            return wrong_usage(
                "analyze counts the adjusted picture; to count the source, leave the adjustments out, and for both, \
                 run it twice",
            );
        }
        if let Some(secs) = self.adjust.time_constant_secs() {
            return wrong_usage(format!(
                "--equalize with a time constant of {secs} s would make a record depend on the frames before it, so \
                 shares of a file could not be merged; leave it out, or write 0"
            ));
        }
        if matches!(format, FFPROBE | QCTOOLS) {
            return wrong_usage(format!(
                "--format {format} reproduces FFmpeg's own values, which describe the source; leave the adjustments \
                 out, or use --format jsonl, csv, json or parquet"
            ));
        }
        Ok(())
    }
}
