//! DLPack: tensors to and from other libraries without a copy.
//!
//! The structures are those of the DLPack standard, in its unversioned form, which every library takes. A capsule named
//! `dltensor` owns its content until a consumer renames it to `used_dltensor`.

use crate::identity::PyTensor;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use rushlight::tensor::{DType, Layout, Storage, Tensor};
use std::ffi::{CStr, c_void};
use std::ptr::{self, NonNull};

const FRESH: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

/// The device type of main memory.
const CPU: i32 = 1;

/// More dimensions than any library makes.
const MAX_RANK: i32 = 64;

/// (dtype, type code, bits), as the standard numbers them.
const TYPES: &[(DType, u8, u8)] = &[
    (DType::I8, 0, 8),
    (DType::I16, 0, 16),
    (DType::I32, 0, 32),
    (DType::I64, 0, 64),
    (DType::U8, 1, 8),
    (DType::U16, 1, 16),
    (DType::U32, 1, 32),
    (DType::U64, 1, 64),
    (DType::F16, 2, 16),
    (DType::F32, 2, 32),
    (DType::F64, 2, 64),
    (DType::BF16, 4, 16),
    (DType::C32, 5, 32),
    (DType::C64, 5, 64),
    (DType::C128, 5, 128),
    (DType::Bool, 6, 8),
    (DType::F8E4M3FN, 10, 8),
    (DType::F8E4M3FNUZ, 11, 8),
    (DType::F8E5M2, 12, 8),
    (DType::F8E5M2FNUZ, 13, 8),
    (DType::F8E8M0FNU, 14, 8),
];

#[repr(C)]
struct Description {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    description: Description,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// What a capsule of ours keeps alive.
struct Kept {
    managed: Managed,
    _tensor: Tensor,
    _shape: Vec<i64>,
    _strides: Vec<i64>,
}

unsafe extern "C" fn release(managed: *mut Managed) {
    // SAFETY: `context` is the box that `to_dlpack` made, and a deleter is called once.
    unsafe { drop(Box::from_raw((*managed).context.cast::<Kept>())) }
}

unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python hands its own capsule over; a fresh one holds the managed tensor that it was made with.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, FRESH.as_ptr()) == 1 {
            let managed = ffi::PyCapsule_GetPointer(capsule, FRESH.as_ptr()).cast::<Managed>();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// A capsule over the memory of a tensor.
#[pyfunction]
pub fn to_dlpack<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyAny>> {
    let tensor = tensor.0.clone();
    if tensor.requires_grad() {
        return Err(PyBufferError::new_err(
            "Can't export tensors that require gradient, use tensor.detach()",
        ));
    }
    if !tensor.marks().is_none() {
        return Err(PyBufferError::new_err(
            "Can't export tensors with the conjugate bit set",
        ));
    }
    tensor.storage().expose();
    let row = TYPES.iter().find(|row| row.0 == tensor.dtype());
    let &(dtype, code, bits) = row.ok_or_else(|| {
        PyBufferError::new_err(format!("DLPack has no type for {}", tensor.dtype()))
    })?;
    let mut shape: Vec<i64> = tensor.sizes().iter().map(|&s| s as i64).collect();
    let mut strides: Vec<i64> = tensor.strides().iter().map(|&s| s as i64).collect();
    let description = Description {
        data: tensor.storage().as_ptr().cast(),
        device_type: CPU,
        device_id: 0,
        ndim: shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: (tensor.layout().offset() * dtype.size()) as u64,
    };
    let kept = Box::into_raw(Box::new(Kept {
        managed: Managed {
            description,
            context: ptr::null_mut(),
            deleter: Some(release),
        },
        _tensor: tensor,
        _shape: shape,
        _strides: strides,
    }));
    // SAFETY: `kept` was just made and is not shared; the capsule's destructor or its consumer frees it once.
    unsafe {
        (*kept).managed.context = kept.cast();
        let managed = ptr::addr_of_mut!((*kept).managed);
        let capsule = ffi::PyCapsule_New(managed.cast(), FRESH.as_ptr(), Some(drop_capsule));
        if capsule.is_null() {
            drop(Box::from_raw(kept));
            return Err(PyErr::fetch(py));
        }
        Ok(Bound::from_owned_ptr(py, capsule))
    }
}

/// Memory of another library, given back to it when the last tensor over it is gone.
struct Borrowed(NonNull<Managed>);

// SAFETY: the standard lets any thread call a deleter; nothing else reaches the pointer.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl Drop for Borrowed {
    fn drop(&mut self) {
        // SAFETY: the capsule was renamed when this was made, so nobody else calls the deleter.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                // Other libraries' deleters drop Python objects.
                Python::attach(|_| deleter(self.0.as_ptr()));
            }
        }
    }
}

/// A tensor over the memory of a capsule, or of an object with `__dlpack__`.
#[pyfunction]
pub fn from_dlpack(ext_tensor: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
    let capsule = match ext_tensor.getattr("__dlpack__") {
        Ok(method) => method.call0()?,
        Err(_) => ext_tensor.clone(),
    };
    // SAFETY: a fresh capsule of this name holds a managed tensor, by the standard; renaming it makes it ours.
    let managed = unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), FRESH.as_ptr()) != 1 {
            return Err(PyRuntimeError::new_err(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have already constructed a tensor from it once.",
            ));
        }
        let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), FRESH.as_ptr());
        let Some(managed) = NonNull::new(pointer.cast::<Managed>()) else {
            return Err(PyErr::fetch(capsule.py()));
        };
        ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr());
        ffi::PyCapsule_SetDestructor(capsule.as_ptr(), None);
        managed
    };
    let owner = Borrowed(managed);
    // SAFETY: the owner keeps the description alive.
    let found = unsafe { &owner.0.as_ref().description };
    if found.device_type != CPU {
        return Err(PyBufferError::new_err(
            "only tensors in main memory can be taken over",
        ));
    }
    let dtype = TYPES
        .iter()
        .find(|row| (row.1, row.2, 1) == (found.code, found.bits, found.lanes))
        .map(|row| row.0)
        .ok_or_else(|| {
            let (code, bits, lanes) = (found.code, found.bits, found.lanes);
            PyTypeError::new_err(format!(
                "DLPack type code {code} of {bits} bits in {lanes} lanes is not supported"
            ))
        })?;
    let layout = layout_of(found)?;
    let length = layout.end().unwrap_or(0) * dtype.size();
    let first = found
        .data
        .cast::<u8>()
        .wrapping_add(found.byte_offset as usize);
    let pointer = NonNull::new(first).unwrap_or(NonNull::dangling());
    // SAFETY: the description says that this memory belongs to the tensor, and the storage keeps its owner.
    let storage = unsafe { Storage::foreign(pointer, length, Box::new(owner)) };
    storage.expose();
    Tensor::view_of(&storage, dtype, layout)
        .map(PyTensor::new)
        .map_err(crate::errors::fault)
}

fn layout_of(found: &Description) -> PyResult<Layout> {
    let bad = |what: &str| PyBufferError::new_err(format!("the tensor to take over has {what}"));
    if !(0..=MAX_RANK).contains(&found.ndim) {
        return Err(bad("too many dimensions"));
    }
    let dims = |pointer: *mut i64, what: &str| -> PyResult<Vec<usize>> {
        // SAFETY: the standard gives every array one entry for each dimension.
        let entry = |i: usize| unsafe { *pointer.add(i) };
        (0..found.ndim as usize)
            .map(|i| usize::try_from(entry(i)).map_err(|_| bad(what)))
            .collect()
    };
    let sizes = dims(found.shape, "a negative size")?;
    rushlight::tensor::layout::checked_numel(&sizes).map_err(crate::errors::fault)?;
    if found.strides.is_null() {
        return Ok(Layout::contiguous(&sizes));
    }
    let strides = dims(found.strides, "a negative stride")?;
    Ok(Layout::strided(&sizes, &strides, 0))
}
