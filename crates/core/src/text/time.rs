//! Formatting and parsing of times.

use std::time::SystemTime;

/// Formats a time as RFC 3339, in UTC with milliseconds: `2026-03-01T12:00:00.250Z`.
#[must_use]
pub fn rfc3339(moment: SystemTime) -> String {
    // This fails only for years of more than four digits, which no clock reports.
    jiff::Timestamp::try_from(moment).map_or_else(|_| "unknown".to_owned(), |stamp| format!("{stamp:.3}"))
}

/// Formats the time of day, in UTC: `12:00:00 UTC`.
#[must_use]
pub fn clock_time(moment: SystemTime) -> String {
    let stamp = rfc3339(moment);
    let time = stamp.split_once('T').and_then(|(_, time)| time.get(..8));
    time.map_or_else(|| stamp.clone(), |time| format!("{time} UTC"))
}

/// Formats a time for a file name, to the second, in UTC: `20261123T081500Z`.
#[must_use]
pub fn file_stamp(moment: SystemTime) -> String {
    let stamp = rfc3339(moment);
    let whole = stamp.split_once('.').map_or_else(|| stamp.clone(), |(whole, _)| format!("{whole}Z"));
    whole.replace(['-', ':'], "")
}

/// Parses a time, `SS.mmm`, `MM:SS.mmm` or `HH:MM:SS.mmm`, and returns it in seconds.
///
/// # Errors
/// A message that lists the accepted forms.
pub fn parse_time(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a time; write seconds (3.2), MM:SS (1:02.5) or HH:MM:SS (0:01:02.5)");
    let parts: Vec<&str> = text.split(':').collect();
    let (last, leading) = parts.split_last().ok_or_else(wrong)?;
    let seconds: f64 = last.parse().map_err(|_| wrong())?;
    let plain = last.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if leading.len() > 2 || !plain || (!leading.is_empty() && seconds >= 60.0) {
        return Err(wrong());
    }
    let mut whole = 0_u32;
    for (part, index) in leading.iter().zip(0..) {
        let value: u32 = part.parse().map_err(|_| wrong())?;
        if index > 0 && value >= 60 {
            return Err(wrong());
        }
        whole = whole.checked_mul(60).and_then(|w| w.checked_add(value)).ok_or_else(wrong)?;
    }
    Ok(f64::from(whole) * 60.0 + seconds)
}

/// Formats seconds as `M:SS.mmm`, or `H:MM:SS.mmm` from one hour.
#[must_use]
pub fn time_text(secs: f64) -> String {
    let sign = if secs < 0.0 { "-" } else { "" };
    // The conversion saturates, so no time is too large.
    let millis = (secs.abs() * 1000.0).round() as u64;
    let (hours, minutes, seconds, millis) =
        (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60, millis % 1000);
    if hours > 0 {
        format!("{sign}{hours}:{minutes:02}:{seconds:02}.{millis:03}")
    } else {
        format!("{sign}{minutes}:{seconds:02}.{millis:03}")
    }
}

/// Formats how far the picture is behind the newest one: `−3.2 s`, `−1:00`, `−1:01:01`. Returns `None` below 0.05 s.
#[must_use]
pub fn behind_text(secs: f64) -> Option<String> {
    if secs < 0.05 {
        return None;
    }
    if secs < 59.95 {
        return Some(format!("−{secs:.1} s"));
    }
    // The conversion saturates.
    let whole = secs.round() as u64;
    let (hours, minutes, secs) = (whole / 3600, whole / 60 % 60, whole % 60);
    Some(if hours > 0 { format!("−{hours}:{minutes:02}:{secs:02}") } else { format!("−{minutes}:{secs:02}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_parsed_as_people_write_them() {
        for (text, seconds) in
            [("3.2", 3.2), ("0", 0.0), ("75", 75.0), ("1:02.5", 62.5), ("01:00:00.250", 3600.25), ("90:00", 5400.0)]
        {
            assert_eq!(parse_time(text), Ok(seconds), "{text}");
        }
        for text in ["", "x", "-1", "1:75", "1:60:00", "1:2:3:4", "nan", "inf", "1e3", ":", "1:", "99999999:00:00"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_formatted_as_people_write_them() {
        assert_eq!(time_text(0.0), "0:00.000");
        assert_eq!(time_text(62.5), "1:02.500");
        assert_eq!(time_text(3661.001), "1:01:01.001");
        assert_eq!(time_text(59.9996), "1:00.000");
        assert_eq!(time_text(-0.5), "-0:00.500");
        assert!(!time_text(1e300).is_empty() && !time_text(f64::NAN).is_empty());
    }

    #[test]
    fn longer_delays_are_formatted_less_precisely() {
        for (secs, text) in [
            (0.0, None),
            (-1.0, None),
            (0.049, None),
            (0.05, Some("−0.1 s")),
            (59.94, Some("−59.9 s")),
            (59.96, Some("−1:00")),
            (3599.4, Some("−59:59")),
            (3661.0, Some("−1:01:01")),
        ] {
            assert_eq!(behind_text(secs).as_deref(), text, "{secs}");
        }
    }
}
