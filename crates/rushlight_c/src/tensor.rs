//! Tensors: made of the caller's memory with a copy or without, read back with strides or row by row.

use crate::given::{array, array_mut, some};
use crate::guard::{Outcome, Status, guarded, handing, refused, telling};
use crate::value::RlValue;
use rushlight::tensor::{Layout, Storage};
use rushlight::{DType, Fault, Tensor, Value};
use std::ffi::c_void;
use std::ptr::NonNull;

/// More dimensions than any tensor has.
const MOST_DIMS: usize = 64;

/// Tells the owner of memory that it is needed no longer.
pub type Release = unsafe extern "C" fn(*mut c_void);

struct Owner {
    release: Option<Release>,
    user: *mut c_void,
}

// SAFETY: the header asks for a function that any thread may call; it is called once.
unsafe impl Send for Owner {}
// SAFETY: as above; nothing can be done with a shared owner.
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the function and what belongs to it were given for this one call.
            unsafe { release(self.user) }
        }
    }
}

/// Memory of the caller's as a description of a tensor.
struct Described {
    dtype: DType,
    layout: Layout,
    bytes: usize,
    data: NonNull<u8>,
}

/// Checks what the caller says of memory.
///
/// # Safety
/// `sizes` and, unless null, `strides` lead to `rank` numbers.
unsafe fn described(
    dtype: i32,
    sizes: *const i64,
    strides: *const i64,
    rank: usize,
    data: *mut c_void,
) -> Outcome<Described> {
    let Some(dtype) = DType::from_code(dtype.into()) else {
        return refused(format!("{dtype} is the number of no dtype"));
    };
    if dtype.is_quantized() {
        return refused(format!("tensors of {dtype} have no plain elements"));
    }
    if rank > MOST_DIMS {
        return refused(format!("{rank} dimensions are too many"));
    }
    // SAFETY: the caller's promise.
    let sizes = numbers(unsafe { array(sizes, rank, "sizes") }?, "sizes")?;
    let layout = match strides.is_null() {
        true => {
            rushlight::tensor::layout::checked_numel(&sizes)?;
            Layout::contiguous(&sizes)
        }
        false => {
            // SAFETY: the caller's promise.
            let strides = numbers(unsafe { array(strides, rank, "strides") }?, "strides")?;
            Layout::strided(&sizes, &strides, 0)
        }
    };
    let bytes = layout.end().and_then(|end| end.checked_mul(dtype.size()));
    let Some(bytes) = bytes.filter(|bytes| *bytes <= isize::MAX as usize) else {
        return refused("sizes and strides reach further than memory can");
    };
    let data = match NonNull::new(data.cast::<u8>()) {
        Some(data) => data,
        None if bytes == 0 => NonNull::<u64>::dangling().cast(),
        None => return refused("data is null"),
    };
    if !data.addr().get().is_multiple_of(dtype.size().min(8)) {
        return refused("data is not aligned for its elements");
    }
    Ok(Described {
        dtype,
        layout,
        bytes,
        data,
    })
}

fn numbers(given: &[i64], what: &str) -> Outcome<Vec<usize>> {
    let number = |n: &i64| match usize::try_from(*n) {
        Ok(n) => Ok(n),
        Err(_) => refused(format!("{what} must not be negative, but one is {n}")),
    };
    given.iter().map(number).collect()
}

/// A tensor that copies memory of the caller's. Strides count elements; null for rows one after another.
///
/// # Safety
/// `sizes` and, unless null, `strides` lead to `rank` numbers, `data` to all elements that they reach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tensor(
    dtype: i32,
    sizes: *const i64,
    strides: *const i64,
    rank: usize,
    data: *const c_void,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let given = unsafe { described(dtype, sizes, strides, rank, data.cast_mut()) }?;
        // SAFETY: the caller's promise; alignment does not matter for bytes.
        let bytes = unsafe { array(given.data.as_ptr().cast_const(), given.bytes, "data") }?;
        let storage = Storage::copy_of(bytes);
        let tensor = Tensor::view_of(&storage, given.dtype, given.layout)?;
        Ok(RlValue(tensor.contiguous().into()))
    })
}

/// A tensor over memory of the caller's, without a copy: writes on either side are seen on the other. `release`, unless null,
/// is called with `user` when the last tensor over the memory is gone, and before this returns where it fails.
///
/// # Safety
/// As for [`rl_tensor`], and the memory can be read and written until `release` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tensor_over(
    dtype: i32,
    sizes: *const i64,
    strides: *const i64,
    rank: usize,
    data: *mut c_void,
    release: Option<Release>,
    user: *mut c_void,
    out: Option<&mut *mut RlValue>,
) -> Status {
    let owner = Box::new(Owner { release, user });
    handing(out, || {
        // SAFETY: the caller's promise.
        let given = unsafe { described(dtype, sizes, strides, rank, data) }?;
        // SAFETY: the caller's promise; the owner tells when the memory is needed no longer.
        let storage = unsafe { Storage::foreign(given.data, given.bytes, owner) };
        // The caller's writes are counted by nobody.
        storage.expose();
        let tensor = Tensor::view_of(&storage, given.dtype, given.layout)?;
        Ok(RlValue(tensor.into()))
    })
}

/// The tensor of a handle.
pub fn tensor(value: Option<&RlValue>) -> Outcome<&Tensor> {
    Ok(some(value, "tensor")?.0.as_tensor()?)
}

/// The number of a tensor's dtype.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_dtype(value: Option<&RlValue>, out: Option<&mut i32>) -> Status {
    telling(out, || Ok(tensor(value)?.dtype().code() as i32))
}

/// How many dimensions a tensor has.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_rank(value: Option<&RlValue>, out: Option<&mut usize>) -> Status {
    telling(out, || Ok(tensor(value)?.rank()))
}

/// How many elements a tensor has.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_numel(value: Option<&RlValue>, out: Option<&mut usize>) -> Status {
    telling(out, || Ok(tensor(value)?.numel()))
}

/// The sizes of a tensor, into `room` places, of which there must be one for each dimension.
///
/// # Safety
/// `out` leads to `room` places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tensor_sizes(
    value: Option<&RlValue>,
    out: *mut i64,
    room: usize,
) -> Status {
    guarded(|| {
        let tensor = tensor(value)?;
        // SAFETY: the caller's promise.
        unsafe { tell_dims(tensor.sizes(), out, room) }
    })
}

/// The strides of a tensor in elements, as [`rl_tensor_sizes`].
///
/// # Safety
/// `out` leads to `room` places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tensor_strides(
    value: Option<&RlValue>,
    out: *mut i64,
    room: usize,
) -> Status {
    guarded(|| {
        let tensor = tensor(value)?;
        // SAFETY: the caller's promise.
        unsafe { tell_dims(tensor.strides(), out, room) }
    })
}

/// # Safety
/// `out` leads to `room` places.
unsafe fn tell_dims(dims: &[usize], out: *mut i64, room: usize) -> Outcome {
    if dims.len() > room {
        return refused(format!(
            "{} dimensions do not fit into {room} places",
            dims.len()
        ));
    }
    // SAFETY: the caller's promise.
    let out = unsafe { array_mut(out, dims.len(), "the place for the result") }?;
    for (place, dim) in out.iter_mut().zip(dims) {
        *place = *dim as i64;
    }
    Ok(())
}

/// The first element in the tensor's own memory, which holds as long as the handle and is laid out by the strides. Not for
/// meta and quantized tensors, nor for those that are read conjugated.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_data(value: Option<&RlValue>, out: Option<&mut *mut c_void>) -> Status {
    telling(out, || {
        let tensor = tensor(value)?;
        check_plain(tensor)?;
        // The caller's writes are counted by nobody.
        tensor.storage().expose();
        Ok(tensor.address().cast())
    })
}

fn check_plain(tensor: &Tensor) -> Outcome {
    if tensor.is_meta() || tensor.quantizer().is_some() || !tensor.marks().is_none() {
        let told = "the elements of this tensor do not lie in memory as they are; `rl_tensor_read` copies them";
        return Err(Fault::type_error(told).into());
    }
    Ok(())
}

/// Copies the elements row by row, converted to a dtype, into `length` bytes, of which there must be as many as the elements
/// take.
///
/// # Safety
/// `out` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_tensor_read(
    value: Option<&RlValue>,
    dtype: i32,
    out: *mut c_void,
    length: usize,
) -> Status {
    guarded(|| {
        let tensor = tensor(value)?;
        let Some(dtype) = DType::from_code(dtype.into()).filter(|d| !d.is_quantized()) else {
            return refused(format!(
                "{dtype} is the number of no dtype with plain elements"
            ));
        };
        if tensor.is_meta() || tensor.quantizer().is_some() {
            let told = "meta and quantized tensors have no elements to be read";
            return Err(Fault::type_error(told).into());
        }
        let plain = tensor.to_dtype(dtype).contiguous_plain();
        let bytes = plain.numel() * dtype.size();
        if bytes != length {
            return refused(format!("the elements take {bytes} bytes, not {length}"));
        }
        // SAFETY: the caller's promise.
        let out = unsafe { array_mut(out.cast::<u8>(), length, "the place for the result") }?;
        // SAFETY: a dense tensor of its own without marks; its elements are as many initialised bytes from there.
        let from = unsafe { array(plain.address().cast_const(), length, "data") }?;
        out.copy_from_slice(from);
        Ok(())
    })
}

/// A dense tensor whose elements lie in memory as they are.
trait Plain {
    fn contiguous_plain(&self) -> Tensor;
}

impl Plain for Tensor {
    fn contiguous_plain(&self) -> Tensor {
        match self.marks().is_none() {
            true => self.contiguous(),
            false => self.contiguous_copy(),
        }
    }
}

/// The number that a tensor of one element holds, as an int, float or bool.
#[unsafe(no_mangle)]
pub extern "C" fn rl_tensor_item(
    value: Option<&RlValue>,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || Ok(RlValue(Value::from(tensor(value)?.item()?))))
}
