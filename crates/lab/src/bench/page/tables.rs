//! The tables of the page: all rows of all runs, and comparisons between them.

use crate::bench::adjust::AdjustRow;
use crate::bench::join::{Joined, Machine, MachineCell, PictureGroup, letter};
use crate::bench::report::{MethodRow, Report};
use crate::bench::survey::Survey;
use crate::{ChannelSet, Method};

/// A table.
pub struct Table {
    pub title: String,
    pub about: Option<String>,
    pub head: Vec<String>,
    pub rows: Vec<TableRow>,
}

/// A row of a table.
pub struct TableRow {
    pub class: &'static str,
    /// The name that selects the row.
    pub name: Option<String>,
    pub cells: Vec<TableCell>,
}

/// A cell of a table.
pub struct TableCell {
    pub text: String,
    /// `true` if the cell shows an error.
    pub wrong: bool,
}

impl TableCell {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), wrong: false }
    }
}

impl TableRow {
    fn new(name: &str, cells: Vec<TableCell>) -> Self {
        Self { class: "", name: Some(name.to_owned()), cells }
    }

    fn pass(name: &str, us: f64, columns: usize) -> Self {
        let mut cells = vec![TableCell::of(name), TableCell::of(time(us))];
        cells.resize_with(columns, || TableCell::of(""));
        Self { class: "pass", name: None, cells }
    }

    fn note(text: &str) -> Self {
        Self { class: "note", name: None, cells: vec![TableCell::of(text)] }
    }
}

/// Formats a time in a suitable unit.
pub fn time(us: f64) -> String {
    match us {
        us if us < 100.0 => format!("{us:.1} µs"),
        us if us < 10_000.0 => format!("{us:.0} µs"),
        us => format!("{:.1} ms", us / 1e3),
    }
}

/// Formats a ratio with about three digits.
pub fn ratio(value: f64) -> String {
    match value {
        value if value < 0.1 => format!("{value:.4}"),
        value if value < 10.0 => format!("{value:.2}"),
        value => format!("{value:.0}"),
    }
}

fn or_dash(text: Option<String>) -> TableCell {
    TableCell::of(text.unwrap_or_else(|| "–".into()))
}

/// Describes the pictures of a run.
pub fn picture(run: &Report) -> String {
    format!("{}×{} {}, {}", run.size.0, run.size.1, run.layout, run.content)
}

/// Makes the tables of one machine.
pub fn of_survey(survey: &Survey) -> Vec<Table> {
    let mut tables = Vec::new();
    if survey.runs.len() > 1 {
        tables.extend([ChannelSet::Four, ChannelSet::One].map(|channels| by_picture(survey, channels)));
    }
    for run in &survey.runs {
        for channels in [ChannelSet::Four, ChannelSet::One] {
            let rows: Vec<_> = run.rows.iter().filter(|row| row.channels == channels).collect();
            if !rows.is_empty() {
                tables.push(of_run(format!("{}: {}", picture(run), words(channels)), &rows));
            }
        }
        if !run.adjustments.is_empty() {
            tables.push(adjustments(format!("{}: adjustments and drawing", picture(run)), &run.adjustments));
        }
    }
    tables
}

const fn words(channels: ChannelSet) -> &'static str {
    match channels {
        ChannelSet::Four => "red, green, blue and luminance",
        ChannelSet::One => "luminance",
    }
}

/// Makes a table of every method by size and content.
fn by_picture(survey: &Survey, channels: ChannelSet) -> Table {
    let mut head = vec![String::new()];
    head.extend(survey.runs.iter().flat_map(|run| [picture(run), "× loop".into(), "× floor".into()]));
    let row_of = |run: &'_ Report, method| {
        run.rows
            .iter()
            .find(|row| row.method == method && row.channels == channels)
            .map(|row| (row.times, row.of_loop, row.of_floor))
    };
    let row = |&method: &Method| {
        let found: Vec<_> = survey.runs.iter().map(|run| row_of(run, method)).collect();
        found.iter().any(Option::is_some).then(|| {
            let mut cells = vec![TableCell::of(method.title())];
            for (times, of_loop, of_floor) in found.into_iter().map(Option::unwrap_or_default) {
                cells.push(or_dash(times.map(|times| time(times.median_us))));
                cells.extend([of_loop, of_floor].map(|of| or_dash(of.map(ratio))));
            }
            TableRow::new(method.name(), cells)
        })
    };
    let about = "If a method counted a smaller picture, its time is for that picture. Ratios are per pixel.";
    Table {
        title: format!("By size and content: {}", words(channels)),
        about: Some(about.into()),
        head,
        rows: Method::ALL.iter().filter_map(row).collect(),
    }
}

fn of_run(title: String, measured: &[&MethodRow]) -> Table {
    let head =
        ["", "median", "minimum", "× loop", "× floor", "× pairwise", "GB/s", "correct"].map(str::to_owned).to_vec();
    let mut rows = Vec::new();
    for row in measured {
        let mut cells = vec![TableCell::of(row.method.title())];
        cells.extend(
            [row.times.map(|times| times.median_us), row.times.map(|times| times.min_us)]
                .map(|us| or_dash(us.map(time))),
        );
        cells.extend([row.of_loop, row.of_floor, row.relative].map(|of| or_dash(of.map(ratio))));
        cells.push(or_dash(row.gb_per_s.map(|rate| format!("{rate:.1}"))));
        let wrong = row.check.is_some_and(|check| !check.exact);
        cells.push(TableCell { wrong, ..or_dash(row.check.map(|check| check.to_string())) });
        let columns = cells.len();
        rows.push(TableRow::new(row.method.name(), cells));
        rows.extend(row.passes.iter().map(|pass| TableRow::pass(pass.name, pass.times.median_us, columns)));
        rows.extend(row.note.iter().map(|note| TableRow::note(note.as_str())));
    }
    Table { title, about: None, head, rows }
}

fn adjustments(title: String, measured: &[AdjustRow]) -> Table {
    let head = ["", "alone", "+ source", "+ result", "+ both", "CPU", "correct"].map(str::to_owned).to_vec();
    let mut rows = Vec::new();
    for row in measured {
        let mut cells = vec![TableCell::of(row.full_title())];
        let times = [row.alone, row.with_source, row.with_result, row.with_both, row.on_cpu];
        cells.extend(times.map(|times| or_dash(times.map(|times| time(times.median_us)))));
        let right = row.exact.map(|exact| if exact { "yes" } else { "no" }.to_owned());
        cells.push(TableCell { wrong: row.exact == Some(false), ..or_dash(right) });
        rows.push(TableRow::new(row.name, cells));
        rows.extend(row.note.iter().map(|note| TableRow::note(note.as_str())));
    }
    let about = "+: including the histograms of the source, of the result, or of both, starting from the planes.";
    Table { title, about: Some(about.into()), head, rows }
}

/// Describes the machines of a joined table.
pub fn machines(joined: &Joined) -> Vec<String> {
    let line = |(index, Machine { file, adapter, driver }): (usize, &Machine)| {
        format!("{}: {adapter} ({driver}), {file}", letter(index))
    };
    joined.machines.iter().enumerate().map(line).collect()
}

/// Makes the tables of several machines.
pub fn of_joined(joined: &Joined) -> Vec<Table> {
    let mut head = vec![String::new()];
    let names = (0..joined.machines.len()).map(letter);
    head.extend(names.flat_map(|name| [name, "× loop".into(), "× floor".into()]));
    let cells = |measured: &Option<MachineCell>| {
        let Some(MachineCell { median_us, reduced, of_loop, of_floor, exact }) = *measured else {
            return [None, None, None].map(or_dash);
        };
        let wrong = exact == Some(false);
        let [of_loop, of_floor] = [of_loop, of_floor].map(|of| or_dash(of.map(ratio)));
        let text = if reduced { format!("({})", time(median_us)) } else { time(median_us) };
        [TableCell { wrong, text }, of_loop, of_floor]
    };
    let table = |group: &PictureGroup| {
        let rows = group.rows.iter().map(|row| {
            let first = TableCell::of(row.name.as_str());
            TableRow::new(&row.name, std::iter::once(first).chain(row.cells.iter().flat_map(cells)).collect())
        });
        let about =
            has_reduced(group).then(|| "In brackets: the time for a smaller picture. Ratios are per pixel.".into());
        Table { title: group.title.clone(), about, head: head.clone(), rows: rows.collect() }
    };
    joined.groups.iter().map(table).collect()
}

fn has_reduced(group: &PictureGroup) -> bool {
    group.rows.iter().flat_map(|row| &row.cells).flatten().any(|measured| measured.reduced)
}
