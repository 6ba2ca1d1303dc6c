//! Reproducible damage to files.

use super::noise;

/// Pseudo-random numbers, the same every time.
pub struct Dice {
    bytes: Vec<u8>,
    next: usize,
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self { bytes: noise(1024, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), next: 0 }
    }

    pub fn below(&mut self, end: usize) -> usize {
        let at = self.next;
        self.next = (at + 4) % (self.bytes.len() - 4);
        let number = u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"));
        number as usize % end.max(1)
    }
}

/// Returns the file with one to four kinds of damage.
pub fn mutated(mut bytes: Vec<u8>, number: u64) -> Vec<u8> {
    let mut dice = Dice::new(number);
    for _ in 0..=dice.below(4) {
        // Headers are short, and most decisions depend on them.
        let reach = if dice.below(2) == 0 { bytes.len().min(600) } else { bytes.len() };
        let at = dice.below(reach);
        let length = (1 + dice.below(64)).min(bytes.len() - at);
        match dice.below(7) {
            0 => (0..length.min(16)).for_each(|_| {
                let at = dice.below(reach);
                bytes[at] = dice.below(256) as u8;
            }),
            1 => bytes[at] ^= 1 << dice.below(8),
            2 => bytes.truncate(at.max(16)),
            3 => {
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.drain(at..at + length)),
            5 => bytes[at..at + length].fill([0, 0xff][dice.below(2)]),
            _ => {
                let other = dice.below(1 << 16) as u32;
                let value = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, other][dice.below(6)];
                let value = if dice.below(2) == 0 { value.to_be_bytes() } else { value.to_le_bytes() };
                let length = value.len().min(bytes.len() - at);
                bytes[at..at + length].copy_from_slice(&value[..length]);
            }
        }
        if bytes.len() < 16 {
            bytes.resize(16, 0);
        }
    }
    bytes
}
