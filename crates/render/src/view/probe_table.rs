//! The table of the probes' values.

use super::probe::{Probe, probe};
use super::probes::{Probes, name};
use histoscope_core::compare::ColorLight;
use histoscope_core::histogram::Components;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::picture::Frame;
use histoscope_core::tone_map::SourceLight;

/// The values of the probes in one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeTable {
    /// The probes with their index.
    pub probes: Vec<(usize, Probe)>,
    /// The columns, from left to right.
    pub columns: Vec<ProbeColumn>,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeColumn {
    /// The heading.
    pub head: &'static str,
    /// The channel that it shows, if any.
    pub channel: Option<(Components, usize)>,
    /// In a narrow window, columns of the highest rank are left out first.
    pub rank: u8,
    /// The values, probe by probe.
    pub cells: Vec<String>,
}

impl ProbeTable {
    /// Reads the probes in a frame; `components` are those that are counted. Returns `None` if none lies in its picture.
    ///
    /// The differences are those from the first probe. They follow from R'G'B' codes, after the clamp.
    #[must_use]
    pub fn of(probes: &Probes, frame: &Frame, components: Components) -> Option<Self> {
        let picture = &frame.picture;
        let places = probes.within((picture.width(), picture.height()));
        let probes: Vec<_> = places.map(|(index, (x, y))| (index, probe(picture, x, y, components))).collect();
        let (first, has_others) = (probes.first()?.1, probes.len() > 1);
        let light = SourceLight::of(&frame.source);
        let top = f64::from((1_u32 << picture.layout().bin_bits()) - 1);
        let signals = |probe: &Probe| probe.codes.map(|code| f64::from(code) / top);
        let color = |probe: &Probe| ColorLight::of(light, signals(probe));
        let mut columns = Vec::new();
        let mut add = |head, channel, rank, cell: &dyn Fn(usize, &Probe) -> String| {
            let cells = probes.iter().map(|(index, probe)| cell(*index, probe)).collect();
            columns.push(ProbeColumn { head, channel, rank, cells });
        };
        add("", None, 0, &|index, _| name(index));
        add("x", None, 3, &|_, probe| probe.position.0.to_string());
        add("y", None, 3, &|_, probe| probe.position.1.to_string());
        if picture.as_rgb().is_some() {
            for (channel, head) in ["R'", "G'", "B'"].into_iter().enumerate() {
                add(head, Some((Components::Rgbl, channel)), 0, &|_, probe| probe.codes[channel].to_string());
            }
        }
        if picture.has_coded_components() {
            for (channel, head) in ["Y'", "Cb", "Cr"].into_iter().enumerate() {
                let code = |probe: &Probe| probe.coded[channel].map_or_else(none, |code| code.to_string());
                add(head, Some((Components::YCbCr, channel)), 2, &|_, probe| code(probe));
            }
        }
        if picture.as_rgb().is_some() {
            if let Some(scale) = light.scale() {
                let text = |probe: &Probe| light_text(scale.light(signals(probe))).replace(" cd/m²", "");
                add("cd/m²", None, 1, &|_, probe| text(probe));
            }
            if has_others {
                let from_first = |probe: &Probe, difference: &dyn Fn(&ColorLight, &ColorLight) -> Option<f64>| {
                    if probe.position == first.position && *probe == first {
                        return "ref".to_owned();
                    }
                    difference(&color(&first), &color(probe)).map_or_else(none, |number| format!("{number:.2}"))
                };
                add("ΔE ITP", None, 1, &|_, probe| from_first(probe, &|a, b| Some(a.delta_e_itp(b))));
                // CIEDE2000 is for SDR.
                if color(&first).ciede2000(&color(&first)).is_some() {
                    add("ΔE2000", None, 1, &|_, probe| from_first(probe, &ColorLight::ciede2000));
                }
            }
        }
        Some(Self { probes, columns })
    }

    /// Returns a line for each probe, with the headings before the values.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let cell =
            |column: &ProbeColumn, row: usize| format!("{} {}", column.head, column.cells[row]).trim().to_owned();
        let line = |row| self.columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>().join("  ");
        (0..self.probes.len()).map(line).collect()
    }

    /// Returns the lines of the table, from the headings on, with this text between the cells.
    #[must_use]
    pub fn lines(&self, between: &str) -> Vec<String> {
        let line =
            |cell: &dyn Fn(&ProbeColumn) -> String| self.columns.iter().map(cell).collect::<Vec<_>>().join(between);
        let rows = (0..self.probes.len()).map(|row| line(&|column| column.cells[row].clone()));
        std::iter::once(line(&|column| column.head.to_owned())).chain(rows).collect()
    }
}

fn none() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [[u32; 3]; 2] = [[1, 0, 0], [2, 1, 10]];

    #[test]
    fn the_first_probe_is_the_reference_of_the_others() {
        let frame = histoscope_core::test_data::gray((16, 9), |x, _| if x == 0 { 128 } else { 137 });
        let table = |count| ProbeTable::of(&Probes::from(PLACES[..count].to_vec()), &frame, Components::Rgbl).unwrap();
        assert_eq!(table(1).lines(" "), [" x y R' G' B' Y' Cb Cr", "P1 0 0 128 128 128 128 – –"]);
        assert_eq!(table(1).sentences(), ["P1  x 0  y 0  R' 128  G' 128  B' 128  Y' 128  Cb –  Cr –"]);
        assert_eq!(Probes::from(PLACES.to_vec()).within((16, 9)).count(), 1, "the second is below the picture");
        let both = Probes::from(PLACES.to_vec()).moved(1, (1, 8));
        // colour-science 0.4.7, of the light of 128 and 137 of 255 at 100 cd/m².
        let lines = ProbeTable::of(&both, &frame, Components::Rgbl).unwrap().lines(" ");
        assert!(lines[1].ends_with(" ref ref") && lines[2].ends_with(" 10.19 3.66"), "{lines:?}");
        assert_eq!(ProbeTable::of(&Probes::default(), &frame, Components::Rgbl), None);
    }
}
