//! The settings of the look: each is a row, with its name, its changes and its state in words.

use super::change::Change;
use super::label::{Label, State};
use super::sharing;
use histoscope_core::histogram::Components;
use histoscope_core::scopes::Diagram;
use histoscope_core::scopes::graticule::Unit;
use histoscope_core::strip::StripLine;
use histoscope_core::tone_map::ToneMapping;
use histoscope_render::view::datascope::Datascope;
use histoscope_render::view::exposure::{FalseColorTable, Peaking};
use histoscope_render::view::guides::Mask;
use histoscope_render::view::overlay::{Arrangement, BarScale, Overlaps, OverlayStyle};
use histoscope_render::view::placement::{Fit, ViewSettings};
use histoscope_render::view::probes::Probes;
use histoscope_render::view::reference_lines::ReferenceLines;
use histoscope_render::view::scene::{Counted, Look, Scene};
use histoscope_render::view::scopes::{Layout, ScopeKind, ScopeStyle};
use serde::{Deserialize, Serialize};

/// Step of the histograms' height, as a fraction of the window's height.
const HEIGHT_STEP: f32 = 0.05;
/// Limits of the histograms' height, as fractions of the window's height: the controls need the rest.
const HEIGHTS: (f32, f32) = (0.1, 0.7);
/// Step of the histograms' opacity.
const OPACITY_STEP: f32 = 0.1;
/// Limits of the histograms' opacity.
const OPACITIES: (f32, f32) = (*OverlayStyle::OPACITIES.start(), 1.0);
/// The numbers of bins on offer; `None` is one per code. `--bin-count` sets any other number.
#[rustfmt::skip]
const BINS: [Option<u32>; 10] =
    [None, Some(8), Some(16), Some(32), Some(64), Some(100), Some(128), Some(256), Some(512), Some(1024)];

/// Carries out a change of a look, for codes of a number of bits. Returns `None` if the setting has no such change.
type Apply = fn(&mut Look, Change, u32) -> Option<()>;

/// A row of the table of settings.
#[derive(Clone, Copy)]
struct Row {
    apply: Apply,
    words: Words,
}

/// The words for a setting.
#[derive(Clone, Copy)]
pub enum Words {
    /// Words formed from its name and its state.
    Of {
        /// The name.
        label: Label,
        /// Returns the state.
        state: fn(&Look) -> State,
        /// Returns what a note says after name and state.
        remark: fn(&Look, Components) -> &'static str,
    },
    /// Its own words.
    Own {
        /// Returns the line of a menu for a change.
        offer: fn(&Look, Change) -> String,
        /// Returns the note on a change of this look, which the scene shows now.
        note: fn(&Look, &Scene, Change) -> String,
        /// Returns how two looks differ in the setting, if they do.
        difference: fn(&Look, &Look) -> Option<String>,
    },
}

impl Row {
    const fn new(label: Label, apply: Apply, state: fn(&Look) -> State) -> Self {
        Self { apply, words: Words::Of { label, state, remark: |_, _| "" } }
    }

    /// Adds what a note says after name and state.
    const fn remarking(self, remark: fn(&Look, Components) -> &'static str) -> Self {
        match self.words {
            Words::Of { label, state, .. } => Self { words: Words::Of { label, state, remark }, ..self },
            Words::Own { .. } => self,
        }
    }
}

/// A row for a field that is on or off.
macro_rules! switch {
    ($name:literal, $($field:ident).+) => {
        Row::new(
            Label::Switch($name),
            |look, change, _| change.switch(&mut look.$($field).+),
            |look| look.$($field).+.into(),
        )
    };
}

/// A row for a field with several values.
macro_rules! choice {
    ($name:literal, $($field:ident).+, $all:expr, $text:path) => {
        Row::new(
            Label::Choice($name),
            |look, change, _| change.choose(&mut look.$($field).+, &$all),
            |look| State::Is($text(look.$($field).+).to_string()),
        )
    };
}

/// A row for a field with steps, which is written in percent.
macro_rules! percentage {
    ($name:literal, $($field:ident).+, $step:expr, $limits:expr) => {
        Row::new(
            Label::Choice($name),
            |look, change, _| change.step(&mut look.$($field).+, $step, $limits),
            |look| State::Is(format!("{:.0} %", look.$($field).+ * 100.0)),
        )
    };
}

/// A row for a channel.
macro_rules! channel {
    ($name:literal, $channel:literal) => {
        Row::new(
            Label::Switch($name),
            |look, change, _| (change == Change::Switch).then(|| look.channels.toggle($channel)),
            |look| look.channels.contains($channel).into(),
        )
    };
}

/// A row for a scope. Choosing a single scope forgets the scopes that were hidden together.
macro_rules! scope {
    ($name:literal, $field:ident) => {
        Row::new(
            Label::Switch($name),
            |look, change, _| {
                look.scopes.hidden = None;
                change.switch(&mut look.scopes.$field)
            },
            |look| look.scopes.$field.into(),
        )
    };
}

/// A row for a guide. Choosing a guide while none is shown forgets the guides that were hidden.
macro_rules! guide {
    ($name:literal, $field:ident) => {
        Row::new(
            Label::Switch($name),
            |look, change, _| {
                let mut guides = look.guides.shown_only();
                change.switch(&mut guides.$field)?;
                look.guides = guides;
                Some(())
            },
            |look| (look.guides.shown && look.guides.$field).into(),
        )
    };
}

macro_rules! settings {
    ($($(#[$doc:meta])+ $setting:ident = $row:expr;)+) => {
        /// A setting of the look.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Setting {
            $($(#[$doc])+ $setting,)+
        }

        impl Setting {
            /// Every setting, in the order in which changes are listed.
            pub const ALL: &[Self] = &[$(Self::$setting),+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$setting => $row,)+
                }
            }
        }
    };
}

settings! {
    /// The first channel: red or Y'.
    Red = channel!("red", 0);
    /// The second channel: green or Cb.
    Green = channel!("green", 1);
    /// The third channel: blue or Cr.
    Blue = channel!("blue", 2);
    /// The fourth channel, luminance. Y', Cb and Cr are only three.
    Luminance = channel!("luminance", 3);
    /// All histograms.
    Histograms = switch!("histograms", overlays);
    /// The waveform.
    Waveform = scope!("waveform", waveform);
    /// The parade.
    Parade = scope!("parade", parade);
    /// The vectorscope.
    Vectorscope = scope!("vectorscope", vectorscope);
    /// Whether the scopes are next to the picture, or over it.
    Split = Row::new(
        Label::Switch("split layout"),
        |look, change, _| {
            let mut is_split = look.scopes.layout == Layout::Split;
            change.switch(&mut is_split)?;
            look.scopes.layout = if is_split { Layout::Split } else { Layout::Strip };
            Some(())
        },
        |look| (look.scopes.layout == Layout::Split).into(),
    );
    /// The unit of the scopes' level labels.
    Unit = choice!("levels", scopes.unit, Unit::ALL, Unit::name);
    /// What the vectorscope counts.
    Diagram = choice!("vectorscope diagram", scopes.diagram, Diagram::ALL, Diagram::name);
    /// The factor by which the middle of the vectorscope is enlarged.
    Zoom = choice!("vectorscope zoom", scopes.zoom, ScopeStyle::ZOOMS, zoom_text);
    /// Whether the vectorscope's trace is white, or has the hues that it stands for.
    White = switch!("white vectorscope", scopes.white);
    /// The vectorscope's skin-tone line.
    SkinTone = switch!("skin-tone line", scopes.skin);
    /// False colour, and its table. The next table also turns it on.
    FalseColor = Row::new(
        Label::Switch("false colour"),
        |look, change, _| {
            let chosen = &mut look.exposure.false_color;
            let next = change.choose(&mut chosen.table, &FalseColorTable::ALL).map(|()| chosen.shown = true);
            next.or_else(|| change.switch(&mut chosen.shown))
        },
        |look| shown(look.exposure.false_color.shown, look.exposure.false_color.table.text()),
    );
    /// The zebra on bright parts of the picture, and its level. A step also turns it on, so that the change is visible.
    Zebra = Row::new(
        Label::Switch("zebra"),
        |look, change, bits| {
            let exposure = &mut look.exposure;
            let level = change.more().map(|more| exposure.level.stepped(more, bits));
            let stepped = level.map(|level| (exposure.zebra, exposure.level) = (true, level));
            stepped.or_else(|| change.switch(&mut exposure.zebra))
        },
        |look| shown(look.exposure.zebra, format!("{} and above", look.exposure.level.text())),
    );
    /// The marks on clipped or out-of-range pixels, and their limits. The next limits also turn them on.
    Marks = Row::new(
        Label::Switch("marks"),
        |look, change, _| {
            let exposure = &mut look.exposure;
            let limits = (change == Change::Next).then(|| exposure.limits.next());
            let next = limits.map(|limits| (exposure.marks, exposure.limits) = (true, limits));
            next.or_else(|| change.switch(&mut exposure.marks))
        },
        |look| shown(look.exposure.marks, look.exposure.limits.text()),
    );
    /// The marks on sharp pixels.
    Peaking = choice!("focus peaking", exposure.peaking, Peaking::ALL, Peaking::name);
    /// The format of codes written into large pixels.
    Datascope = Row::new(
        Label::Choice("codes in pixels"),
        |look, change, _| change.choose(&mut look.datascope, &Datascope::ALL),
        |look| shown(look.datascope != Datascope::Off, look.datascope.name()),
    )
    .remarking(|look, components| match (look.datascope, components) {
        (Datascope::Off, _) => "",
        (_, Components::Rgbl) => "  ·  from 16:1 on, red over green over blue",
        (_, Components::YCbCr) => "  ·  from 16:1 on, Y' over Cb over Cr",
    });
    /// The figure that a line over the timeline's strip shows.
    StripLine = choice!("line over the strip", strip_line, StripLine::ALL, StripLine::name);
    /// All guides. Their changes are listed guide by guide.
    Guides = Row {
        apply: |look, change, _| (change == Change::Switch).then(|| look.guides.toggle()),
        words: Words::Own {
            offer: |look, _| GUIDES.offer(&look.guides.any().into()),
            note: |_, scene, _| GUIDES.note(&shown(scene.look.guides.any(), scene.look.guides.text())),
            difference: |_, _| None,
        },
    };
    /// The safe areas of EBU R 95.
    SafeAreas = guide!("safe areas", safe_areas);
    /// The area that is safe for captions in 4:3.
    Caption = guide!("4:3 caption", caption);
    /// The cross in the centre.
    Cross = guide!("centre cross", cross);
    /// The aspect mask.
    Mask = Row::new(
        Label::Choice("aspect mask"),
        |look, change, _| {
            let mut guides = look.guides.shown_only();
            change.choose(&mut guides.mask, &Mask::ALL)?;
            look.guides = guides;
            Some(())
        },
        |look| look.guides.mask_text().filter(|_| look.guides.shown).map_or(State::Off, State::Is),
    );
    /// The way of showing PQ and HLG.
    ToneMapping = choice!("tone map", tone_mapping, ToneMapping::ALL, ToneMapping::name);
    /// The brightness of the picture's own colours.
    Exposure = Row::new(
        Label::Choice("exposure"),
        |look, change, _| {
            look.stops = look.stops.stepped(change.more()?);
            Some(())
        },
        |look| State::Is(look.stops.to_string()),
    );
    /// The arrangement of the histograms.
    Arrangement = choice!("arrangement", histograms.arrangement, Arrangement::ALL, Arrangement::name);
    /// The height of the histograms.
    #[serde(rename = "histogram-height")]
    Height = percentage!("histogram height", histograms.height, HEIGHT_STEP, HEIGHTS);
    /// The opacity of the histograms.
    #[serde(rename = "histogram-opacity")]
    Opacity = percentage!("histogram opacity", histograms.opacity, OPACITY_STEP, OPACITIES);
    /// The scale of the bars' heights.
    Scale = choice!("bar heights", histograms.scale, BarScale::ALL, BarScale::name);
    /// Blurring of the picture behind the histograms.
    Backdrop = switch!("soft backdrop", histograms.backdrop);
    /// Linear-light luminance over the luminance of the codes.
    Linear = switch!("luminance of linear light", histograms.linear_luminance);
    /// The number of bins that are drawn per channel.
    Bins = choice!("bins", histograms.bins, BINS, bins_text);
    /// The colours of overlapping bars.
    Overlaps = choice!("overlaps", histograms.overlaps, [Overlaps::Light, Overlaps::Table], Overlaps::name);
    /// The cumulative histograms.
    Curves = switch!("cumulative curves", curves);
    /// The way of fitting the picture into the window. Another one also resets the zoom and centres the picture.
    Fit = Row::new(
        Label::Choice("fit"),
        |look, change, _| {
            let mut fit = look.view.fit;
            change.choose(&mut fit, &Fit::ALL)?;
            look.view = ViewSettings::fitted(fit);
            Some(())
        },
        |look| State::Is(look.view.fit.name().to_owned()),
    );
    /// Which of the source and the result are counted.
    Counted = choice!("counted", counted, Counted::ALL, Counted::name).remarking(|look, _| {
        if look.adjustments.is_off() { "; takes effect when an adjustment is on" } else { "" }
    });
    /// All scopes, including the histograms. Their changes are listed scope by scope.
    AllScopes = Row {
        apply: |look, change, _| (change == Change::Switch).then(|| toggle_scopes(look)),
        words: Words::Own {
            offer: |look, _| ALL_SCOPES.offer(&any_scope(look)),
            note: |_, scene, _| ALL_SCOPES.note(&any_scope(&scene.look)),
            difference: |_, _| None,
        },
    };
    /// The levels marked in waveforms, parades and histograms, which a switch removes.
    ReferenceLines = Row {
        apply: |look, change, _| {
            (change == Change::Switch).then(|| look.scopes.lines = ReferenceLines::default())
        },
        words: Words::Own {
            offer: |_, _| "Remove the reference lines".to_owned(),
            note: |_, _, _| "no reference lines: drag new ones from the axis of a scope".to_owned(),
            difference: |old, new| (old.scopes.lines != new.scopes.lines).then(|| "reference lines".to_owned()),
        },
    };
    /// The pixels that are pinned, which a switch removes.
    Probes = Row {
        apply: |look, change, _| (change == Change::Switch).then(|| look.probes = Probes::default()),
        words: Words::Own {
            offer: |_, _| "Remove the probes".to_owned(),
            note: |_, _, _| "no probes: Shift+I pins one under the pointer".to_owned(),
            difference: |old, new| (old.probes != new.probes).then(|| "probes".to_owned()),
        },
    };
    /// The amplification of differences, which a step doubles or halves.
    Gain = Row {
        apply: |look, change, _| {
            look.gain = look.gain.stepped(change.more()?);
            Some(())
        },
        words: Words::Own {
            offer: |_, change| sharing::gain_offer(change).to_owned(),
            note: sharing::gain_note,
            difference: |old, new| (old.gain != new.gain).then(|| format!("gain {}", new.gain)),
        },
    };
    /// The way in which two pictures share the view: a divider, side by side, or their difference.
    Sharing = Row {
        apply: |look, change, _| {
            look.sharing = sharing::changed(look.sharing, change)?;
            Some(())
        },
        words: Words::Own {
            offer: |look, change| sharing::offer(look.sharing, change).to_owned(),
            note: |old, scene, _| sharing::note(old.sharing, scene),
            difference: |old, new| {
                (old.sharing != new.sharing).then(|| sharing::name(old.sharing, new.sharing).to_owned())
            },
        },
    };
}

impl Setting {
    /// The channels' settings.
    pub const CHANNELS: [Self; 4] = [Self::Red, Self::Green, Self::Blue, Self::Luminance];

    /// Returns the channel that the setting shows or hides, if it is about a channel.
    #[must_use]
    pub fn channel(self) -> Option<usize> {
        Self::CHANNELS.iter().position(|&channel| channel == self)
    }

    /// Returns the name in the menu, in notes and for undo, unless the setting has words of its own.
    #[must_use]
    pub const fn label(self) -> Option<Label> {
        if let Words::Of { label, .. } = self.words() { Some(label) } else { None }
    }

    /// Changes the setting in a look, for codes of `bits` bits. Returns `None` if it has no such change.
    pub(super) fn apply(self, look: &mut Look, change: Change, bits: u32) -> Option<()> {
        (self.row().apply)(look, change, bits)
    }

    /// Returns the words for the setting.
    pub(super) const fn words(self) -> Words {
        self.row().words
    }
}

/// Returns the state of something that has a value while it is shown.
fn shown(is_shown: bool, value: impl Into<String>) -> State {
    if is_shown { State::Is(value.into()) } else { State::Off }
}

fn zoom_text(zoom: u32) -> String {
    format!("{zoom}×")
}

fn bins_text(bins: Option<u32>) -> String {
    bins.map_or_else(|| "one per code".to_owned(), |count| count.to_string())
}

/// The name of all guides together.
const GUIDES: Label = Label::Switch("guides");

/// The name of all scopes together.
const ALL_SCOPES: Label = Label::Switch("all scopes");

fn any_scope(look: &Look) -> State {
    (look.overlays || look.scopes.any()).into()
}

/// Hides all scopes, or shows again the ones that were hidden together, or the histograms if there are none. Showing
/// only the histograms in between does not forget the others.
fn toggle_scopes(look: &mut Look) {
    let shown = ScopeKind::ALL.map(|kind| look.scopes.shows(kind, look.overlays));
    let back = if shown.contains(&true) {
        let before = look.scopes.hidden.unwrap_or_default();
        look.scopes.hidden = Some(std::array::from_fn(|scope| shown[scope] || before[scope]));
        [false; 4]
    } else {
        look.scopes.hidden.take().unwrap_or([true, false, false, false])
    };
    [look.overlays, look.scopes.waveform, look.scopes.parade, look.scopes.vectorscope] = back;
}
