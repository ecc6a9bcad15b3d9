//! Rolling, flipping and interleaving by tables of places.

use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, Dims, Result, Tensor, by_width, layout, memory, watch};

/// For each dimension of the result, the source index of each of its indices.
pub type Tables = Vec<Vec<usize>>;

/// The tables that change nothing.
pub fn identity(t: &Tensor) -> Tables {
    t.sizes().iter().map(|n| (0..*n).collected()).collect()
}

/// The tensor whose element at an index is `t`'s at the index looked up per dimension.
pub fn look_up(t: &Tensor, tables: &Tables) -> Result<Tensor> {
    let sizes: Dims = tables.iter().map(Vec::len).collect();
    let numel = layout::checked_numel(&sizes)?;
    let width = t.dtype().size();
    let bytes = t.contiguous().bytes()?;
    let mut out = Buffer::<u8>::unspecified(memory::times([numel, width]));
    if numel > 0 {
        gather(&bytes.data::<u8>(), t.sizes(), width, tables, &mut out);
    }
    out.into_elements(t.dtype(), &sizes)
}

/// What is read along a dimension, or along some that lie in a row.
struct Along<'a> {
    /// How many elements there are, the ones read and the ones that stand there.
    size: usize,
    from: usize,
    /// Where they are read; at all places in order where there is no table.
    table: Option<&'a [usize]>,
    /// From one to the next in the source.
    step: usize,
}

/// The dimensions of a result, neighbours of which all is read in order taken together.
fn together<'a>(tables: &'a Tables, sizes: &[usize]) -> Vec<Along<'a>> {
    let mut out: Vec<Along<'a>> = memory::with_capacity(sizes.len());
    let mut step = 1;
    for (table, from) in tables.iter().zip(sizes).rev() {
        let whole = table.len() == *from && table.iter().enumerate().all(|(i, at)| i == *at);
        match out.last_mut().filter(|last| whole && last.table.is_none()) {
            Some(last) => {
                last.size *= from;
                last.from *= from;
            }
            None => out.push(Along {
                size: table.len(),
                from: *from,
                table: (!whole).then_some(table),
                step,
            }),
        }
        step *= from;
    }
    out.reverse();
    out
}

/// Elements of a row that are read from neighbours, upwards or downwards.
struct Run {
    to: usize,
    /// The lowest place in the source.
    from: usize,
    len: usize,
    falls: bool,
}

/// The runs of a row, unless they are short and many.
fn runs(table: &[usize]) -> Option<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    let mut at = 0;
    while at < table.len() {
        let next = table.get(at + 1).copied();
        let falls = next.is_some_and(|next| next + 1 == table[at]);
        let goes_on = |pair: &&[usize]| match falls {
            true => pair[1] + 1 == pair[0],
            false => pair[1] == pair[0] + 1,
        };
        let len = 1 + table[at..].windows(2).take_while(goes_on).count();
        let from = if falls {
            table[at + len - 1]
        } else {
            table[at]
        };
        runs.push(Run {
            to: at,
            from,
            len,
            falls,
        });
        if runs.len() > 2 + table.len() / 16 {
            return None;
        }
        at += len;
    }
    Some(runs)
}

/// A run of every row that is read from its last element to its first; an element has `N` bytes.
struct Turned<'a, const N: usize> {
    source: &'a [u8],
    out: &'a mut [u8],
    row: &'a Row<'a>,
    run: &'a Run,
}

impl<const N: usize> Vectorised for Turned<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (row, run) = (self.row, self.run);
        let (source, out) = (
            self.source.as_chunks::<N>().0,
            self.out.as_chunks_mut::<N>().0,
        );
        let rows = source.chunks_exact(row.from);
        for (from, to) in rows.zip(out.chunks_exact_mut(row.size)) {
            let (from, to) = (&from[run.from..][..run.len], &mut to[run.to..][..run.len]);
            for (to, from) in to.iter_mut().zip(from.iter().rev()) {
                *to = *from;
            }
        }
    }
}

/// Rows that are copied at once.
const ROWS: usize = 64;

/// Fills a result that has elements, of `width` bytes.
fn gather(source: &[u8], sizes: &[usize], width: usize, tables: &Tables, out: &mut [u8]) {
    let dims = together(tables, sizes);
    let Some((last, outer)) = dims.split_last() else {
        out.copy_from_slice(&source[..width]);
        return;
    };
    let row = Row::of(last, width);
    let (outer, slabs) = match outer.split_last() {
        Some((rows, rest)) if rows.table.is_none() => (rest, rows.size),
        _ => (outer, 1),
    };
    let (from_bytes, to_bytes) = (last.from * width, last.size * width);
    let mut index = memory::filled(outer.len(), 0usize);
    for slab in out.chunks_exact_mut(slabs * to_bytes) {
        let start: usize = outer
            .iter()
            .zip(&index)
            .map(|(dim, i)| dim.table.map_or(*i, |table| table[*i]) * dim.step)
            .sum();
        let source = &source[start * width..][..slabs * from_bytes];
        let sources = source.chunks(ROWS * from_bytes);
        for (from, to) in sources.zip(slab.chunks_mut(ROWS * to_bytes)) {
            watch::poll();
            row.copy(from, to);
        }
        for (dim, i) in outer.iter().zip(&mut index).rev() {
            *i += 1;
            if *i < dim.size {
                break;
            }
            *i = 0;
        }
    }
}

/// How the last dimension is read.
struct Row<'a> {
    /// Elements of a row of the source and of the result, and bytes of an element.
    from: usize,
    size: usize,
    width: usize,
    table: &'a [usize],
    /// The runs of the table, of which the first may be the one that is copied for many rows at once.
    runs: Option<Vec<Run>>,
    first_at_once: bool,
}

impl<'a> Row<'a> {
    fn of(dim: &Along<'a>, width: usize) -> Row<'a> {
        let (from, size) = (dim.from, dim.size);
        let mut runs = match dim.table {
            Some(table) => runs(table),
            None => Some(vec![Run {
                to: 0,
                from: 0,
                len: size,
                falls: false,
            }]),
        };
        // A long run lies as far from its source in every row: all rows are one copy, and what else it writes is written after it.
        let long = |run: &Run| !run.falls && 2 * run.len > size && from == size;
        let first = runs.as_ref().and_then(|runs| runs.iter().position(long));
        if let (Some(runs), Some(first)) = (&mut runs, first) {
            runs.swap(0, first);
        }
        Row {
            from,
            size,
            width,
            table: dim.table.unwrap_or_default(),
            runs,
            first_at_once: first.is_some(),
        }
    }

    /// Fills rows from as many of the source.
    fn copy(&self, source: &[u8], out: &mut [u8]) {
        let Some(runs) = &self.runs else {
            return by_width!(self.width, N => self.pick::<N>(source, out));
        };
        let width = self.width;
        let mut runs = &runs[..];
        if self.first_at_once
            && let Some((run, rest)) = runs.split_first()
        {
            let (to, from) = (&mut out[run.to * width..], &source[run.from * width..]);
            let len = to.len().min(from.len());
            to[..len].copy_from_slice(&from[..len]);
            runs = rest;
        }
        for run in runs {
            match (run.falls, width) {
                (false, 4) if run.len == 1 => self.turn::<4>(source, out, run),
                (false, _) => {
                    let rows = source.chunks_exact(self.from * width);
                    for (from, to) in rows.zip(out.chunks_exact_mut(self.size * width)) {
                        let len = run.len * width;
                        to[run.to * width..][..len]
                            .copy_from_slice(&from[run.from * width..][..len]);
                    }
                }
                (true, 4) => vectorised(self.turned::<4>(source, out, run)),
                (true, _) => by_width!(width, N => self.turn::<N>(source, out, run)),
            }
        }
    }

    fn turned<'s, const N: usize>(
        &'s self,
        source: &'s [u8],
        out: &'s mut [u8],
        run: &'s Run,
    ) -> Turned<'s, N> {
        let row = self;
        Turned {
            source,
            out,
            row,
            run,
        }
    }

    fn turn<const N: usize>(&self, source: &[u8], out: &mut [u8], run: &Run) {
        self.turned::<N>(source, out, run).run();
    }

    /// Fills rows element by element.
    fn pick<const N: usize>(&self, source: &[u8], out: &mut [u8]) {
        let (source, out) = (source.as_chunks::<N>().0, out.as_chunks_mut::<N>().0);
        let rows = source.chunks_exact(self.from);
        for (from, to) in rows.zip(out.chunks_exact_mut(self.size)) {
            for (to, at) in to.iter_mut().zip(self.table) {
                *to = from[*at];
            }
        }
    }
}

/// The elements of one dimension in the order of `indices`.
pub fn interleave(t: &Tensor, dim: usize, indices: Vec<usize>) -> Result<Tensor> {
    let mut tables = identity(t);
    tables[dim] = indices;
    look_up(t, &tables)
}

/// The tensor and dimension that are meant: without a dimension all elements in a row.
pub fn along(t: &Tensor, dim: Option<i64>) -> Result<(Tensor, usize)> {
    match dim {
        None => Ok((t.reshape_to(&[t.numel()])?, 0)),
        Some(dim) if t.rank() == 0 => Ok((t.reshape_to(&[1])?, wrap_dim(dim, 1)?)),
        Some(dim) => Ok((t.clone(), wrap_dim(dim, t.rank())?)),
    }
}
