//! Moving runs of elements between operands and tiles, converting.

use crate::{DType, Element, bf16, dispatch, eight, f16, halves, lanes};

/// Reads `n` elements, `stride` bytes apart, into a tile.
pub(super) type Load = unsafe fn(from: *const u8, stride: usize, n: usize, tile: *mut u8);
/// Writes `n` elements of a tile, `stride` bytes apart.
pub(super) type Store = unsafe fn(tile: *const u8, n: usize, to: *mut u8, stride: usize);

/// Whether loops of a dtype are for operands and results of that dtype alone.
const fn is_apart(dtype: DType) -> bool {
    matches!(dtype, DType::U8 | DType::I32)
}

/// The loader from elements of `dtype` to tiles of `A`.
pub(super) fn loader<A: Element>(dtype: DType) -> Load {
    if const { is_apart(A::DTYPE) } {
        assert_eq!(dtype, A::DTYPE, "no loop converts to the dtype");
        return load::<A, A>;
    }
    match dtype {
        DType::F8E5M2 => load_eight::<A, 23>,
        DType::F8E4M3FN => load_eight::<A, 24>,
        DType::F8E5M2FNUZ => load_eight::<A, 25>,
        DType::F8E4M3FNUZ => load_eight::<A, 26>,
        DType::F8E8M0FNU => load_eight::<A, 44>,
        DType::F16 if A::DTYPE == DType::F32 => load::<f16, A>,
        DType::BF16 if A::DTYPE == DType::F32 => load::<bf16, A>,
        DType::F16 => load_half::<A, false>,
        DType::BF16 => load_half::<A, true>,
        _ => dispatch!(dtype, Whole, S => load::<S, A>),
    }
}

/// The writer of tiles of `R` to elements of `dtype`.
pub(super) fn storer<R: Element>(dtype: DType) -> Store {
    if const { is_apart(R::DTYPE) } {
        assert_eq!(
            dtype,
            R::DTYPE,
            "no loop's results are converted from the dtype"
        );
        return store::<R, R>;
    }
    match dtype {
        DType::F8E5M2 => store_eight::<R, 23>,
        DType::F8E4M3FN => store_eight::<R, 24>,
        DType::F8E5M2FNUZ => store_eight::<R, 25>,
        DType::F8E4M3FNUZ => store_eight::<R, 26>,
        DType::F8E8M0FNU => store_eight::<R, 44>,
        DType::F16 if R::DTYPE == DType::F32 => store::<R, f16>,
        DType::BF16 if R::DTYPE == DType::F32 => store::<R, bf16>,
        DType::F16 => store_half::<R, false>,
        DType::BF16 => store_half::<R, true>,
        _ => dispatch!(dtype, Whole, D => store::<R, D>),
    }
}

/// So many 16-bit floats become f32 at once.
const PART: usize = 64;

/// # Safety
/// As [`load`], of 16-bit floats that become f32.
#[inline(never)]
unsafe fn widen(is_brain: bool, from: *const u8, stride: usize, n: usize, tile: *mut u8) {
    // SAFETY: passed on.
    unsafe {
        match is_brain {
            true => load::<bf16, f32>(from, stride, n, tile),
            false => load::<f16, f32>(from, stride, n, tile),
        }
    }
}

/// # Safety
/// As [`store`], of 16-bit floats that were f32.
#[inline(never)]
unsafe fn narrow(is_brain: bool, tile: *const u8, n: usize, to: *mut u8, stride: usize) {
    // SAFETY: passed on.
    unsafe {
        match is_brain {
            true => store::<f32, bf16>(tile, n, to, stride),
            false => store::<f32, f16>(tile, n, to, stride),
        }
    }
}

/// # Safety
/// As [`load`], of 16-bit floats: bf16 where `BRAIN`.
unsafe fn load_half<A: Element, const BRAIN: bool>(
    from: *const u8,
    stride: usize,
    n: usize,
    tile: *mut u8,
) {
    let mut part = [0f32; PART];
    for start in (0..n).step_by(PART) {
        let count = PART.min(n - start);
        let (from, to) = (
            from.wrapping_add(start.wrapping_mul(stride)),
            part.as_mut_ptr().cast(),
        );
        // SAFETY: the part has room; the caller vouches for the elements, of which these are some, and for the tile.
        unsafe {
            widen(BRAIN, from, stride, count, to);
            for (i, number) in part[..count].iter().enumerate() {
                tile.cast::<A>().add(start + i).write(number.cast::<A>());
            }
        }
    }
}

/// # Safety
/// As [`store`], of 16-bit floats: bf16 where `BRAIN`.
unsafe fn store_half<R: Element, const BRAIN: bool>(
    tile: *const u8,
    n: usize,
    to: *mut u8,
    stride: usize,
) {
    let mut part = [0f32; PART];
    for start in (0..n).step_by(PART) {
        let count = PART.min(n - start);
        let (from, to) = (
            part.as_ptr().cast(),
            to.wrapping_add(start.wrapping_mul(stride)),
        );
        // SAFETY: as in `load_half`.
        unsafe {
            for (i, number) in part[..count].iter_mut().enumerate() {
                *number = (*tile.cast::<R>().add(start + i)).cast::<f32>();
            }
            narrow(BRAIN, from, count, to, stride);
        }
    }
}

/// The dtype with a number, of those of eight bits.
fn eight_of(code: i64) -> DType {
    DType::from_code(code).unwrap_or(DType::F8E5M2)
}

/// # Safety
/// As [`load`], of bytes.
unsafe fn load_eight<A: Element, const CODE: i64>(
    from: *const u8,
    stride: usize,
    n: usize,
    tile: *mut u8,
) {
    let (dtype, tile) = (eight_of(CODE), tile.cast::<A>());
    for i in 0..n {
        // SAFETY: as in `load`.
        unsafe {
            let number = eight::decode(dtype, *from.add(i.wrapping_mul(stride)));
            tile.add(i).write(number.cast::<A>());
        }
    }
}

/// # Safety
/// As [`store`], of bytes.
unsafe fn store_eight<R: Element, const CODE: i64>(
    tile: *const u8,
    n: usize,
    to: *mut u8,
    stride: usize,
) {
    let (dtype, tile) = (eight_of(CODE), tile.cast::<R>());
    for i in 0..n {
        // SAFETY: as in `store`.
        unsafe {
            let byte = eight::encode(dtype, (*tile.add(i)).cast::<f32>());
            *to.add(i.wrapping_mul(stride)) = byte;
        }
    }
}

/// # Safety
/// `n` elements `S` must be readable from `from` on, `stride` bytes apart, and `n` elements `A` writable at `tile`.
unsafe fn load<S: Element, A: Element>(from: *const u8, stride: usize, n: usize, tile: *mut u8) {
    let tile = tile.cast::<A>();
    // SAFETY: the caller vouches for both regions, which do not overlap; elements are aligned as their storage is. Where
    // a dtype is compared, the type is the one that it stands for.
    unsafe {
        if stride == 0 {
            let value = (*from.cast::<S>()).cast::<A>();
            lanes::fill(tile, n, value);
        } else if stride == size_of::<S>() {
            let from = from.cast::<S>();
            if S::DTYPE == A::DTYPE {
                std::ptr::copy_nonoverlapping(from.cast::<A>(), tile, n);
            } else if !halves::convert(from, tile, n) {
                for i in 0..n {
                    tile.add(i).write((*from.add(i)).cast::<A>());
                }
            }
        } else {
            for i in 0..n {
                tile.add(i)
                    .write((*from.add(i.wrapping_mul(stride)).cast::<S>()).cast::<A>());
            }
        }
    }
}

/// # Safety
/// `n` elements `R` must be readable at `tile`, and `n` elements `D` writable from `to` on, `stride` bytes apart.
unsafe fn store<R: Element, D: Element>(tile: *const u8, n: usize, to: *mut u8, stride: usize) {
    let tile = tile.cast::<R>();
    // SAFETY: as in `load`.
    unsafe {
        if stride == size_of::<D>() {
            let to = to.cast::<D>();
            if halves::convert(tile, to, n) {
                return;
            }
            for i in 0..n {
                to.add(i).write((*tile.add(i)).cast::<D>());
            }
        } else {
            for i in 0..n {
                to.add(i.wrapping_mul(stride))
                    .cast::<D>()
                    .write((*tile.add(i)).cast::<D>());
            }
        }
    }
}
