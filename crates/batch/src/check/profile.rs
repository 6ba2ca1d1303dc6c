//! Profiles: each check with its severity, threshold and shortest length, as a TOML file.

use std::path::Path;

use super::checks;
use super::row::{Check, Threshold};
pub use super::rule::{Rule, Severity};
use histoscope_core::text::shown;
use toml::de::{DeTable, DeValue};

/// A profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name of a built-in profile, or the path of a file.
    pub name: String,
    /// The rules, in the order of [`checks::ALL`].
    rules: [Rule; checks::ALL.len()],
}

/// The built-in profiles: their names and texts. The first is the default.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("ebu-r103", include_str!("profiles/ebu-r103.toml")),
    ("streaming-sdr", include_str!("profiles/streaming-sdr.toml")),
    ("camera", include_str!("profiles/camera.toml")),
];

/// The reason why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("{path} cannot be read as a profile ({reason}); name a file, or one of {}", names())]
    Unreadable {
        /// The path.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A line of the file is wrong.
    #[error("{path}, line {line}: {what}")]
    Wrong {
        /// The path.
        path: String,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
}

/// Returns the names of the built-in profiles.
fn names() -> String {
    BUILT_IN.map(|(name, _)| name).join(", ")
}

/// Returns the name and text of a built-in profile, or of the profile in a file.
///
/// # Errors
/// [`ProfileError`] if the file cannot be read.
pub fn text_of(name: &str) -> Result<(String, String), ProfileError> {
    if let Some((name, text)) = BUILT_IN.into_iter().find(|(known, _)| *known == name) {
        return Ok((name.to_owned(), text.to_owned()));
    }
    let path = shown(Path::new(name));
    match std::fs::read_to_string(name) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(ProfileError::Unreadable { path, reason: error.to_string() }),
    }
}

impl Profile {
    /// Reads a built-in profile, or the profile in a file.
    ///
    /// # Errors
    /// [`ProfileError`] if the file cannot be read or is not a profile.
    pub fn named(name: &str) -> Result<Self, ProfileError> {
        let (name, text) = text_of(name)?;
        Self::parse(&name, &text)
    }

    /// Parses the text of a profile. Checks that it does not name are off.
    ///
    /// # Errors
    /// [`ProfileError::Wrong`] with the first line that is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, ProfileError> {
        let line = |at: usize| text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        let wrong = |at: usize, what: String| ProfileError::Wrong { path: name.to_owned(), line: line(at), what };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, format!("{}; a profile is a TOML file", error.message().replace('\n', " ")))
        })?;
        let mut rules = [Rule::OFF; checks::ALL.len()];
        let mut named: Vec<_> = table.get_ref().iter().collect();
        named.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in named {
            let at = key.span().start;
            let known = checks::ALL.iter().zip(&mut rules).find(|(check, _)| check.name == key.get_ref().as_ref());
            let Some((check, rule)) = known else {
                let known = checks::ALL.map(|check| check.name).join(", ");
                return Err(wrong(at, format!("unknown check '{}'; the checks are {known}", key.get_ref())));
            };
            let DeValue::Table(table) = value.get_ref() else {
                return Err(wrong(at, format!("'{}' is not a table; write [{0}]", check.name)));
            };
            *rule = rule_in(table, check, at).map_err(|(at, what)| wrong(at, what))?;
        }
        Ok(Self { name: name.to_owned(), rules })
    }

    /// Returns the checks that are made, each with its rule.
    pub(super) fn checks(&self) -> impl Iterator<Item = (&'static Check, &Rule)> {
        checks::ALL.into_iter().zip(&self.rules).filter(|(_, rule)| rule.severity != Severity::Off)
    }

    /// Returns the rule for a check, if it is made.
    pub(super) fn rule(&self, wanted: &Check) -> Option<&Rule> {
        self.checks().find(|(check, _)| check.name == wanted.name).map(|(_, rule)| rule)
    }
}

/// Parses the table of a check that begins at byte `at`. An error is the byte at which it lies, and what is wrong.
fn rule_in(table: &DeTable<'_>, check: &Check, at: usize) -> Result<Rule, (usize, String)> {
    let name = check.name;
    let (mut severity, mut threshold, mut shortest) = (None, None, None);
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let at = key.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("severity", DeValue::String(text)) => {
                let known = Severity::ALL.into_iter().find(|severity| severity.name() == text.as_ref());
                let what = || format!("unknown severity '{text}'; write error, warning, info or off");
                severity = Some(known.ok_or_else(|| (at, what()))?);
            }
            ("severity", _) => return Err((at, "a severity is a text: error, warning, info or off".to_owned())),
            ("threshold", value) => {
                let Some(known) = &check.threshold else {
                    return Err((at, format!("the check {name} has no threshold; leave it out")));
                };
                threshold = Some(
                    known.value(value).ok_or_else(|| (at, format!("a threshold of {name} is {}", known.range())))?,
                );
            }
            ("shortest", value) => {
                if !check.has_length {
                    return Err((at, format!("the check {name} has no shortest length; leave it out")));
                }
                let number = number(value).filter(|secs| (0.0..=86_400.0).contains(secs));
                let what = || "a shortest length is a number of seconds from 0 to 86400".to_owned();
                shortest = Some(number.ok_or_else(|| (at, what()))?);
            }
            (other, _) => {
                return Err((at, format!("unknown key '{other}'; a check has severity, threshold and shortest")));
            }
        }
    }
    let severity = severity.ok_or_else(|| (at, format!("the check {name} states no severity")))?;
    let threshold = threshold.or(check.threshold.as_ref().and_then(|known| known.usual));
    let has_threshold = check.threshold.is_none() || threshold.is_some() || severity == Severity::Off;
    if !has_threshold {
        return Err((at, format!("the check {name} states no threshold")));
    }
    Ok(Rule { severity, threshold: threshold.unwrap_or(0.0), shortest_secs: shortest.unwrap_or(0.0) })
}

impl Threshold {
    /// Returns the value of a threshold in a profile, if it makes sense.
    fn value(&self, value: &DeValue<'_>) -> Option<f64> {
        match value {
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
        for (name, text) in BUILT_IN {
            let profile = Profile::parse(name, text).unwrap();
            assert_eq!(profile, Profile::named(name).unwrap());
            for check in checks::ALL {
                assert!(text.contains(&format!("[{}]\nseverity", check.name)), "{name}: {}", check.name);
            }
            assert!(profile.checks().any(|(_, rule)| rule.severity == Severity::Error), "{name}");
        }
        let rule = Profile::named("ebu-r103").unwrap().rule(&checks::clip::FROZEN).copied().unwrap();
        assert_eq!(rule, Rule { severity: Severity::Error, threshold: -60.0, shortest_secs: 2.0 });
        let frozen = |threshold: &str| {
            let text = format!("[frozen]\nseverity = \"error\"\n{threshold}");
            Profile::parse("p", &text).unwrap().rule(&checks::clip::FROZEN).unwrap().amplitude()
        };
        assert_eq!(["threshold = \"exact\"", "threshold = -40", ""].map(frozen), [0.0, 0.01, 0.001]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| Profile::parse("p.toml", text).unwrap_err().to_string();
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
            ("[tags]\nseverity = \"error\"\nshortest = 4", "line 3: the check tags has no shortest length"),
            ("[frozen]\nseverity = \"error\"\nshortest = -1", "line 3: a shortest length"),
            ("[range]\nseverity = \"error\"", "line 1: the check range states no threshold"),
            ("[range]\nthreshold = 1", "line 1: the check range states no severity"),
            ("[black]\nlongest = 1", "line 2: unknown key 'longest'"),
            ("black = 1", "line 1: 'black' is not a table; write [black]"),
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
        let profile = Profile::parse("p", "[flash]\nseverity = \"info\"\n").unwrap();
        let made: Vec<_> = profile.checks().map(|(check, rule)| (check.name, rule.severity)).collect();
        assert_eq!(made, [("flash", Severity::Info)]);
    }
}
