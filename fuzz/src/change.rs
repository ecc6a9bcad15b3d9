//! Changing an input: a few small steps, each of a kind that readers trip over.

use crate::random::Random;

/// No input grows beyond this.
const LONGEST: usize = 256 << 10;

// Every step has this form, also those that keep the length.
type Step = fn(&mut Vec<u8>, &mut Random, &Materials<'_>);

/// What steps may draw on besides the input itself.
pub struct Materials<'a> {
    /// The whole corpus, for pieces of other inputs.
    pub corpus: &'a [Vec<u8>],
    /// Words that mean something to the target.
    pub words: &'a [&'a [u8]],
}

const STEPS: &[Step] = &[
    flip_bit,
    set_byte,
    set_number,
    delete_piece,
    repeat_piece,
    repeat_often,
    insert_word,
    insert_word,
    insert_foreign,
    cut_off,
    delete_token,
    repeat_token,
    swap_tokens,
    swap_tokens,
    foreign_token,
];

/// An input made from one of the corpus by a few steps.
pub fn make(random: &mut Random, materials: &Materials<'_>) -> Vec<u8> {
    let mut input = random.pick(materials.corpus).cloned().unwrap_or_default();
    // Mostly few steps, so that most of the input stays as a reader likes it.
    let most = if random.once_in(4) { 24 } else { 4 };
    let steps = 1 + random.below(most);
    for _ in 0..steps {
        if let Some(step) = random.pick(STEPS) {
            step(&mut input, random, materials);
        }
        input.truncate(LONGEST);
    }
    input
}

#[expect(clippy::ptr_arg, reason = "all steps are of one type")]
fn flip_bit(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

#[expect(clippy::ptr_arg, reason = "all steps are of one type")]
fn set_byte(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    const TELLING: &[u8] = &[
        0, 1, 0x7f, 0x80, 0xff, b'\n', b'\t', b'(', b')', b'[', b'"', b'\'', b'\\', b'0', b'9',
    ];
    let at = random.below(input.len());
    let value = *random.pick(TELLING).unwrap_or(&0);
    if let Some(byte) = input.get_mut(at) {
        *byte = value;
    }
}

#[expect(clippy::ptr_arg, reason = "all steps are of one type")]
/// Overwrites two, four or eight bytes with a number near a limit.
fn set_number(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    const LIMITS: &[u64] = &[
        0,
        1,
        0x7f,
        0xff,
        0x7fff,
        0xffff,
        0x7fff_ffff,
        0xffff_ffff,
        i64::MAX as u64,
        u64::MAX,
    ];
    let width = 2 << random.below(3);
    let limit = *random.pick(LIMITS).unwrap_or(&0);
    let value = limit
        .wrapping_add(random.below(5) as u64)
        .wrapping_sub(2)
        .to_le_bytes();
    let at = random.below(input.len());
    for (byte, new) in input.iter_mut().skip(at).take(width).zip(value) {
        *byte = new;
    }
}

fn delete_piece(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    let (from, to) = piece(input.len(), random);
    input.drain(from..to);
}

fn repeat_piece(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    let (from, to) = piece(input.len(), random);
    let copy = input[from..to].to_vec();
    let at = random.below(input.len() + 1);
    input.splice(at..at, copy);
}

/// The same few bytes over and over: nesting and length.
fn repeat_often(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    if !random.once_in(8) {
        return;
    }
    let from = random.below(input.len());
    let to = (from + 1 + random.below(6)).min(input.len());
    let times = 1 << random.below(14);
    let copy = input[from..to].repeat(times);
    input.splice(to..to, copy);
}

fn insert_word(input: &mut Vec<u8>, random: &mut Random, materials: &Materials<'_>) {
    let at = random.below(input.len() + 1);
    if let Some(word) = random.pick(materials.words) {
        input.splice(at..at, word.iter().copied());
    }
}

fn insert_foreign(input: &mut Vec<u8>, random: &mut Random, materials: &Materials<'_>) {
    let Some(other) = random.pick(materials.corpus) else {
        return;
    };
    let (from, to) = piece(other.len(), random);
    let at = random.below(input.len() + 1);
    input.splice(at..at, other[from..to].iter().copied());
}

fn cut_off(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    if random.once_in(4) {
        input.truncate(random.below(input.len() + 1));
    }
}

/// The tokens of a text, roughly: runs of letters, digits and underscores, and single other bytes that are no spaces.
fn tokens(input: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, &byte) in input.iter().enumerate() {
        match found.last_mut() {
            Some(last) if is_word(byte) && last.1 == at && is_word(input[last.0]) => last.1 += 1,
            _ if byte != b' ' => found.push((at, at + 1)),
            _ => {}
        }
    }
    found
}

fn delete_token(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    if let Some(&(from, to)) = random.pick(&tokens(input)) {
        input.drain(from..to);
    }
}

fn repeat_token(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    if let Some(&(from, to)) = random.pick(&tokens(input)) {
        let copy = [b" ", &input[from..to]].concat();
        input.splice(to..to, copy);
    }
}

/// Two tokens change places, so that names and operators stand where others are expected.
fn swap_tokens(input: &mut Vec<u8>, random: &mut Random, _: &Materials<'_>) {
    let all = tokens(input);
    let (Some(&a), Some(&b)) = (random.pick(&all), random.pick(&all)) else {
        return;
    };
    let ((first, end), (second, last)) = (a.min(b), a.max(b));
    if end > second {
        return;
    }
    let swapped = [
        &input[second..last],
        &input[end..second],
        &input[first..end],
    ]
    .concat();
    input.splice(first..last, swapped);
}

/// A token becomes one of another input.
fn foreign_token(input: &mut Vec<u8>, random: &mut Random, materials: &Materials<'_>) {
    let Some(other) = random.pick(materials.corpus) else {
        return;
    };
    let (ours, theirs) = (tokens(input), tokens(other));
    if let (Some(&(from, to)), Some(&(start, end))) = (random.pick(&ours), random.pick(&theirs)) {
        input.splice(from..to, other[start..end].iter().copied());
    }
}

/// A piece of a text of `length` bytes, mostly a short one.
fn piece(length: usize, random: &mut Random) -> (usize, usize) {
    let from = random.below(length);
    let most = if random.once_in(4) { length } else { 16 };
    (from, (from + random.below(most + 1)).min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_depends_on_seed_and_number_alone() {
        let corpus = [b"def f(x: int) -> int: return x".to_vec(), Vec::new()];
        let materials = Materials {
            corpus: &corpus,
            words: &[b"while"],
        };
        for number in 0..500 {
            let one = make(&mut Random::new(7, number), &materials);
            assert_eq!(one, make(&mut Random::new(7, number), &materials));
        }
        let differ = (0..100).filter(|number| {
            make(&mut Random::new(1, *number), &materials)
                != make(&mut Random::new(2, *number), &materials)
        });
        assert!(differ.count() > 50);
    }
}
