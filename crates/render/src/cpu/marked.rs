//! How many pixels are marked, and where: on the CPU, whoever else counts and draws, since it is asked only of a picture that stands.

use crate::view::exposure::Inspection;
use crate::view::marked::Marked;
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::unpack::Source;

/// After so many rows it is asked whether anybody waits for the answer still.
const BAND_ROWS: u32 = 16;

/// What is marked of a part of a picture, which lies inside it; `None` once `goes_on` says that nobody waits for that any more.
///
/// It runs on the calling thread alone: rayon's pool is left to what counts and paints the pictures that are shown meanwhile.
#[must_use]
pub fn find_marked(
    picture: &Picture,
    inspection: &Inspection,
    rect: Rect,
    goes_on: impl Fn() -> bool,
) -> Option<Marked> {
    let layout = picture.layout();
    let sources: Vec<_> = (0..layout.component_count()).map(|component| Source::new(picture, component)).collect();
    let (shift_x, chroma_rows) = (layout.columns_shift(), picture.chroma_rows());
    // Gray has no second and third component: those stay 0.
    let mut rows: [Vec<u16>; 3] = std::array::from_fn(|_| vec![0; picture.width() as usize]);
    let mut found = Marked::default();
    for y in 0..rect.height {
        if y % BAND_ROWS == 0 && !goes_on() {
            return None;
        }
        let y = (rect.y + y) as usize;
        for (index, (source, row)) in sources.iter().zip(&mut rows).enumerate() {
            source.unpack(0, if index == 0 { y } else { chroma_rows.of(y) }, &mut row[..source.width]);
        }
        let [first, second, third] = &rows;
        for x in rect.x as usize..(rect.x + rect.width) as usize {
            let codes = [first[x], second[x >> shift_x], third[x >> shift_x]].map(u32::from);
            found.add(&inspection.look(codes), [x as u32, y as u32]);
        }
    }
    Some(found)
}
