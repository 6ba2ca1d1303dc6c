//! Times and numbers in a report, and the labels of the time axis.

/// Possible distances between labels on a time axis, in seconds.
const STEPS: [f64; 27] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0,
    900.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0,
];

/// Formats a time with milliseconds: `M:SS.mmm`, or `H:MM:SS.mmm` for an hour or more.
#[must_use]
pub fn time(secs: f64) -> String {
    write_time(secs, 3)
}

fn write_time(secs: f64, decimals: usize) -> String {
    let scale = 10_u64.pow(decimals as u32);
    let units = (secs.max(0.0) * scale as f64).round() as u64;
    let (whole, fraction) = (units / scale, units % scale);
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    let clock =
        if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") };
    if decimals == 0 { clock } else { format!("{clock}.{fraction:0decimals$}") }
}

/// A label on the time axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Time in seconds.
    pub secs: f64,
    /// Text of the label.
    pub label: String,
}

/// Returns at most `most` labels at round times between `begin` and `end`.
#[must_use]
pub fn ticks(begin: f64, end: f64, most: usize) -> Vec<Tick> {
    let length = end - begin;
    let step = STEPS.into_iter().find(|step| length / step <= most.saturating_sub(1) as f64);
    let step = step.unwrap_or_else(|| (length / most as f64 / 86_400.0).ceil() * 86_400.0);
    let decimals = match step {
        step if step >= 1.0 => 0,
        step if step >= 0.1 => 1,
        step if step >= 0.01 => 2,
        _ => 3,
    };
    let first = (begin / step - 1e-6).ceil() as u64;
    let times = (first..).map(|index| index as f64 * step).take_while(|secs| *secs <= end + step * 1e-6);
    times.map(|secs| Tick { secs, label: write_time(secs, decimals) }).collect()
}

/// Formats a share in percent with a sensible number of digits.
#[must_use]
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        value if value < 0.001 => "< 0.001 %".to_owned(),
        value if value < 1.0 => format!("{value:.3} %"),
        value if value < 99.95 || share >= 1.0 => format!("{value:.1} %"),
        value => format!("{value:.3} %"),
    }
}

/// Formats an integer in groups of three digits, separated by narrow no-break spaces.
#[must_use]
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_to_milliseconds() {
        assert_eq!(time(0.0), "0:00.000");
        assert_eq!(time(59.9996), "1:00.000");
        assert_eq!(time(3725.5), "1:02:05.500");
    }

    #[test]
    fn axes_are_labelled_at_round_times() {
        let labels =
            |begin, end, most| ticks(begin, end, most).into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(0.0, 12.0, 9), "0:00 0:02 0:04 0:06 0:08 0:10 0:12");
        assert_eq!(
            labels(0.0, 0.04, 10),
            "0:00.000 0:00.005 0:00.010 0:00.015 0:00.020 0:00.025 0:00.030 0:00.035 0:00.040"
        );
        assert_eq!(labels(3590.0, 3661.0, 6), "1:00:00 1:00:15 1:00:30 1:00:45 1:01:00");
        for hours in 1..200 {
            let count = ticks(7.0, 7.0 + f64::from(hours) * 3600.0, 10).len();
            assert!((2..=10).contains(&count) || hours < 2, "{hours} h: {count} labels");
        }
    }

    #[test]
    fn shares_have_significant_digits() {
        let texts = [0.0, 1e-9, 0.000_123, 0.5, 0.999_99, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "< 0.001 %", "0.012 %", "50.0 %", "99.999 %", "100.0 %"]);
    }

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!([7, 1234, 1_234_567].map(whole), ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]);
    }
}
