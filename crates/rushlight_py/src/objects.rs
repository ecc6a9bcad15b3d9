//! Small immutable Python objects: dtypes, layouts and memory formats, devices, generators.

use crate::identity::PyTensor;
use crate::{default_device, errors};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyTuple, PyType};
use rushlight::tensor::{DType, Device, Generator};
use rushlight::types::SharedGenerator;

/// `torch.float32`.
#[pyclass(name = "dtype", module = "torch", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DTypeObject(pub DType);

#[expect(
    clippy::wrong_self_convention,
    reason = "methods of Python objects take them by reference"
)]
#[pymethods]
impl DTypeObject {
    #[new]
    fn new(name: &str) -> PyResult<DTypeObject> {
        DType::from_name(name)
            .map(DTypeObject)
            .ok_or_else(|| PyTypeError::new_err(format!("no dtype {name}")))
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn code(&self) -> i64 {
        self.0.code()
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[getter]
    fn is_floating_point(&self) -> bool {
        self.0.is_float()
    }

    #[getter]
    fn is_complex(&self) -> bool {
        self.0.is_complex()
    }

    #[getter]
    fn is_signed(&self) -> bool {
        self.0.is_signed()
    }

    #[getter]
    fn itemsize(&self) -> usize {
        self.0.size()
    }

    fn to_real(&self, py: Python<'_>) -> PyResult<Py<DTypeObject>> {
        dtype_object(py, self.0.to_real())
    }

    fn to_complex<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Tensors do not have those of two bfloat16.
        if self.0 == DType::BF16 {
            return py.import("rushlight._absent_dtypes")?.getattr("bcomplex32");
        }
        if self.0.is_integral(true) {
            return Err(PyRuntimeError::new_err(format!(
                "Unknown Complex ScalarType for {}",
                self.0.class_name()
            )));
        }
        dtype_object(py, self.0.to_complex())?.into_bound_py_any(py)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    /// The name, by which pickles find it in `torch`, where programs can import that.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, name) = (slf.py(), slf.get().0.name());
        let alias = py.import("rushlight._alias")?;
        if alias.call_method0("in_force")?.is_truthy()? {
            return name.into_bound_py_any(py);
        }
        let module = py.import("rushlight._rushlight")?;
        (module.getattr("dtype_named")?, (name,)).into_bound_py_any(py)
    }
}

/// The one Python object of a dtype.
pub fn dtype_object(py: Python<'_>, dtype: DType) -> PyResult<Py<DTypeObject>> {
    static OBJECTS: [PyOnceLock<Py<DTypeObject>>; 32] = [const { PyOnceLock::new() }; 32];
    let make = || Py::new(py, DTypeObject(dtype));
    match OBJECTS.get(dtype.code() as usize) {
        Some(object) => Ok(object.get_or_try_init(py, make)?.clone_ref(py)),
        None => make(),
    }
}

/// The dtype that an object stands for where a dtype is taken: itself, or one of Python's classes of numbers.
pub fn dtype_of(object: &Bound<'_, PyAny>) -> Option<DType> {
    if let Ok(dtype) = object.extract::<DTypeObject>() {
        return Some(dtype.0);
    }
    let py = object.py();
    let classes = [
        (py.get_type::<PyFloat>(), DType::F64),
        (py.get_type::<PyInt>(), DType::I64),
        (py.get_type::<PyBool>(), DType::Bool),
        (py.get_type::<PyComplex>(), DType::C128),
    ];
    let found = classes.iter().find(|(class, _)| object.is(class));
    found.map(|(_, dtype)| *dtype)
}

/// The dtype of a name.
#[pyfunction]
pub fn dtype_named(py: Python<'_>, name: &str) -> PyResult<Py<DTypeObject>> {
    dtype_object(py, DTypeObject::new(name)?.0)
}

/// A layout, memory format or qscheme: a name for a number. Each kind is a class of its own above this one.
#[pyclass(
    name = "Code",
    module = "torch",
    frozen,
    eq,
    hash,
    subclass,
    from_py_object
)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CodeObject {
    #[pyo3(get)]
    pub name: String,
    #[pyo3(get)]
    pub code: i64,
    /// `layout`, `memory_format` or `qscheme`.
    #[pyo3(get)]
    pub kind: String,
}

#[pymethods]
impl CodeObject {
    #[new]
    fn new(kind: String, name: String, code: i64) -> CodeObject {
        CodeObject { name, code, kind }
    }

    fn __repr__(&self) -> String {
        format!("torch.{}", self.name)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let names = slf.py().import("rushlight._names")?;
        Ok((names.getattr("named")?, (slf.get().name.clone(),)))
    }
}

/// The layout of tensors whose elements lie at strides, always the same object.
pub fn strided(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static STRIDED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let find = || {
        let names = py.import("rushlight._names")?;
        Ok::<_, PyErr>(names.getattr("NAMES")?.get_item("strided")?.unbind())
    };
    Ok(STRIDED.get_or_try_init(py, find)?.clone_ref(py))
}

/// `torch.device`.
#[pyclass(name = "device", module = "torch", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceObject(pub Device);

#[pymethods]
impl DeviceObject {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<DeviceObject> {
        for name in kwargs.into_iter().flat_map(|kwargs| kwargs.keys()) {
            let name: String = name.extract()?;
            if !["type", "device", "index"].contains(&name.as_str()) {
                return Err(PyTypeError::new_err(format!(
                    "device() got an unexpected keyword argument '{name}'"
                )));
            }
        }
        let find = |place: usize, names: &[&str]| -> PyResult<Option<Bound<'_, PyAny>>> {
            if place < args.len() {
                return args.get_item(place).map(Some);
            }
            let named = names.iter().map(|name| kwargs?.get_item(name).transpose());
            named.flatten().next().transpose()
        };
        let Some(given) = &find(0, &["type", "device"])? else {
            return Err(no_such_device("", None));
        };
        let index = find(1, &["index"])?.filter(|index| !index.is_none());
        if let Ok(device) = given.extract::<DeviceObject>() {
            return Ok(device);
        }
        let place = |number: i64| match i8::try_from(number) {
            Ok(number) if number >= 0 => Ok(number),
            Ok(_) => Err(PyRuntimeError::new_err("Device index must not be negative")),
            Err(_) => Err(PyRuntimeError::new_err(format!(
                "Device index out of range: {number}"
            ))),
        };
        // A number alone is that of an accelerator.
        if given.is_instance_of::<PyInt>() && !given.is_instance_of::<PyBool>() {
            let mut device = Device::parse("cuda").map_err(fault)?;
            device.index = Some(place(given.extract()?)?);
            return Ok(DeviceObject(device));
        }
        let Ok(text) = given.extract::<String>() else {
            let kind = crate::convert::type_name(given);
            return Err(no_such_device(&kind, Some(&kind)));
        };
        let mut device = Device::parse(&text).map_err(fault)?;
        if let Some(index) = &index {
            let number = index.extract::<i64>().map_err(|_| {
                let kind = crate::convert::type_name(index);
                PyTypeError::new_err(format!(
                    "device(): argument 'index' (position 2) must be int, not {kind}"
                ))
            })?;
            if device.index.is_some() {
                return Err(PyRuntimeError::new_err(format!(
                    "type (string) must not include an index because index was passed explicitly: {text}"
                )));
            }
            device.index = Some(place(number)?);
        }
        Ok(DeviceObject(device))
    }

    #[getter]
    fn r#type(&self) -> &'static str {
        self.0.kind_name()
    }

    #[getter]
    fn index(&self) -> Option<i8> {
        self.0.index
    }

    fn __repr__(&self) -> String {
        match self.0.index {
            Some(index) => format!("device(type='{}', index={index})", self.0.kind_name()),
            None => format!("device(type='{}')", self.0.kind_name()),
        }
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.get().0.to_string(),))
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        default_device::enter(slf.get().0);
        slf
    }

    fn __exit__(
        &self,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        default_device::leave();
    }
}

fn fault(fault: rushlight::types::Fault) -> PyErr {
    PyRuntimeError::new_err(fault.message().to_string())
}

/// What is said where arguments name no device; `wrong` is the type of the one that does not fit.
fn no_such_device(given: &str, wrong: Option<&str>) -> PyErr {
    let reason = wrong.map_or(String::new(), |kind| {
        format!("      didn't match because some of the arguments have invalid types: (!{kind}!)\n")
    });
    PyTypeError::new_err(format!(
        "device() received an invalid combination of arguments - got ({given}), but expected one of:\n * (torch.device device)\n{reason} * (str type, int index = -1)\n"
    ))
}

/// The seed that an integer stands for; negative ones count from the end.
pub fn seed_of(number: &Bound<'_, PyAny>) -> PyResult<u64> {
    let overflow = || PyValueError::new_err("Overflow when unpacking long long");
    let seed: i128 = number.extract().map_err(|_| overflow())?;
    u64::try_from(seed)
        .or_else(|_| i64::try_from(seed).map(|seed| seed as u64))
        .map_err(|_| overflow())
}

/// `torch.Generator`.
#[pyclass(name = "Generator", module = "torch._C", frozen, from_py_object)]
#[derive(Clone)]
pub struct GeneratorObject(pub SharedGenerator);

#[pymethods]
impl GeneratorObject {
    #[new]
    #[pyo3(signature = (device=None))]
    fn new(device: Option<&Bound<'_, PyAny>>) -> GeneratorObject {
        let _ = device;
        GeneratorObject(rushlight::types::shared_generator(
            rushlight::types::DEFAULT_SEED,
        ))
    }

    fn manual_seed<'py>(
        slf: Bound<'py, Self>,
        seed: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        if !seed.is_instance_of::<PyInt>() || seed.is_instance_of::<PyBool>() {
            return Err(PyRuntimeError::new_err(format!(
                "manual_seed expected a long, but got {}",
                seed.get_type().name()?
            )));
        }
        *slf.get().0.lock() = Generator::new(seed_of(seed)?);
        Ok(slf)
    }

    /// Starts from a number that differs every time, and returns it.
    fn seed(&self, py: Python<'_>) -> PyResult<u64> {
        let random = py.import("secrets")?;
        let seed: u64 = random.call_method1("randbits", (63,))?.extract()?;
        *self.0.lock() = Generator::new(seed);
        Ok(seed)
    }

    /// Another generator in the same state.
    fn clone_state(&self) -> PyResult<GeneratorObject> {
        let copy = GeneratorObject::new(None);
        let state = self.0.lock().state();
        copy.0.lock().set_state(&state).map_err(errors::fault)?;
        Ok(copy)
    }

    fn initial_seed(&self) -> u64 {
        self.0.lock().seed()
    }

    fn get_state(&self) -> PyResult<PyTensor> {
        let bytes = self.0.lock().state();
        let n = bytes.len();
        rushlight::Tensor::from_vec(bytes, &[n])
            .map(PyTensor::new)
            .map_err(errors::fault)
    }

    fn set_state(&self, state: &PyTensor) -> PyResult<()> {
        let bytes = state.0.to_vec::<u8>();
        self.0.lock().set_state(&bytes).map_err(errors::fault)
    }

    /// How a copy is made: the seed, the offset, which this device has none of, and the state.
    fn __reduce__<'py>(slf: Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let generator = slf.get();
        let state = (generator.initial_seed(), None, generator.get_state()?);
        Ok((slf.get_type().into_any(), (generator.device(),), state))
    }

    fn __setstate__(&self, state: (u64, Option<u64>, Bound<'_, PyTensor>)) -> PyResult<()> {
        self.set_state(state.2.get())
    }

    #[getter]
    fn device(&self) -> DeviceObject {
        DeviceObject(Device::CPU)
    }
}

/// A class, what it is called with, and the state afterwards: seed, offset, bytes.
type Reduced<'py> = (
    Bound<'py, PyAny>,
    (DeviceObject,),
    (u64, Option<u64>, PyTensor),
);
