//! Running out of memory where a function cannot say so.
//!
//! Many functions give a tensor and no error: what they allocate is as large as something that exists already. Yet an
//! expanded tensor may be small in memory and its copy huge. Then the call unwinds, quietly, to the one that a program
//! made ([`catching`]), which reports the error like any other.

use crate::{Fault, Result};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What unwinds.
struct OutOfMemory(Fault);

/// Whether a machine could have a block of so many bytes at all.
pub(crate) fn is_possible(bytes: usize) -> bool {
    bytes as u64 <= 1 << 38 && bytes <= isize::MAX as usize
}

/// So many elements of a size, in bytes; leaves the running call where that is more than a machine can have.
#[inline]
pub(crate) fn bytes_of(len: usize, size: usize) -> usize {
    match len.checked_mul(size) {
        Some(bytes) if is_possible(bytes) => bytes,
        bytes => give_up(failed(bytes.unwrap_or(usize::MAX))),
    }
}

/// So many copies of a value, where the number comes from a program; leaves the running call where that is more than a
/// machine can have.
pub fn filled<T: Clone>(len: usize, value: T) -> Vec<T> {
    bytes_of(len, size_of::<T>());
    vec![value; len]
}

/// Refuses so many elements of a size where no machine could hold them.
pub fn check(len: usize, size: usize) -> Result<()> {
    match len.checked_mul(size) {
        Some(bytes) if is_possible(bytes) => Ok(()),
        bytes => Err(failed(bytes.unwrap_or(usize::MAX))),
    }
}

/// The error of an allocation of so many bytes that failed.
pub(crate) fn failed(bytes: usize) -> Fault {
    Fault::runtime(format!(
        "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)",
    ))
}

/// Leaves the call that is running because so many bytes cannot be had.
#[cold]
pub(crate) fn give_up(fault: Fault) -> ! {
    resume_unwind(Box::new(OutOfMemory(fault)))
}

/// Runs `work`, turning a failed allocation within into its error.
pub fn catching<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(cause) => match cause.downcast::<OutOfMemory>() {
            Ok(out_of_memory) => Err(out_of_memory.0),
            Err(other) => resume_unwind(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Tensor};

    #[test]
    fn copies_of_huge_expanded_tensors_fail_with_an_error() {
        let one = Tensor::zeros(&[1], DType::F32).unwrap();
        let wide = one
            .view_with(one.layout().expand(&[1 << 50]).unwrap())
            .unwrap();
        assert!(catching(|| Ok(wide.deep_copy())).is_err());
        assert!(catching(|| Ok(wide.contiguous())).is_err());
        assert!(catching(|| Ok(wide.contiguous_copy())).is_err());
    }
}
