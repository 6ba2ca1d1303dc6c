//! The shader beside the diagram: what differs from the step before is marked, and the line of the diagram's step lit.

use egui::{Color32, Rect, ScrollArea, Ui, UiBuilder, pos2, vec2};

use crate::lab_view::{CountingView, TopicView};
use crate::theme;
use histoscope_lab::{BlurMethod, ChannelSet, DrawMethod, Method, ScanMethod};
use histoscope_render::gpu::shaders::{self, Text};

/// The least width of a panel with the code beside the diagram, in points, and the part of it that the code takes.
const LEAST: f32 = 700.0;
const PART: f32 = 0.47;
/// Sizes of the letters, in points: smaller ones if long lines do not fit otherwise.
const LETTERS: [f32; 2] = [9.5, 11.0];
/// Width of the scroll bar.
const BESIDE_BAR: f32 = 14.0;
/// Width of the line numbers.
const NUMBERS: f32 = 26.0;

/// Returns the width of the code in a panel of this width, 0 if there is no room for it.
pub fn width(panel: f32) -> f32 {
    if panel < LEAST { 0.0 } else { panel * PART }
}

/// A text, or some of its functions if it names any.
type Part = (&'static [Text], &'static [&'static str]);

/// The code of a step.
pub struct StepCode {
    pub lines: Vec<CodeLine>,
    /// The index of the line that the diagram's step stands for.
    pub lit: Option<usize>,
    /// The index of the line with a fault.
    pub fault: Option<usize>,
    /// `true` if the lines have numbers, because they are the whole file.
    is_numbered: bool,
    /// What the lines are, and what is marked.
    title: String,
}

/// A line of the code.
pub struct CodeLine {
    pub text: String,
    /// `true` if the step before has no such line.
    pub is_new: bool,
}

impl CodeLine {
    fn is_comment(&self) -> bool {
        self.text.trim_start().starts_with("//")
    }
}

impl StepCode {
    /// Returns `true` if there is any code.
    pub fn is_for(topic: &TopicView<'_>) -> bool {
        match topic {
            TopicView::Basics(_) => false,
            TopicView::Counting(view) => !of_counting(view.method, view).is_empty(),
            TopicView::Sums(_) | TopicView::Blur(_) | TopicView::Drawing(_) => true,
        }
    }

    /// Returns the code at a step of the diagram that stands for a line with `part` in it; `None` for what runs on the
    /// CPU, and for pages before the methods.
    pub fn of(topic: &TopicView<'_>, part: &str) -> Option<Self> {
        let counting = match topic {
            TopicView::Counting(view) => Some(view),
            _ => None,
        };
        if let Some((own, shader)) = counting.and_then(|view| Some((view.own.as_ref()?, view.method.shader()?))) {
            let title = format!("{}; green: lines that shaders/{}.wgsl does not have", own.name, shader.path());
            let fault = own.fault.map(|line| line as usize - 1);
            return Some(Self { is_numbered: true, fault, ..Self::new(title, (own.text, &shader.source()), part) });
        }
        let (texts, before) = match topic {
            TopicView::Basics(_) => return None,
            TopicView::Counting(view) => {
                let all = Method::ladder();
                let place = all.iter().position(|&method| method == view.method).unwrap_or(0);
                let parts = |method: &Method| of_counting(*method, view);
                (parts(&view.method), all[..place].iter().rev().map(parts).find(|parts| !parts.is_empty()))
            }
            TopicView::Sums(view) => steps(&ScanMethod::ALL, view.setup.method, of_sums),
            TopicView::Blur(view) => steps(&BlurMethod::ALL, view.setup.method, of_blur),
            TopicView::Drawing(view) => steps(&DrawMethod::ALL, view.method, of_drawing),
        };
        let (names, mut codes): (Vec<_>, Vec<_>) = texts.into_iter().map(|part| (part.0, code(part))).unzip();
        let shown = codes.iter().position(|code| code.contains(part)).unwrap_or(0);
        let name = names.get(shown)?.last()?.path;
        let (title, mut before) = match before {
            None => (format!("shaders/{name}.wgsl"), String::new()),
            Some(before) => (
                format!("shaders/{name}.wgsl; green: lines that the method before does not have"),
                before.into_iter().map(code).collect(),
            ),
        };
        let mut text = codes.swap_remove(shown);
        if let Some(shader) = counting.filter(|_| shown == 0).and_then(|view| view.method.shader()) {
            // What it calls comes last.
            let called = code((&shader.texts[..1], &[]));
            text = format!("{text}\n{called}");
            if !before.is_empty() {
                before += &called;
            }
        }
        Some(Self::new(title, (&text, &before), part))
    }

    fn new(title: String, (text, before): (&str, &str), part: &str) -> Self {
        let known: std::collections::HashSet<_> = before.lines().map(str::trim).collect();
        let line = |text: &str| CodeLine {
            is_new: !known.is_empty() && !text.trim().is_empty() && !known.contains(text.trim()),
            text: text.replace('\t', "    "),
        };
        let lines: Vec<_> = text.lines().map(line).collect();
        let lit = lines.iter().position(|line| !part.is_empty() && line.text.contains(part));
        Self { lines, lit, fault: None, is_numbered: false, title }
    }

    /// Draws the code, and scrolls to the line that is lit when it changes.
    pub fn show(&self, ui: &mut Ui, rect: Rect) {
        let title = ui.painter().layout(self.title.clone(), theme::words(theme::SMALL), theme::DIM, rect.width());
        let below = rect.min.y + title.size().y + 4.0;
        ui.painter().galley(rect.min, title, theme::DIM);
        let room = Rect::from_min_max(pos2(rect.min.x, below), rect.max);
        let target = self.fault.or(self.lit);
        let (id, now) = (ui.scope_id().with("lit line"), (self.title.clone(), target));
        let is_new = ui.data_mut(|data| {
            let shown = data.get_temp_mut_or_default::<(String, Option<usize>)>(id);
            std::mem::replace(shown, now.clone()) != now
        });
        ui.scope_builder(UiBuilder::new().max_rect(room), |ui| {
            ScrollArea::vertical().id_salt(&self.title).show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                let width = ui.available_width() - BESIDE_BAR;
                let indent = if self.is_numbered { NUMBERS } else { 7.0 };
                let longest = self.lines.iter().filter(|line| !line.is_comment()).map(|line| line.text.chars().count());
                let letter = ui.painter().layout_no_wrap("0".repeat(100), theme::mono(LETTERS[1]), theme::DIM).size().x;
                let needed = letter / 100.0 * longest.max().unwrap_or(0) as f32;
                let size = LETTERS[1] * ((width - indent) / needed.max(1.0));
                let font = theme::mono(size.clamp(LETTERS[0], LETTERS[1]));
                for (index, line) in self.lines.iter().enumerate() {
                    let (fill, ink) = match () {
                        () if self.fault == Some(index) => (theme::WRONG, crate::controls::INK),
                        () if self.lit == Some(index) => (theme::ACCENT, crate::controls::INK),
                        () if line.is_comment() => (Color32::TRANSPARENT, theme::DIM),
                        () => (Color32::TRANSPARENT, theme::LIGHT),
                    };
                    let galley = ui.painter().layout(line.text.clone(), font.clone(), ink, width - indent);
                    let size = vec2(width, galley.size().y);
                    let (place, _) = ui.allocate_exact_size(size, egui::Sense::hover());
                    let at = pos2(place.min.x + indent, place.min.y);
                    ui.painter().rect_filled(Rect::from_min_max(at + vec2(0.0, 1.0), place.max), 2, fill);
                    if line.is_new {
                        let bar = Rect::from_min_size(at - vec2(5.0, 0.0), vec2(2.5, place.height()));
                        ui.painter().rect_filled(bar, 0, theme::RIGHT);
                    }
                    if self.is_numbered {
                        let (number, right) = ((index + 1).to_string(), pos2(at.x - 8.0, place.min.y));
                        let font = theme::mono(theme::SMALL);
                        ui.painter().text(right, egui::Align2::RIGHT_TOP, number, font, theme::DIM);
                    }
                    ui.painter().galley(at, galley, ink);
                    if is_new && target == Some(index) {
                        ui.scroll_to_rect(place, Some(egui::Align::Center));
                    }
                }
            });
        });
    }
}

/// Returns the parts of a method, and those of the method before it.
fn steps<T: Copy + PartialEq>(all: &[T], method: T, parts: fn(T) -> Part) -> (Vec<Part>, Option<Vec<Part>>) {
    let place = all.iter().position(|&other| other == method).unwrap_or(0);
    (vec![parts(method)], place.checked_sub(1).map(|before| vec![parts(all[before])]))
}

fn of_counting(method: Method, view: &CountingView<'_>) -> Vec<Part> {
    let sum: &[&str] = if view.channels == ChannelSet::One { &["one"] } else { &["four"] };
    let count = method.shader().map(|shader| (&shader.texts[1..], &[][..]));
    let further: &[Part] = match method {
        Method::Sum => &[(shaders::SUM.texts, sum)],
        Method::Pairwise => &[(shaders::PAIRWISE.texts, sum)],
        Method::OursGpu => &[
            (shaders::CHUNK.texts, &["tally", "count_blocks", "count_block", "chunk"]),
            (shaders::REDUCE.texts, &["reduce"]),
            (shaders::SCALE.texts, &["scale"]),
        ],
        _ => &[],
    };
    count.into_iter().chain(further.iter().copied()).collect()
}

const fn of_sums(method: ScanMethod) -> Part {
    let functions: &[&str] = match method {
        ScanMethod::Naive => &["naive"],
        ScanMethod::HillisSteele => &["hillis_steele"],
        ScanMethod::Blelloch => &["scan_block", "blelloch"],
        ScanMethod::ConflictFree => &["padded", "scan_block", "blelloch"],
    };
    (shaders::LAB_SCAN.texts, functions)
}

const fn of_blur(method: BlurMethod) -> Part {
    let functions: &[&str] = match method {
        BlurMethod::Square => &["square"],
        BlurMethod::Separable => &["separable"],
        BlurMethod::Tiled => &["tiled"],
        BlurMethod::Running => &["running"],
    };
    (shaders::LAB_BLUR.texts, functions)
}

const fn of_drawing(method: DrawMethod) -> Part {
    let functions: &[&str] = match method {
        DrawMethod::PerPixel => &["heights_of", "color_of", "asks"],
        DrawMethod::PerColumn => &["heights_of", "color_of", "find", "reads"],
    };
    (shaders::LAB_DRAWING.texts, functions)
}

/// Returns the texts without the comments at their beginnings, or the functions, each with its comment and attributes.
fn code((texts, functions): Part) -> String {
    if functions.is_empty() {
        let without_comment = |text: &Text| {
            let lines = text.wgsl.lines().skip_while(|line| line.starts_with("//") || line.is_empty());
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        return texts.iter().map(without_comment).collect::<Vec<_>>().join("\n");
    }
    let lines: Vec<_> = texts.iter().flat_map(|text| text.wgsl.lines()).collect();
    let function = |name: &&str| {
        let begin = lines.iter().position(|line| line.starts_with(&format!("fn {name}("))).unwrap_or(0);
        let belongs = |line: &&&str| line.starts_with("//") || line.starts_with('@');
        let first = begin - lines[..begin].iter().rev().take_while(belongs).count();
        let end = lines[begin..].iter().position(|line| *line == "}").map_or(lines.len(), |end| begin + end + 1);
        lines[first..end].iter().map(|line| format!("{line}\n")).collect::<String>()
    };
    functions.iter().map(function).collect::<Vec<_>>().join("\n")
}
