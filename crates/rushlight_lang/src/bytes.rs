//! Searching, cutting and making bytes, as strings of scripts are.

use memchr::memmem;
use rushlight_tensor::memory;
use rushlight_types::Str;
use smallvec::SmallVec;

/// Where a part begins first.
#[inline]
pub(super) fn find(s: &[u8], part: &[u8]) -> Option<usize> {
    match part {
        [byte] => memchr::memchr(*byte, s),
        // A short text is gone through before much could be learnt of the part.
        [first, second] if s.len() < 64 => s.windows(2).position(|two| two == [*first, *second]),
        part => memmem::find(s, part),
    }
}

/// Where a part begins last.
pub(super) fn rfind(s: &[u8], part: &[u8]) -> Option<usize> {
    memmem::rfind(s, part)
}

/// Where a part begins, without overlap; one that is empty begins everywhere, at the end too.
pub(super) fn matches<'s>(s: &'s [u8], part: &'s [u8]) -> impl Iterator<Item = usize> + 's {
    /// In a longer text it pays to get to know the part first.
    const LONG: usize = 256;
    let mut known = (part.len() > 1 && s.len() >= LONG).then(|| memmem::find_iter(s, part));
    let mut from = 0;
    std::iter::from_fn(move || {
        if let Some(known) = &mut known {
            return known.next();
        }
        let at = from + find(s.get(from..)?, part)?;
        from = at + part.len().max(1);
        Some(at)
    })
}

/// What stands between separators, of which at most so many count.
pub(super) fn split<'s>(
    s: &'s [u8],
    separator: &'s [u8],
    most: usize,
) -> impl Iterator<Item = &'s [u8]> {
    let mut cuts = matches(s, separator).take(most);
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let cut = cuts.next();
        from = cut.map(|at| at + separator.len());
        Some(&s[start..cut.unwrap_or(s.len())])
    })
}

/// As [`split`], from the end on: the last part comes first.
pub(super) fn rsplit<'s>(s: &'s [u8], separator: &[u8], most: usize) -> Vec<&'s [u8]> {
    let (mut parts, mut end) = (Vec::new(), s.len());
    for at in memmem::rfind_iter(s, separator).take(most) {
        parts.push(&s[at + separator.len()..end]);
        end = at;
    }
    parts.push(&s[..end]);
    parts
}

/// Without the bytes at the start that are among these.
pub(super) fn trim_start<'s>(s: &'s [u8], these: &[u8]) -> &'s [u8] {
    let start = s.iter().position(|b| !these.contains(b));
    &s[start.unwrap_or(s.len())..]
}

/// Without the bytes at the end that are among these.
pub(super) fn trim_end<'s>(s: &'s [u8], these: &[u8]) -> &'s [u8] {
    let end = s.iter().rposition(|b| !these.contains(b));
    &s[..end.map_or(0, |last| last + 1)]
}

/// A string in the making, which needs no memory while it is short.
#[derive(Default)]
pub(super) struct Making(SmallVec<[u8; 128]>);

impl Making {
    /// Adds bytes; leaves the running call where there is no memory for them.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Adds the same byte so many times.
    pub fn fill(&mut self, byte: u8, count: usize) {
        self.make_room(count);
        let run = [byte; 64];
        let mut left = count;
        while left > 0 {
            let some = left.min(run.len());
            self.0.extend_from_slice(&run[..some]);
            left -= some;
        }
    }

    #[inline]
    fn make_room(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let more = more.max(self.0.len());
        let refused = memory::check(more, 1).err();
        let reserved = self.0.try_reserve_exact(more);
        let refused = refused.or_else(|| reserved.err().map(|_| memory::failed(more)));
        if let Some(fault) = refused {
            memory::give_up(fault);
        }
    }

    /// What there is of it.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The string.
    #[inline]
    pub fn done(&self) -> Str {
        Str::from(self.bytes())
    }
}
