//! The diagrams of the prefix sum methods: over a few words, with every value computed from them.

use super::diagram::{BANKS as BANK_ROW, CellAppearance, Diagram, DiagramCell, DiagramRow, cell, link, step_at};
use super::words::grouped;
use histoscope_lab::{ScanKind, ScanMethod};

/// Number of memory banks in the diagrams, and of lanes that access them together. GPUs have 32 of each.
const BANKS: usize = 4;

/// Returns the diagram of a prefix sum method over words, whose number is a power of two. It advances with `moment` and
/// starts over after its last step.
#[must_use]
pub fn diagram((method, kind): (ScanMethod, ScanKind), words: &[u32], moment: i64) -> Diagram {
    let drawing = TreeWords { words, is_inclusive: kind == ScanKind::Inclusive };
    let (own, walk) = (drawing.steps(method), if method == ScanMethod::Blelloch { WALKED } else { 0 });
    let step = step_at(moment, own + walk);
    match method {
        ScanMethod::Blelloch if step >= own => drawing.walk(step - own),
        ScanMethod::Naive => drawing.naive(step),
        ScanMethod::HillisSteele => drawing.hillis_steele(step),
        ScanMethod::Blelloch => drawing.blelloch(step, |index| index),
        ScanMethod::ConflictFree => drawing.blelloch(step, |index| index + index / BANKS),
    }
}

/// Number of words, or of groups of words, in the walk through the tree.
const WALKED: usize = 8;

/// The words, and whether each is part of its own sum.
struct TreeWords<'a> {
    words: &'a [u32],
    is_inclusive: bool,
}

/// The pairs of words that a step of the tree reads and writes: the right word of each, and the distance to the left
/// one.
struct WordPairs {
    half: usize,
    rights: Vec<usize>,
}

impl TreeWords<'_> {
    fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the number of doublings from one word to all of them.
    fn doublings(&self) -> usize {
        self.len().ilog2() as usize
    }

    fn steps(&self, method: ScanMethod) -> usize {
        let doublings = self.doublings();
        match method {
            ScanMethod::Naive => self.len(),
            ScanMethod::HillisSteele => doublings + 1 + usize::from(!self.is_inclusive),
            ScanMethod::Blelloch | ScanMethod::ConflictFree => 2 * (doublings + 1) + usize::from(self.is_inclusive),
        }
    }

    fn first_row(&self, look: impl Fn(usize) -> CellAppearance) -> DiagramRow {
        let cells = self.words.iter().enumerate().map(|(index, &word)| cell(look(index), short(word)));
        DiagramRow { name: "words".into(), cells: cells.collect(), together: self.len() }
    }

    /// Returns a row of values, each with its appearance.
    fn row(&self, name: String, values: &[u32], look: impl Fn(usize) -> CellAppearance) -> DiagramRow {
        let cells = values.iter().enumerate().map(|(index, &value)| match look(index) {
            CellAppearance::Nothing => nothing(),
            look => cell(look, short(value)),
        });
        DiagramRow { name: name.into(), cells: cells.collect(), together: self.len() }
    }

    fn naive(&self, step: usize) -> Diagram {
        let own = usize::from(self.is_inclusive);
        // In turn `step`, every sum that includes word `step` adds it.
        let takes = |index: usize| index + own > step;
        let sums: Vec<u32> =
            (0..self.len()).map(|index| self.words[..(index + own).min(step + 1)].iter().sum()).collect();
        let look = |index: usize| match (takes(index), step + 1 == self.len()) {
            (_, true) => CellAppearance::Written,
            (true, _) => CellAppearance::Busy,
            (false, _) => CellAppearance::Memory,
        };
        let links = (0..self.len()).filter(|&index| takes(index)).map(|index| link((0, step), (1, index)));
        let count = |turn: usize| (0..self.len()).filter(|&index| index + own > turn).count();
        let (so_far, all): (usize, usize) = ((0..=step).map(count).sum(), (0..self.len()).map(count).sum());
        Diagram {
            links: links.collect(),
            rows: vec![
                self.first_row(|index| if index == step { CellAppearance::Busy } else { CellAppearance::Memory }),
                self.row("sums".to_owned(), &sums, look),
            ],
            caption: format!(
                "turn {}: every sum after word {step} loads it again: {so_far} of {all} loads, for {} words",
                step + 1,
                self.len()
            ),
            code: "before += word_at(first + i)",
        }
    }

    fn hillis_steele(&self, step: usize) -> Diagram {
        let doublings = self.doublings();
        let mut rows = vec![self.first_row(|_| if step == 0 { CellAppearance::Busy } else { CellAppearance::Memory })];
        let (mut links, mut sums) = (Vec::new(), self.words.to_vec());
        let mut caption = format!("{} words; now each adds the one before it", self.len());
        for row in 1..=doublings {
            let offset = 1 << (row - 1);
            let before = sums.clone();
            let added = |index: usize| index >= offset;
            (offset..sums.len()).for_each(|index| sums[index] = before[index].wrapping_add(before[index - offset]));
            let is_last = row == doublings && self.is_inclusive;
            let look = |index: usize| match (row.cmp(&step), added(index)) {
                (std::cmp::Ordering::Greater, _) => CellAppearance::Nothing,
                (std::cmp::Ordering::Equal, _) if is_last => CellAppearance::Written,
                (std::cmp::Ordering::Equal, true) => CellAppearance::Busy,
                _ => CellAppearance::Memory,
            };
            rows.push(self.row(apart(offset), &sums, look));
            if row <= step {
                links.extend((offset..self.len()).map(|index| link((row - 1, index - offset), (row, index))));
                let last = self.len() - 1;
                caption = format!(
                    "step {row} of {doublings}: {} additions at once, the last {} + {} = {}",
                    self.len() - offset,
                    grouped(before[last - offset].into()),
                    grouped(before[last].into()),
                    grouped(sums[last].into())
                );
            }
        }
        if !self.is_inclusive {
            let is_now = step > doublings;
            let before: Vec<u32> = sums.iter().zip(self.words).map(|(sum, word)| sum.wrapping_sub(*word)).collect();
            rows.push(self.row("− own".to_owned(), &before, |_| {
                if is_now { CellAppearance::Written } else { CellAppearance::Nothing }
            }));
            if is_now {
                links.extend((0..self.len()).map(|index| link((doublings, index), (doublings + 1, index))));
                "exclusive: each subtracts its own word again".clone_into(&mut caption);
            }
        }
        let code = match step {
            0 => "words[local] = own;",
            step if step > doublings => "store(index, sum - own, own)",
            _ => "sum += words[half + local - offset]",
        };
        Diagram { rows, links, caption, code }
    }

    /// Returns the pairs of the tree whose words are this far apart.
    fn pairs(&self, half: usize) -> WordPairs {
        WordPairs { half, rights: (0..self.len()).filter(|index| (index + 1) % (2 * half) == 0).collect() }
    }

    fn blelloch(&self, step: usize, place: impl Fn(usize) -> usize) -> Diagram {
        let doublings = self.doublings();
        if step <= doublings { self.up(step, place) } else { self.down(step - doublings - 1, place) }
    }

    fn up(&self, step: usize, place: impl Fn(usize) -> usize) -> Diagram {
        let mut rows = vec![self.first_row(|_| if step == 0 { CellAppearance::Busy } else { CellAppearance::Memory })];
        let (mut links, mut sums) = (Vec::new(), self.words.to_vec());
        let mut caption = "up the tree: each pair of neighbours is summed, then each pair of those sums".to_owned();
        for row in 1..=self.doublings() {
            let WordPairs { half, rights } = self.pairs(1 << (row - 1));
            let left: Vec<u32> = rights.iter().map(|right| sums[right - half]).collect();
            let old = sums[self.len() - 1];
            rights.iter().zip(&left).for_each(|(&right, &left)| sums[right] = sums[right].wrapping_add(left));
            let look = |index: usize| match row.cmp(&step) {
                _ if !rights.contains(&index) => CellAppearance::Nothing,
                std::cmp::Ordering::Greater => CellAppearance::Nothing,
                std::cmp::Ordering::Equal => CellAppearance::Busy,
                std::cmp::Ordering::Less => CellAppearance::Memory,
            };
            rows.push(self.row(apart(half), &sums, look));
            if row <= step {
                links.extend(rights.iter().flat_map(|&right| {
                    [link((row - 1, right - half), (row, right)), link((row - 1, right), (row, right))]
                }));
                caption = format!(
                    "up, pairs {half} apart: {}, the last {} + {} = {}",
                    additions(rights.len()),
                    grouped(left[left.len() - 1].into()),
                    grouped(old.into()),
                    grouped(sums[self.len() - 1].into())
                );
            }
        }
        let pairs = (step > 0).then(|| self.pairs(1 << (step.max(1) - 1)));
        let (banks, waits) = self.banks(pairs.as_ref(), place);
        rows.push(banks);
        let code = if step == 0 { "words[padded(local)] = own.x" } else { "words[right] += words[left]" };
        Diagram { rows, links, caption: caption + &waits, code }
    }

    /// Returns a step of the down-sweep: first the top becomes 0, then each pair passes on the sum of what precedes it.
    /// At the end, inclusive sums add their own word.
    fn down(&self, step: usize, place: impl Fn(usize) -> usize) -> Diagram {
        let doublings = self.doublings();
        let mut sums = self.words.to_vec();
        for level in 0..doublings {
            let WordPairs { half, rights } = self.pairs(1 << level);
            rights.iter().for_each(|&right| sums[right] = sums[right].wrapping_add(sums[right - half]));
        }
        let total = std::mem::take(&mut sums[self.len() - 1]);
        let (mut rows, mut links) = (Vec::new(), Vec::new());
        let mut caption = format!("the top, {}, is stored as the block's sum and becomes 0", grouped(total.into()));
        for row in 0..=doublings {
            // The next step reads the sum of what precedes a pair, and the sum of its left half.
            let (stride, next) = (self.len() >> row, self.len() >> (row + 1));
            if row > 0 {
                let WordPairs { half, rights } = self.pairs(stride);
                for &right in &rights {
                    let left = sums[right - half];
                    sums[right - half] = sums[right];
                    sums[right] = sums[right].wrapping_add(left);
                    if row <= step {
                        let [high, low] = [(row - 1, right), (row - 1, right - half)];
                        links.extend([
                            link(high, (row, right - half)),
                            link(high, (row, right)),
                            link(low, (row, right)),
                        ]);
                    }
                }
            }
            let is_done = row == doublings && step >= doublings;
            let shown = if is_done && step > doublings {
                sums.iter().zip(self.words).map(|(sum, word)| sum.wrapping_add(*word)).collect()
            } else {
                sums.clone()
            };
            let look = |index: usize| match () {
                () if row > step => CellAppearance::Nothing,
                () if is_done => CellAppearance::Written,
                () if (index + 1).is_multiple_of(stride) => {
                    if row == step {
                        CellAppearance::Busy
                    } else {
                        CellAppearance::Memory
                    }
                }
                () if next > 0 && (index + 1) % stride == next => CellAppearance::Idle,
                () => CellAppearance::Nothing,
            };
            rows.push(self.row(if row == 0 { "top = 0".to_owned() } else { apart(stride) }, &shown, look));
            if row > 0 && row == step.min(doublings) {
                caption = match step > doublings {
                    true => "inclusive: each adds its own word".to_owned(),
                    false => format!(
                        "down, pairs {stride} apart: left takes the sum before the pair, right that plus left’s sum: \
                         {}",
                        additions(self.len() / (2 * stride))
                    ),
                };
            }
        }
        let pairs = (1..=doublings).contains(&step).then(|| self.pairs(self.len() >> step));
        let (banks, waits) = self.banks(pairs.as_ref(), place);
        rows.push(banks);
        let code = match step {
            0 => "words[top] = 0u",
            step if step > doublings => "store(first,",
            _ => "words[right] += below",
        };
        Diagram { rows, links, caption: caption + &waits, code }
    }

    /// Returns the step of a walk through the tree that arrives at a word: down from the top, left before right, with a
    /// running sum of the words passed.
    fn walk(&self, at: usize) -> Diagram {
        let size = self.len().div_ceil(WALKED);
        let words: Vec<u32> = self.words.chunks(size).map(|group| group.iter().sum()).collect();
        let before = |word: usize| words[..word].iter().sum::<u32>();
        let (count, levels) = (words.len(), words.len().ilog2());
        // On each level, the node on the way is the one whose words include this one.
        let right = |span: usize| at / span * span + span - 1;
        let level = |level: u32| {
            let span = count >> level;
            let cells = (0..count).map(|word| {
                let look = if word == right(span) { CellAppearance::Busy } else { CellAppearance::Memory };
                let sum = words[word + 1 - span.min(word + 1)..=word].iter().sum();
                if (word + 1).is_multiple_of(span) { cell(look, short(sum)) } else { nothing() }
            });
            let name = match (span, size) {
                (1, 1) => "words".to_owned(),
                (1, _) => format!("sums of {size}"),
                _ => format!("sums of {}", span * size),
            };
            DiagramRow { name: name.into(), cells: cells.collect(), together: count }
        };
        let sums = (0..count).map(|word| match word.cmp(&at) {
            std::cmp::Ordering::Less => cell(CellAppearance::Memory, short(before(word))),
            std::cmp::Ordering::Equal => cell(CellAppearance::Written, short(before(word))),
            std::cmp::Ordering::Greater => nothing(),
        });
        let down = |level: u32| {
            link((level as usize, right(count >> level)), (level as usize + 1, right(count >> (level + 1))))
        };
        let arrives = link((levels as usize, at), (levels as usize + 1, at));
        Diagram {
            links: (0..levels).map(down).chain([arrives]).collect(),
            rows: (0..=levels)
                .map(level)
                .chain([DiagramRow { name: "before".into(), cells: sums.collect(), together: count }])
                .collect(),
            caption: format!(
                "why it works: walk down the tree, left before right, with a running sum: {} before word {at}. The \
                 down-sweep takes all turns of a level at once",
                grouped(before(at).into())
            ),
            code: "words[left] = words[right]",
        }
    }

    /// Returns a row with the memory bank of each word that a step accesses, and a text on the conflicts.
    fn banks(&self, pairs: Option<&WordPairs>, place: impl Fn(usize) -> usize) -> (DiagramRow, String) {
        let mut cells = vec![nothing(); self.len()];
        let mut waiting = 0;
        for lanes in pairs.iter().flat_map(|pairs| pairs.rights.chunks(BANKS)) {
            let half = pairs.map_or(0, |pairs| pairs.half);
            for words in [lanes.iter().map(|right| right - half).collect::<Vec<_>>(), lanes.to_vec()] {
                for (lane, &word) in words.iter().enumerate() {
                    let bank = place(word) % BANKS;
                    let is_taken = words.iter().any(|&other| other != word && place(other) % BANKS == bank);
                    waiting += usize::from(words[..lane].iter().any(|&other| place(other) % BANKS == bank));
                    cells[word] = cell(
                        if is_taken { CellAppearance::Conflict } else { CellAppearance::Memory },
                        bank.to_string(),
                    );
                }
            }
        }
        let told = match (pairs, waiting) {
            (None, _) => String::new(),
            (Some(_), 0) => format!("; of {BANKS} banks, none is accessed twice at a time"),
            (Some(_), waiting) => format!("; of {BANKS} banks, {waiting} are accessed by a second lane, which waits"),
        };
        (DiagramRow { name: BANK_ROW.into(), cells, together: self.len() }, told)
    }
}

fn nothing() -> DiagramCell {
    cell(CellAppearance::Nothing, String::new())
}

fn apart(offset: usize) -> String {
    format!("{offset} apart")
}

fn additions(count: usize) -> String {
    if count == 1 { "one addition".to_owned() } else { format!("{count} additions at once") }
}

/// Formats a number in at most four characters, so that sixteen fit side by side.
fn short(number: u32) -> String {
    match number {
        0..=9999 => number.to_string(),
        10_000..=999_999 => format!("{}k", number / 1000),
        1_000_000..=9_999_999 => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
        10_000_000..=999_999_999 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::diagram::CellContent;
    use histoscope_lab::scan::serial;

    const WORDS: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];

    fn values(row: &DiagramRow) -> Vec<u32> {
        let value = |cell: &DiagramCell| match &cell.content {
            CellContent::Text(text) => text.parse().expect("a number"),
            CellContent::Bins(_) => panic!("not in a tree"),
        };
        row.cells.iter().map(value).collect()
    }

    fn ways() -> impl Iterator<Item = (ScanMethod, ScanKind)> {
        let kinds = [ScanKind::Exclusive, ScanKind::Inclusive];
        ScanMethod::ALL.into_iter().flat_map(move |method| kinds.map(|kind| (method, kind)))
    }

    fn last((method, kind): (ScanMethod, ScanKind), words: &[u32]) -> Diagram {
        let steps = TreeWords { words, is_inclusive: kind == ScanKind::Inclusive }.steps(method);
        diagram((method, kind), words, steps as i64 - 1)
    }

    #[test]
    fn every_method_ends_with_the_sums_of_the_cpu() {
        for words in [&WORDS[..], &WORDS[..8], &[0; 16], &[7, 0, 0, 0, 0, 0, 0, 1]] {
            for way in ways() {
                let last = last(way, words);
                let has_banks = matches!(way.0, ScanMethod::Blelloch | ScanMethod::ConflictFree);
                let row = &last.rows[last.rows.len() - 1 - usize::from(has_banks)];
                assert_eq!(values(row), serial(words, way.1), "{way:?} of {words:?}");
                assert!(row.cells.iter().all(|cell| cell.look == CellAppearance::Written), "{way:?}");
            }
        }
    }

    #[test]
    fn every_link_connects_values_in_adjacent_rows() {
        for way in ways() {
            for moment in 0..20 {
                let Diagram { rows, links, caption, .. } = diagram(way, &WORDS, moment);
                assert!(!caption.is_empty());
                for (row, place) in links.iter().flat_map(|link| [link.from, link.to]) {
                    assert_ne!(
                        rows[row].cells[place].look,
                        CellAppearance::Nothing,
                        "{way:?} at {moment}: {row}, {place}"
                    );
                }
                assert!(links.iter().all(|link| link.from.0 + 1 == link.to.0), "{way:?} at {moment}");
            }
        }
    }

    #[test]
    fn neighbours_in_the_tree_conflict_in_a_bank_unless_padded() {
        let conflicts = |method| {
            let all = (0..10).map(|moment| diagram((method, ScanKind::Exclusive), &WORDS, moment));
            let lost = |diagram: Diagram| {
                diagram
                    .rows
                    .last()
                    .map_or(0, |row| row.cells.iter().filter(|cell| cell.look == CellAppearance::Conflict).count())
            };
            all.map(lost).collect::<Vec<_>>()
        };
        assert_eq!(conflicts(ScanMethod::ConflictFree), [0; 10]);
        let found = conflicts(ScanMethod::Blelloch);
        assert!(found[1] == 16 && found[2] == 8 && found[0] == 0, "{found:?}");
        let told = diagram((ScanMethod::Blelloch, ScanKind::Exclusive), &WORDS, 2).caption;
        assert!(told.contains("4 additions at once") && told.contains("of 4 banks, 6 are accessed"), "{told}");
    }

    #[test]
    fn a_walk_through_the_tree_arrives_at_each_word_with_the_sum_before_it() {
        for words in [&WORDS[..], &WORDS[..8]] {
            let groups: Vec<u32> = words.chunks(words.len() / WALKED).map(|group| group.iter().sum()).collect();
            let all = |moment| diagram((ScanMethod::Blelloch, ScanKind::Exclusive), words, moment);
            // Before the first step is the last one.
            let last = all(-1);
            assert_eq!(values(&last.rows[4]), serial(&groups, ScanKind::Exclusive));
            assert_eq!(all(-2).rows[4].cells.iter().filter(|cell| cell.look == CellAppearance::Nothing).count(), 1);
            let path = last.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.look == CellAppearance::Busy);
            assert_eq!(path.count(), 4, "from the top to the word");
            assert!(last.caption.contains(&format!(": {} before word 7", serial(&groups, ScanKind::Exclusive)[7])));
        }
    }

    #[test]
    fn captions_contain_real_sums() {
        let told = diagram((ScanMethod::HillisSteele, ScanKind::Inclusive), &WORDS, 1).caption;
        assert!(told.contains("15 additions at once, the last 9 + 3 = 12"), "{told}");
        let told = last((ScanMethod::Naive, ScanKind::Exclusive), &WORDS).caption;
        assert!(told.contains("120 of 120 loads"), "{told}");
    }

    #[test]
    fn numbers_have_at_most_four_characters() {
        for (number, text) in [
            (0, "0"),
            (9999, "9999"),
            (10_000, "10k"),
            (999_999, "999k"),
            (1_234_567, "1.2M"),
            (99_999_999, "99M"),
            (u32::MAX, "4G"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
