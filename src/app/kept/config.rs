//! Settings that persist between runs, stored as JSON in the platform's configuration folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::FileContent;
use super::fits::FitChoices;
use super::luts::FolderLuts;
use crate::app::kept;
use crate::app::sound::Volume;
use histoscope_core::adjust::Choices;
use histoscope_hud::PositionReadout;
use histoscope_hud::StripSize;
use histoscope_render::view::scene::Look;

/// The names of the settings file, and of the copy that is set aside if it is malformed.
const NAME: kept::Name = kept::Name { file: "settings.json", aside: "settings.unreadable.json" };
/// Time from the last change until the settings are written.
const DELAY: Duration = Duration::from_secs(1);

/// The settings that persist between runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The persistent part of the picture's look.
    #[serde(flatten)]
    pub look: Look,
    /// How pictures fit the window.
    #[serde(flatten)]
    pub fits: FitChoices,
    /// `true` if the controls stay on screen.
    pub pinned: bool,
    /// The size of the strip behind the timeline.
    pub strip: StripSize,
    /// The volume of the sound.
    pub volume: Volume,
    /// The position format that the bar shows first.
    pub readout: PositionReadout,
    /// The last used parameters of the adjustments. Which ones are on is not stored: a video opens unadjusted.
    pub adjustments: Choices,
    /// The lookup tables last used in each folder.
    pub luts: FolderLuts,
    /// The profile to check by: the name of a built-in one, or the path of a file. Empty for the default.
    pub profile: String,
}

/// Reads and writes the settings file.
#[derive(Debug, Clone)]
pub struct Store {
    /// The folder; `None` if nothing is to be stored.
    folder: Option<PathBuf>,
    /// The content of the file as last read or written.
    saved: Settings,
}

impl Store {
    /// Reads the settings from the platform's configuration folder. If `ignored`, uses the defaults and stores nothing.
    #[must_use]
    pub fn open(ignored: bool) -> Self {
        if ignored {
            return Self { folder: None, saved: Settings::default() };
        }
        match directories::ProjectDirs::from("", "", "histoscope") {
            Some(folders) => Self::in_folder(folders.config_dir()),
            None => {
                log::warn!("this system has no settings folder; settings are not saved");
                Self { folder: None, saved: Settings::default() }
            }
        }
    }

    /// Reads the settings from a folder. A malformed file is logged and set aside, and the defaults are used.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let kept = Some(folder.to_owned());
        match kept::read::<Settings>(folder, NAME) {
            FileContent::Value(settings) => {
                let look = settings.look.clamped();
                Self { folder: kept, saved: Settings { look, ..settings } }
            }
            FileContent::Nothing => Self { folder: kept, saved: Settings::default() },
            FileContent::Unreadable => Self { folder: None, saved: Settings::default() },
        }
    }

    /// Returns the folder, or `None` if nothing is stored.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the settings as last stored.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.saved
    }

    /// Writes the settings if they have changed and are to be stored. A failure is logged once; nothing is stored
    /// afterwards.
    pub fn save(&mut self, settings: &Settings) {
        let Some(folder) = &self.folder else { return };
        if self.saved == *settings {
            return;
        }
        match kept::write(folder, NAME, settings) {
            Ok(()) => self.saved = settings.clone(),
            Err(error) => {
                log::warn!("{} cannot be written ({error}); settings are not saved", folder.join(NAME.file).display());
                self.folder = None;
            }
        }
    }
}

/// Postpones writing changed settings until a while after the last change, or to the end of the run.
#[derive(Debug)]
pub struct Keeper {
    store: Store,
    due: Option<Instant>,
}

impl Keeper {
    /// Creates a keeper that writes to a store.
    #[must_use]
    pub const fn new(store: Store) -> Self {
        Self { store, due: None }
    }

    /// Notes that a persistent setting has changed.
    pub fn changed(&mut self, now: Instant) {
        self.due = Some(now + DELAY);
    }

    /// Returns when the settings must be written, if they have changed.
    #[must_use]
    pub const fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes the settings now.
    pub fn keep(&mut self, settings: &Settings) {
        self.due = None;
        self.store.save(settings);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use histoscope_render::view::datascope::Datascope;
    use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Level, MarkLimits, Unit};
    use histoscope_render::view::overlay::{Arrangement, BarScale, Channels, Overlaps};
    use histoscope_render::view::placement::Fit;
    use histoscope_render::view::scopes::ScopeStyle;

    fn changed() -> Settings {
        let mut settings = Settings { pinned: true, ..Settings::default() };
        settings.fits = FitChoices { fit: Fit::Contain, fits: [("1.33".to_owned(), Fit::Cover)].into() };
        settings.adjustments.blur.size = 21;
        settings.strip = StripSize::Tall;
        settings.readout = PositionReadout::Timecode;
        settings.profile = "camera".to_owned();
        let look = &mut settings.look;
        (look.overlays, look.curves) = (false, true);
        look.channels = Channels::one(1).union(Channels::one(3));
        look.exposure = Exposure {
            zebra: true,
            level: Level::Code(700),
            limits: MarkLimits::R103,
            marks: true,
            false_color: FalseColor { shown: true, table: FalseColorTable::Steps, unit: Unit::Codes },
            ..Exposure::default()
        };
        look.datascope = Datascope::Hexadecimal;
        look.histograms.arrangement = Arrangement::Parade;
        look.histograms.scale = BarScale::Logarithmic;
        look.histograms.height = 0.4;
        look.histograms.overlaps = Overlaps::Table;
        look.histograms.overlap_table.0[3] = [1, 2, 3];
        look.scopes = ScopeStyle { parade: true, zoom: 4, picture: [0.5, 0.7], ..ScopeStyle::default() };
        settings
    }

    /// The file that version 0.2 wrote for [`changed`].
    const OLDER: &str = r##"{"histograms":{"arrangement":"parade","height":0.4,"opacity":1.0,"logarithmic":true,"backdrop":false,
        "bins":null,"linear_luminance":false,"overlaps":"table","overlap_table":["#000000","#ff0000","#00ff00",
        "#010203","#0000ff","#ff00ff","#00ffff","#808080","#ffffff","#ff7f7f","#7fff7f","#ffff7f","#7f7fff","#ff7fff",
        "#7fffff","#808080"]},"channels":"gl","shown":false,"fit":"contain","fits":{"1.33":"cover"},"pinned":true,
        "curves":true,"strip":"tall","readout":"timecode","scopes":{"waveform":false,"parade":true,
        "vectorscope":false,"layout":"strip","gain":1.0,"zoom":4,"white":false,"skin":false,"unit":"percent",
        "picture":[0.5,0.7],"widths":[1.0,1.0,1.0,1.0]},"exposure":{"zebra":true,"level":"700c","marks":true,
        "limits":"r103","false_color":{"shown":true,"table":"steps","unit":"codes"}},"datascope":"hexadecimal",
        "adjustments":{"low_pass":"21x1","equalize":"luminance:0.5","clahe":"8x8:2","posterize":"5:width",
        "otsu":"2:tones"}}"##;

    #[test]
    fn settings_of_an_earlier_version_are_read() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(NAME.file), OLDER).unwrap();
        // It knew no profile.
        let expected = Settings { profile: String::new(), ..changed() };
        assert_eq!(Store::in_folder(home.path()).settings(), &expected);
    }

    #[test]
    fn settings_persist_to_the_next_run() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("not/there/yet");
        Store::in_folder(&folder).save(&changed());
        let store = Store::in_folder(&folder);
        assert_eq!(store.settings(), &changed());
        assert_eq!(store.settings().look.channels.bits(), 0b1010);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "a temporary file is left behind");
    }

    #[test]
    fn a_malformed_file_is_set_aside_and_the_defaults_are_used() {
        for text in ["", "{", "[1, 2]", "{\"fit\": \"sideways\"}", "{\"histograms\": {\"height\": \"tall\"}}", "\u{0}"]
        {
            let home = tempfile::tempdir().unwrap();
            fs::write(home.path().join(NAME.file), text).unwrap();
            let mut store = Store::in_folder(home.path());
            assert_eq!(store.settings(), &Settings::default(), "{text:?}");
            store.save(&changed());
            assert_eq!(fs::read_to_string(home.path().join(NAME.aside)).unwrap(), text, "the user's file is lost");
            assert_eq!(Store::in_folder(home.path()).settings(), &changed());
        }
    }

    #[test]
    fn out_of_range_values_and_unknown_fields_do_no_harm() {
        let home = tempfile::tempdir().unwrap();
        let text = r#"{"histograms": {"height": 99, "opacity": -1}, "channels": "xyzr", "of a later version": true}"#;
        fs::write(home.path().join(NAME.file), text).unwrap();
        let store = Store::in_folder(home.path());
        let style = store.settings().look.histograms;
        assert_eq!((style.height, style.opacity), (1.0, 0.1));
        assert_eq!(store.settings().look.channels, Channels::one(0));
    }

    #[test]
    fn nothing_is_stored_if_settings_are_ignored() {
        let mut store = Store::open(true);
        store.save(&changed());
        assert_eq!(store.settings(), &Settings::default());
    }

    #[cfg(unix)]
    #[test]
    fn an_unwritable_folder_is_survived() {
        let home = tempfile::tempdir().unwrap();
        // A file is where the folder should be.
        let folder = home.path().join("file");
        fs::write(&folder, "").unwrap();
        let mut store = Store::in_folder(&folder);
        store.save(&changed());
        assert_eq!(fs::read_to_string(&folder).unwrap(), "");
    }
}
