//! Profiles: each check with its severity, threshold and shortest length, as a TOML file.

use std::path::Path;
use std::str::FromStr;

use super::checks;
pub use super::error::ProfileError;
use super::error::line_of;
use super::finding::{Span, Waived};
use super::row::{Check, Threshold};
pub use super::rule::{Rule, Severity};
use super::waivers::Waiver;
use histoscope_core::text::shown;
use toml::de::{DeTable, DeValue};

/// A profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name of a built-in profile, or the path of a file.
    pub name: String,
    /// The rules, in the order of [`checks::ALL`].
    rules: [Rule; checks::ALL.len()],
    waivers: Vec<Waiver>,
}

/// What most deliveries ask for, with what each setting means.
const BASE: &str = include_str!("profiles/base.toml");

/// The built-in profiles: their names, and what each has other than [`BASE`]. The first is the default.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("ebu", include_str!("profiles/ebu.toml")),
    ("streaming-sdr", include_str!("profiles/streaming-sdr.toml")),
    ("camera", include_str!("profiles/camera.toml")),
    ("hdr10", include_str!("profiles/hdr10.toml")),
    ("hlg", include_str!("profiles/hlg.toml")),
    ("tape", include_str!("profiles/tape.toml")),
];

/// Returns the names of the built-in profiles.
fn names() -> String {
    BUILT_IN.map(|(name, _)| name).join(", ")
}

/// Returns the name and text of a built-in profile, or of the profile in a file.
///
/// # Errors
/// [`ProfileError`] if the file cannot be read.
pub fn text_of(name: &str) -> Result<(String, String), ProfileError> {
    if let Some((name, others)) = BUILT_IN.into_iter().find(|(known, _)| *known == name) {
        return Ok((name.to_owned(), text_with(others)));
    }
    let path = shown(Path::new(name));
    match std::fs::read_to_string(name) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(ProfileError::Unreadable { path, reason: error.to_string(), known: names() }),
    }
}

/// Returns the lines of a profile, each with the check that it is about; "" before the first.
fn lines_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut check = "";
    text.lines().map(move |line| {
        check = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(check);
        (check, line)
    })
}

/// Returns the text of [`BASE`] with these other settings, below their title.
fn text_with(others: &str) -> String {
    let title = others.lines().take_while(|line| line.starts_with('#')).map(str::to_owned);
    let lines = lines_of(BASE).map(|(check, line)| {
        let key = line.split_once(" = ").map(|(key, _)| format!("{key} = "));
        let other = key.and_then(|key| lines_of(others).find(|(of, other)| *of == check && other.starts_with(&key)));
        match (other, line.split_once('#')) {
            (None, _) => line.to_owned(),
            (Some((_, other)), None) => other.to_owned(),
            (Some((_, other)), Some((_, comment))) => format!("{other:<24}#{comment}"),
        }
    });
    title.chain(lines).map(|line| line + "\n").collect()
}

impl Profile {
    /// Reads a built-in profile, or the profile in a file, with the waivers in the file beside it, if there is one:
    /// `mine.waivers.toml` beside `mine.toml`.
    ///
    /// # Errors
    /// [`ProfileError`] if a file cannot be read, or is not a profile or not one of waivers.
    pub fn named(name: &str) -> Result<Self, ProfileError> {
        Self::changed(name, &[])
    }

    /// Like [`named`](Self::named), with some settings changed.
    ///
    /// # Errors
    /// Like [`named`](Self::named).
    pub fn changed(name: &str, settings: &[Setting]) -> Result<Self, ProfileError> {
        let is_built_in = BUILT_IN.iter().any(|(known, _)| *known == name);
        let path = Path::new(name);
        let (name, text) = text_of(name)?;
        let profile = Self::parse(&name, &text, settings)?;
        let beside = path.with_extension("waivers.toml");
        if is_built_in || !beside.exists() { Ok(profile) } else { profile.with_waivers(&beside) }
    }

    /// Adds the waivers in a file.
    ///
    /// # Errors
    /// [`ProfileError`] if the file cannot be read or is wrong.
    pub fn with_waivers(mut self, path: &Path) -> Result<Self, ProfileError> {
        self.waivers.extend(Waiver::read(path)?);
        Ok(self)
    }

    /// Parses the text of a profile, and changes some settings. Checks that it does not name are off.
    ///
    /// # Errors
    /// [`ProfileError::Wrong`] with the first line that is wrong.
    pub fn parse(name: &str, text: &str, settings: &[Setting]) -> Result<Self, ProfileError> {
        let wrong =
            |at: usize, what: String| ProfileError::Wrong { path: name.to_owned(), line: line_of(text, at), what };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, format!("{}; a profile is a TOML file", error.message().replace('\n', " ")))
        })?;
        let mut stated = [StatedRule::default(); checks::ALL.len()];
        let mut rules = [Rule::OFF; checks::ALL.len()];
        let mut named: Vec<_> = table.get_ref().iter().collect();
        named.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in named {
            let at = key.span().start;
            let index = index_of(key.get_ref()).map_err(|what| wrong(at, what))?;
            let (check, rule) = (checks::ALL[index], &mut stated[index]);
            let DeValue::Table(table) = value.get_ref() else {
                return Err(wrong(at, format!("'{}' is not a table; write [{0}]", check.name)));
            };
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            for (key, value) in entries {
                rule.state(check, key.get_ref(), value.get_ref()).map_err(|what| wrong(key.span().start, what))?;
            }
            rules[index] = rule.complete(check).map_err(|what| wrong(at, what))?;
        }
        // A rule may be complete only with several of them.
        for setting in settings {
            setting.apply(&mut stated[setting.index]).map_err(|what| setting.wrong(what))?;
        }
        for setting in settings {
            let rule = stated[setting.index].complete(checks::ALL[setting.index]);
            rules[setting.index] = rule.map_err(|what| setting.wrong(what))?;
        }
        Ok(Self { name: name.to_owned(), rules, waivers: Vec::new() })
    }

    /// Returns the checks that are made, each with its rule.
    pub(super) fn checks(&self) -> impl Iterator<Item = (&'static Check, &Rule)> {
        checks::ALL.into_iter().zip(&self.rules).filter(|(_, rule)| rule.severity != Severity::Off)
    }

    /// Returns the rule for a check, if it is made.
    pub(super) fn rule(&self, wanted: &Check) -> Option<&Rule> {
        self.checks().find(|(check, _)| check.name == wanted.name).map(|(_, rule)| rule)
    }

    /// Returns by whom and why a finding in a file is waived, if it is.
    pub(super) fn waived(&self, file: &str, check: &str, span: Option<Span>) -> Option<Waived> {
        Waiver::of(&self.waivers, file, check, span)
    }

    /// Returns the waivers.
    pub(super) fn waivers(&self) -> &[Waiver] {
        &self.waivers
    }
}

/// Returns the index of a check in [`checks::ALL`], or what to write instead.
fn index_of(name: &str) -> Result<usize, String> {
    let unknown =
        || format!("unknown check '{name}'; the checks are {}", checks::ALL.map(|check| check.name).join(", "));
    checks::ALL.iter().position(|check| check.name == name).ok_or_else(unknown)
}

/// A setting of a profile that is changed: `frozen.shortest=1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The setting as it was written.
    text: String,
    /// The index of its check.
    index: usize,
    key: String,
    value: String,
}

impl Setting {
    fn wrong(&self, what: String) -> ProfileError {
        ProfileError::Setting { text: self.text.clone(), what }
    }

    /// Changes a rule.
    fn apply(&self, rule: &mut StatedRule) -> Result<(), String> {
        // A word needs no quotation marks.
        let quoted = format!("\"{}\"", self.value);
        let parsed = DeValue::parse(&self.value).or_else(|_| DeValue::parse(&quoted));
        let value = parsed.map_err(|error| error.message().to_owned())?;
        rule.state(checks::ALL[self.index], &self.key, value.get_ref())
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(name, value)| Some((name.split_once('.')?, value)));
        let ((check, key), value) =
            parts.ok_or_else(|| "write CHECK.KEY=VALUE, for example frozen.shortest=1".to_owned())?;
        let [check, key, value] = [check, key, value].map(str::trim);
        let index = index_of(check)?;
        let setting = Self { text: text.to_owned(), index, key: key.to_owned(), value: value.to_owned() };
        setting.apply(&mut StatedRule::default())?;
        Ok(setting)
    }
}

/// What is stated of a check.
#[derive(Debug, Clone, Copy, Default)]
struct StatedRule {
    severity: Option<Severity>,
    threshold: Option<f64>,
    tolerance: Option<f64>,
    shortest: Option<f64>,
}

impl StatedRule {
    /// Takes a key with its value. An error is what is wrong, and what would be right.
    fn state(&mut self, check: &Check, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        let name = check.name;
        match (key, value) {
            ("severity", DeValue::String(text)) => {
                let known = Severity::ALL.into_iter().find(|severity| severity.name() == text.as_ref());
                let what = || format!("unknown severity '{text}'; write error, warning, info or off");
                self.severity = Some(known.ok_or_else(what)?);
            }
            ("severity", _) => return Err("a severity is a text: error, warning, info or off".to_owned()),
            ("threshold" | "expected", value) => {
                let Some(known) = check.threshold.as_ref().filter(|known| known.key() == key) else {
                    let article = if key == "threshold" { "no threshold" } else { "nothing expected" };
                    return Err(format!("the check {name} has {article}; leave it out"));
                };
                let what = || format!("a threshold of {name} is {}", known.range());
                self.threshold = Some(known.value(value).ok_or_else(what)?);
            }
            ("tolerance", value) => {
                if !check.threshold.as_ref().is_some_and(|known| known.has_tolerance) {
                    return Err(format!("the check {name} has no tolerance; leave it out"));
                }
                let number = number(value).filter(|number| (0.0..=100.0).contains(number));
                self.tolerance = Some(number.ok_or_else(|| "a tolerance is a number from 0 to 100".to_owned())?);
            }
            ("shortest", value) => {
                if !check.has_length {
                    return Err(format!("the check {name} has no shortest length; leave it out"));
                }
                let number = number(value).filter(|secs| (0.0..=86_400.0).contains(secs));
                let what = || "a shortest length is a number of seconds from 0 to 86400".to_owned();
                self.shortest = Some(number.ok_or_else(what)?);
            }
            (other, _) => {
                let threshold = check.threshold.as_ref().map_or("threshold", Threshold::key);
                return Err(format!("unknown key '{other}'; a check has severity, {threshold} and shortest"));
            }
        }
        Ok(())
    }

    /// Returns the rule, or what it lacks.
    fn complete(self, check: &Check) -> Result<Rule, String> {
        let name = check.name;
        let severity = self.severity.ok_or_else(|| format!("the check {name} states no severity"))?;
        let usual = check.threshold.as_ref().and_then(|known| known.usual);
        let threshold = self.threshold.or(usual);
        if let Some(known) = check.threshold.as_ref().filter(|_| threshold.is_none() && severity != Severity::Off) {
            let what = if known.words.is_empty() { "threshold" } else { "expected value" };
            return Err(format!("the check {name} states no {what}"));
        }
        let [threshold, tolerance, shortest_secs] =
            [threshold, self.tolerance, self.shortest].map(|stated| stated.unwrap_or(0.0));
        Ok(Rule { severity, threshold, tolerance, shortest_secs })
    }
}

impl Threshold {
    /// Returns the value of a threshold in a profile, if it makes sense.
    fn value(&self, value: &DeValue<'_>) -> Option<f64> {
        match value {
            DeValue::String(word) if !self.words.is_empty() => {
                self.words.iter().position(|known| *known == word.as_ref()).map(|index| index as f64)
            }
            _ if !self.words.is_empty() => None,
            DeValue::String(word) => (self.lowest == Some(word.as_ref())).then_some(f64::NEG_INFINITY),
            other => number(other).filter(|number| (self.low..=self.high).contains(number)),
        }
    }
}

/// Returns the value of an integer or a float, or `None` for anything else.
fn number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        DeValue::Float(float) => float.as_str(),
        _ => return None,
    };
    text.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profiles_state_every_check() {
        for (name, others) in BUILT_IN {
            let (_, text) = text_of(name).unwrap();
            for (check, line) in lines_of(others) {
                assert!(
                    line.starts_with('#')
                        || lines_of(&text).any(|(of, known)| {
                            of == check && known.split_once(" #").map_or(known, |(known, _)| known).trim_end() == line
                        }),
                    "{name}: {line}"
                );
            }
            let profile = Profile::parse(name, &text, &[]).unwrap();
            assert_eq!(profile, Profile::named(name).unwrap());
            for check in checks::ALL {
                assert!(text.contains(&format!("[{}]\nseverity", check.name)), "{name}: {}", check.name);
            }
            assert!(profile.checks().any(|(_, rule)| rule.severity == Severity::Error), "{name}");
        }
        let rule = Profile::named("ebu").unwrap().rule(&checks::clip::FROZEN).copied().unwrap();
        assert_eq!(rule, Rule { severity: Severity::Error, threshold: -60.0, tolerance: 0.0, shortest_secs: 2.0 });
        let frozen = |threshold: &str| {
            let text = format!("[frozen]\nseverity = \"error\"\n{threshold}");
            Profile::parse("p", &text, &[]).unwrap().rule(&checks::clip::FROZEN).unwrap().amplitude()
        };
        assert_eq!(["threshold = \"exact\"", "threshold = -40", ""].map(frozen), [0.0, 0.01, 0.001]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| Profile::parse("p.toml", text, &[]).unwrap_err().to_string();
        for (text, part) in [
            ("\n[blakc]\nseverity = \"error\"", "p.toml, line 2: unknown check 'blakc'; the checks are black, frozen"),
            ("[black]\nseverity = \"bad\"", "line 2: unknown severity 'bad'"),
            ("[black]\nseverity = 3", "line 2: a severity is a text"),
            ("[black]\nseverity = \"error\"\nthreshold = 400", "line 3: a threshold of black is a number of percent"),
            ("[black]\nseverity = \"error\"\nthreshold = \"98\"", "line 3: a threshold of black"),
            (
                "[frozen]\nseverity = \"error\"\nthreshold = -6",
                "frozen is a number of dB from -120 to -40, or \"exact\"",
            ),
            ("[frozen]\nseverity = \"error\"\nthreshold = \"exactly\"", "line 3: a threshold of frozen"),
            ("[black]\nseverity = \"error\"\nthreshold = nan", "line 3: a threshold of black"),
            ("[flash]\nseverity = \"error\"\nthreshold = 4", "line 3: the check flash has no threshold"),
            ("[black]\nseverity = \"error\"\ntolerance = 4", "line 3: the check black has no tolerance"),
            ("[loudness]\nseverity = \"error\"\ntolerance = -1", "line 3: a tolerance is a number"),
            ("[tags]\nseverity = \"error\"\nshortest = 4", "line 3: the check tags has no shortest length"),
            ("[frozen]\nseverity = \"error\"\nshortest = -1", "line 3: a shortest length"),
            ("[range]\nseverity = \"error\"", "line 1: the check range states no threshold"),
            ("[range]\nthreshold = 1", "line 1: the check range states no severity"),
            ("[black]\nlongest = 1", "line 2: unknown key 'longest'"),
            ("black = 1", "line 1: 'black' is not a table; write [black]"),
            ("[dynamic-range]\nseverity = \"error\"\nexpected = \"hdr\"", "is one of \"sdr\", \"hdr10\", \"hlg\""),
            (
                "[dynamic-range]\nseverity = \"error\"\nthreshold = 1",
                "line 3: the check dynamic-range has no threshold",
            ),
            ("[dynamic-range]\nseverity = \"error\"", "line 1: the check dynamic-range states no expected value"),
            ("[black\n", "line 1: "),
            ("[black]\nseverity = \"off\"\n[black]\n", "line 3: "),
        ] {
            let message = error(text);
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
        let missing = Profile::named("no/such.toml").unwrap_err().to_string();
        assert!(missing.starts_with("no/such.toml cannot be read as a profile"), "{missing}");
    }

    #[test]
    fn a_check_that_is_not_named_is_off() {
        let profile = Profile::parse("p", "[flash]\nseverity = \"info\"\n", &[]).unwrap();
        let made: Vec<_> = profile.checks().map(|(check, rule)| (check.name, rule.severity)).collect();
        assert_eq!(made, [("flash", Severity::Info)]);
    }

    #[test]
    fn settings_change_a_profile() {
        let set = |texts: &[&str]| {
            let settings: Vec<Setting> = texts.iter().map(|text| text.parse().unwrap()).collect();
            Profile::changed("ebu", &settings)
        };
        let rule = set(&["frozen.shortest=1", "frozen.threshold=exact", "frozen.severity = warning"]);
        let rule = *rule.unwrap().rule(&checks::clip::FROZEN).unwrap();
        let expected =
            Rule { severity: Severity::Warning, threshold: f64::NEG_INFINITY, tolerance: 0.0, shortest_secs: 1.0 };
        assert_eq!(rule, expected);
        let on = set(&["dynamic-range.severity=error", "dynamic-range.expected=hlg"]).unwrap();
        assert_eq!(on.rule(&checks::hdr::DYNAMIC_RANGE).map(|rule| rule.threshold), Some(2.0));
        let error =
            Profile::parse("p", "", &["dynamic-range.severity=error".parse().unwrap()]).unwrap_err().to_string();
        assert_eq!(error, "--set dynamic-range.severity=error: the check dynamic-range states no expected value");
        for (text, part) in [
            ("frozen", "write CHECK.KEY=VALUE"),
            ("frozzen.shortest=1", "unknown check 'frozzen'"),
            ("frozen.shrtest=1", "unknown key 'shrtest'"),
            ("frozen.shortest=1s", "a shortest length is a number of seconds"),
            ("black.threshold=98%", "a threshold of black is a number of percent"),
            ("black.severity=bad", "unknown severity 'bad'"),
        ] {
            let what = text.parse::<Setting>().unwrap_err();
            assert!(what.contains(part), "{text}: {what}");
        }
    }
}
