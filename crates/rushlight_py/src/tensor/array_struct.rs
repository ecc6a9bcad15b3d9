//! NumPy's arrays as structures in C (`__array_struct__`), which say the same as the dictionaries of `__array_interface__` in
//! a fifth of the time.

use super::arrays::TYPE_STRINGS;
use crate::identity::PyTensor;
use crate::trace::recording;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use rushlight::Tensor;
use rushlight::tensor::{DType, Dims, Layout, Storage};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{self, NonNull};

/// What NumPy's documentation calls `PyArrayInterface`.
#[repr(C)]
struct ArrayStruct {
    /// 2, to tell that it is one.
    two: c_int,
    rank: c_int,
    /// The letter of `typestr`.
    kind: c_char,
    item_size: c_int,
    flags: c_int,
    sizes: *mut isize,
    /// In bytes.
    strides: *mut isize,
    data: *mut c_void,
    /// Names of fields, of which there are none.
    fields: *mut ffi::PyObject,
}

/// NumPy's flags: elements lie at multiples of their size, their bytes in the order of this machine, and may be written.
const ALIGNED: c_int = 0x100;
const NATIVE: c_int = 0x200;
const WRITABLE: c_int = 0x400;

/// More dimensions no array has.
const MAX_RANK: c_int = 64;

/// The structure of a tensor, and what it points to.
#[repr(C)]
struct Described {
    head: ArrayStruct,
    sizes: Box<[isize]>,
    strides: Box<[isize]>,
    _tensor: Tensor,
}

unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python hands over a capsule that `described` has made, which holds the box it was made with.
    unsafe {
        let described = ffi::PyCapsule_GetPointer(capsule, ptr::null());
        drop(Box::from_raw(described.cast::<Described>()));
    }
}

/// A capsule with the structure of a plain tensor; `None` where NumPy has no such elements.
pub(super) fn described<'py>(
    py: Python<'py>,
    tensor: &Tensor,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let dtype = tensor.dtype();
    let Some((_, shown)) = TYPE_STRINGS.iter().find(|row| row.0 == dtype) else {
        return Ok(None);
    };
    let (kind, size) = (shown.as_bytes()[1], dtype.size());
    tensor.storage().expose();
    // Sizes and strides of tensors are checked where they are made: in bytes, too, they fit.
    let sizes: Box<[isize]> = tensor.sizes().iter().map(|s| *s as isize).collect();
    let strides = tensor.strides().iter().map(|s| (s * size) as isize);
    let mut described = Box::new(Described {
        head: ArrayStruct {
            two: 2,
            rank: sizes.len() as c_int,
            kind: kind as c_char,
            item_size: size as c_int,
            flags: ALIGNED | NATIVE | WRITABLE,
            sizes: ptr::null_mut(),
            strides: ptr::null_mut(),
            data: tensor.address() as *mut c_void,
            fields: ptr::null_mut(),
        },
        sizes,
        strides: strides.collect(),
        _tensor: tensor.clone(),
    });
    described.head.sizes = described.sizes.as_mut_ptr();
    described.head.strides = described.strides.as_mut_ptr();
    let pointer = Box::into_raw(described);
    // SAFETY: the pointer is a box's, which the capsule drops; its structure comes first in it.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.cast(), ptr::null(), Some(drop_capsule));
        if capsule.is_null() {
            drop(Box::from_raw(pointer));
        }
        Bound::from_owned_ptr_or_err(py, capsule).map(Some)
    }
}

/// The memory of a tensor, described for NumPy, which keeps this object as long as the array lives.
#[pyclass(frozen)]
struct Memory {
    #[pyo3(get, name = "__array_struct__")]
    capsule: Py<PyAny>,
}

/// An array over the memory of a tensor, whose structure this is, without a copy.
pub(super) fn array_of<'py>(capsule: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = capsule.py();
    let find = || {
        let found = py.import("numpy")?.getattr("asarray")?;
        PyResult::Ok(found.unbind())
    };
    let capsule = capsule.unbind();
    AS_ARRAY
        .get_or_try_init(py, find)?
        .bind(py)
        .call1((Memory { capsule },))
}

/// A tensor over the memory of an array of NumPy; `None` where the array is unusual in any way, or no array of NumPy, and
/// where a trace is recorded.
#[pyfunction]
pub fn from_usual_array(array: &Bound<'_, PyAny>) -> PyResult<Option<PyTensor>> {
    let py = array.py();
    let Some(class) = array_class(py)? else {
        return Ok(None);
    };
    if recording::is_on() || !array.is_instance(class)? {
        return Ok(None);
    }
    let capsule = array.getattr("__array_struct__")?;
    // SAFETY: a capsule without a name, which is what arrays of NumPy give, holds this structure as long as it lives; a
    // capsule with a name gives nothing.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), ptr::null()) };
    let Some(pointer) = NonNull::new(pointer.cast::<ArrayStruct>()) else {
        return Err(PyErr::fetch(py));
    };
    // SAFETY: as above.
    let Some((dtype, layout, data)) = (unsafe { read(pointer.as_ref()) }) else {
        return Ok(None);
    };
    let length = layout.end().unwrap_or(0).saturating_mul(dtype.size());
    let data = NonNull::new(data.cast::<u8>()).unwrap_or(NonNull::dangling());
    let owners = (array.clone().unbind(), capsule.unbind());
    // SAFETY: the structure says that this memory is the array's, and the storage keeps both alive.
    let storage = unsafe { Storage::foreign(data, length, Box::new(owners)) };
    storage.expose();
    Tensor::view_of(&storage, dtype, layout)
        .map(|tensor| Some(PyTensor::new(tensor)))
        .map_err(crate::errors::fault)
}

/// NumPy's class of arrays, once a program has imported it.
fn array_class(py: Python<'_>) -> PyResult<Option<&Bound<'_, PyType>>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if let Some(class) = CLASS.get(py) {
        return Ok(Some(class.bind(py)));
    }
    let modules = py.import("sys")?.getattr("modules")?;
    let Some(numpy) = modules.cast::<PyDict>()?.get_item("numpy")? else {
        return Ok(None);
    };
    let class = numpy.getattr("ndarray")?.cast_into::<PyType>()?;
    Ok(Some(CLASS.get_or_init(py, || class.unbind()).bind(py)))
}

/// Dtype, layout and memory of an array; `None` where one of them is none for tensors, or it may not be written.
///
/// # Safety
/// The structure's sizes and strides are as many as its rank says.
unsafe fn read(head: &ArrayStruct) -> Option<(DType, Layout, *mut c_void)> {
    let is_usual = head.two == 2
        && (0..=MAX_RANK).contains(&head.rank)
        && head.flags & NATIVE != 0
        && head.flags & WRITABLE != 0;
    if !is_usual {
        return None;
    }
    let (kind, size) = (head.kind as u8, usize::try_from(head.item_size).ok()?);
    let is_one = |row: &&(DType, &str)| row.1.as_bytes()[1] == kind && row.0.size() == size;
    let dtype = TYPE_STRINGS.iter().find(is_one)?.0;
    let (mut sizes, mut strides) = (Dims::new(), Dims::new());
    for d in 0..head.rank as usize {
        // SAFETY: passed on.
        let (step, count) = unsafe { (*head.strides.add(d), *head.sizes.add(d)) };
        let step = usize::try_from(step).ok()?;
        if !step.is_multiple_of(size) {
            return None;
        }
        sizes.push(usize::try_from(count).ok()?);
        strides.push(step / size);
    }
    Some((dtype, Layout::strided(&sizes, &strides, 0), head.data))
}
