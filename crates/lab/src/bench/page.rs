//! The measurements as one self-contained HTML file. Drawings and figures are embedded, and its own policy forbids it
//! to load anything. Its markup is `templates/bench.html`, which escapes all inserted text.

mod cards;
mod tables;

use askama::Template;
use cards::MethodCard;
use tables::Table;

use super::join::Joined;
use super::scene;
use super::survey::Survey;

const STYLE: &str = include_str!("../../../../templates/bench.css");

/// Forbids loading anything, even after later edits of the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The values for the page's template.
#[derive(Template)]
#[template(path = "bench.html")]
struct Page {
    policy: &'static str,
    style: &'static str,
    maker: String,
    title: String,
    lines: Vec<String>,
    scene: Option<SceneParts>,
    cards: Vec<MethodCard>,
    /// A description of the picture that the cards are about.
    cards_of: String,
    tables: Vec<Table>,
}

/// The image of the worked example.
struct SceneParts {
    width: usize,
    /// The strides of the steps that sum pairs.
    strides: Vec<usize>,
    rows: Vec<SceneRow>,
}

struct SceneRow {
    pixels: Vec<Pixel>,
    /// The bins of the row's chunk, first as counted, then after each step.
    sets: Vec<Set>,
}

struct Pixel {
    /// In hundredths.
    luminance: u32,
    bin: usize,
    background: String,
    ink: &'static str,
}

struct Set {
    counts: Option<[u32; scene::BINS]>,
    /// `true` if these are the bins of the whole image.
    is_sum: bool,
}

/// Makes the page of one machine.
///
/// # Errors
/// Never in practice: everything in the page can be written as text.
pub fn of_survey(survey: &Survey) -> Result<String, askama::Error> {
    let first = survey.runs.first();
    let lines = first.map(|run| {
        let threads = format!("CPU: {} threads, {}", run.cpu_threads, run.cpu_instructions);
        let sizes: Vec<_> = survey.runs.iter().map(tables::picture).collect();
        vec![format!("{}; {threads}", run.driver), format!("{} bins; {}", run.bin_count, sizes.join("; "))]
    });
    let page = Page {
        title: first.map(|run| run.adapter.clone()).unwrap_or_default(),
        lines: lines.unwrap_or_default(),
        scene: Some(scene()),
        cards: first.map(cards::of).unwrap_or_default(),
        cards_of: first.map(tables::picture).unwrap_or_default(),
        tables: tables::of_survey(survey),
        ..Page::bare()
    };
    Ok(page.render()? + "\n")
}

/// Makes the page of several machines.
///
/// # Errors
/// As [`of_survey`].
pub fn of_joined(joined: &Joined) -> Result<String, askama::Error> {
    let page = Page {
        title: format!("{} machines side by side", joined.machines.len()),
        lines: tables::machines(joined),
        tables: tables::of_joined(joined),
        ..Page::bare()
    };
    Ok(page.render()? + "\n")
}

impl Page {
    fn bare() -> Self {
        Self {
            policy: POLICY,
            style: STYLE,
            maker: format!("Histoscope {}", env!("CARGO_PKG_VERSION")),
            title: String::new(),
            lines: Vec::new(),
            scene: None,
            cards: Vec::new(),
            cards_of: String::new(),
            tables: Vec::new(),
        }
    }
}

fn scene() -> SceneParts {
    let steps = scene::pairwise();
    let chunks = scene::chunks();
    let last = steps.len();
    let row = |y: usize| {
        let pixel = |&rgb: &scene::Rgb| {
            let (luminance, [r, g, b]) = (scene::hundredths(rgb), rgb);
            Pixel {
                luminance,
                bin: scene::bin(rgb),
                background: format!("rgb({r} {g} {b})"),
                ink: if luminance > 50 { "#000" } else { "#fff" },
            }
        };
        let all = std::iter::once(&chunks).chain(steps.iter().map(|(_, chunks)| chunks)).enumerate();
        let sets = all.map(|(step, chunks)| Set { counts: chunks[y], is_sum: step == last });
        SceneRow { pixels: scene::PIXELS[y].iter().map(pixel).collect(), sets: sets.collect() }
    };
    SceneParts {
        width: scene::WIDTH,
        strides: steps.iter().map(|(stride, _)| *stride).collect(),
        rows: (0..scene::HEIGHT).map(row).collect(),
    }
}
