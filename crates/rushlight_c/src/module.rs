//! Modules: loaded archives and compiled source, called by name.

use crate::context::RlContext;
use crate::given::{array, some, text};
use crate::guard::{self, Outcome, Status, guarded, handing};
use crate::value::{RlValue, values};
use rushlight::{DType, Fault, Loader, Module, Script, Source, Value};
use std::ffi::{CString, c_char};

/// A handle on a loaded archive or compiled source.
pub struct RlModule {
    program: Program,
    /// Names and schemas of the methods, as text for C.
    methods: Vec<(CString, CString)>,
}

enum Program {
    Module(Module),
    Script(Script),
}

impl RlModule {
    fn of(program: Program) -> RlModule {
        let row = |name: &str, schema: String| (guard::text(name), guard::text(&schema));
        let methods = match &program {
            Program::Module(module) => {
                let methods = module.methods().into_iter();
                methods
                    .map(|m| row(m.name(), m.schema().to_string()))
                    .collect()
            }
            Program::Script(script) => {
                let functions = script.functions().into_iter();
                functions
                    .map(|f| row(f.name(), f.schema().to_string()))
                    .collect()
            }
        };
        RlModule { program, methods }
    }

    /// The module, which source is not.
    pub fn module(&self) -> Outcome<&Module> {
        match &self.program {
            Program::Module(module) => Ok(module),
            Program::Script(_) => Err(Fault::type_error(
                "this was compiled from source: it has functions and no attributes",
            )
            .into()),
        }
    }
}

/// Loads an archive that PyTorch or Rushlight saved. Without a context it gets one of its own.
///
/// # Safety
/// `path` is text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_load(
    path: *const c_char,
    context: Option<&RlContext>,
    out: Option<&mut *mut RlModule>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, "path") }?;
        Ok(RlModule::of(Program::Module(loader(context).load(path)?)))
    })
}

/// Loads an archive from memory, which is copied.
///
/// # Safety
/// `data` leads to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_load_bytes(
    data: *const u8,
    length: usize,
    context: Option<&RlContext>,
    out: Option<&mut *mut RlModule>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let bytes = unsafe { array(data, length, "data") }?.to_vec();
        let module = loader(context).load_bytes(bytes)?;
        Ok(RlModule::of(Program::Module(module)))
    })
}

fn loader(context: Option<&RlContext>) -> Loader {
    match context {
        Some(context) => Loader::new().context(context.0.clone()),
        None => Loader::new(),
    }
}

/// Compiles TorchScript source; its functions are called as methods. The name is what errors call the source; null for
/// `<string>`.
///
/// # Safety
/// `source` and, unless null, `name` are text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_compile(
    source: *const c_char,
    name: *const c_char,
    context: Option<&RlContext>,
    out: Option<&mut *mut RlModule>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let source = unsafe { text(source, "source") }?;
        let name = match name.is_null() {
            true => "<string>",
            // SAFETY: the caller's promise.
            false => unsafe { text(name, "name") }?,
        };
        let script = rushlight::compile_source(&Source::new(name, source))?;
        let context = match context {
            Some(context) => context.0.clone(),
            None => rushlight::Context::silent().shared(),
        };
        let script = script.with_context(context);
        Ok(RlModule::of(Program::Script(script)))
    })
}

/// Gives a module up; values that came out of it stay.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_free(module: Option<Box<RlModule>>) {
    drop(module);
}

/// How many methods or functions there are.
#[unsafe(no_mangle)]
pub extern "C" fn rl_method_count(module: Option<&RlModule>) -> usize {
    module.map_or(0, |module| module.methods.len())
}

/// The name of a method, which holds as long as the module; null beyond the last.
#[unsafe(no_mangle)]
pub extern "C" fn rl_method_name(module: Option<&RlModule>, index: usize) -> *const c_char {
    let method = module.and_then(|module| module.methods.get(index));
    method.map_or(std::ptr::null(), |(name, _)| name.as_ptr())
}

/// How a method is called, which holds as long as the module; null beyond the last.
#[unsafe(no_mangle)]
pub extern "C" fn rl_method_schema(module: Option<&RlModule>, index: usize) -> *const c_char {
    let method = module.and_then(|module| module.methods.get(index));
    method.map_or(std::ptr::null(), |(_, schema)| schema.as_ptr())
}

/// Calls a method or function with arguments by position. Several threads may call one module.
///
/// # Safety
/// `method` is text that ends with a zero, `arguments` leads to `count` handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_call(
    module: Option<&RlModule>,
    method: *const c_char,
    arguments: *const Option<&RlValue>,
    count: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    // SAFETY: the caller's promise; there are no keywords.
    unsafe {
        rl_call_named(
            module,
            method,
            arguments,
            count,
            std::ptr::null(),
            std::ptr::null(),
            0,
            out,
        )
    }
}

/// As [`rl_call`], with further arguments by name.
///
/// # Safety
/// As for [`rl_call`]; `names` leads to `named` texts that end with a zero, `values` to as many handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_call_named(
    module: Option<&RlModule>,
    method: *const c_char,
    arguments: *const Option<&RlValue>,
    count: usize,
    names: *const *const c_char,
    named_values: *const Option<&RlValue>,
    named: usize,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        let module = some(module, "module")?;
        // SAFETY: the caller's promise.
        let method = unsafe { text(method, "method") }?;
        // SAFETY: the caller's promise.
        let arguments = unsafe { values(arguments, count, "arguments") }?;
        // SAFETY: the caller's promise.
        let names = unsafe { array(names, named, "names") }?;
        // SAFETY: the caller's promise.
        let by_name = unsafe { values(named_values, named, "values") }?;
        let mut keywords: Vec<(&str, Value)> = Vec::with_capacity(named);
        for (name, value) in names.iter().zip(by_name) {
            // SAFETY: the caller's promise.
            keywords.push((unsafe { text(*name, "a name") }?, value));
        }
        let result = match &module.program {
            Program::Module(module) => module.call_with(method, &arguments, &keywords)?,
            Program::Script(script) => match script.get(method) {
                Some(function) => function.call_with(&arguments, &keywords)?,
                // Says which functions there are.
                None => script.call(method, &arguments)?,
            },
        };
        Ok(RlValue(result))
    })
}

/// An attribute by path, such as `encoder.weight`; tensors and containers are shared with the module.
///
/// # Safety
/// `path` is text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_attribute(
    module: Option<&RlModule>,
    path: *const c_char,
    out: Option<&mut *mut RlValue>,
) -> Status {
    handing(out, || {
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, "path") }?;
        Ok(RlValue(some(module, "module")?.module()?.attribute(path)?))
    })
}

/// Writes an attribute that there is, by path; the value must be of its type.
///
/// # Safety
/// `path` is text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_set_attribute(
    module: Option<&RlModule>,
    path: *const c_char,
    value: Option<&RlValue>,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, "path") }?;
        let value = some(value, "value")?.0.clone();
        Ok(some(module, "module")?
            .module()?
            .set_attribute(path, value)?)
    })
}

/// A module of its own: tensors and attributes are copied, code is shared.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_copy(
    module: Option<&RlModule>,
    out: Option<&mut *mut RlModule>,
) -> Status {
    handing(out, || {
        let copy = some(module, "module")?.module()?.deep_copy()?;
        Ok(RlModule::of(Program::Module(copy)))
    })
}

/// Another handle on a module in another context: they share what they hold, but not limits and cancelling.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_within(
    module: Option<&RlModule>,
    context: Option<&RlContext>,
    out: Option<&mut *mut RlModule>,
) -> Status {
    handing(out, || {
        let context = some(context, "context")?.0.clone();
        let program = match &some(module, "module")?.program {
            Program::Module(module) => Program::Module(module.with_context(context)),
            Program::Script(script) => Program::Script(script.with_context(context)),
        };
        Ok(RlModule::of(program))
    })
}

/// Converts floating point parameters and buffers to the dtype of this number.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_to_dtype(module: Option<&RlModule>, dtype: i32) -> Status {
    guarded(|| {
        let Some(dtype) = DType::from_code(dtype.into()) else {
            return guard::refused(format!("{dtype} is the number of no dtype"));
        };
        Ok(some(module, "module")?.module()?.to_dtype(dtype)?)
    })
}

/// Puts a module and those below it into training or evaluation mode.
#[unsafe(no_mangle)]
pub extern "C" fn rl_module_train(module: Option<&RlModule>, on: bool) -> Status {
    guarded(|| {
        some(module, "module")?.module()?.train(on);
        Ok(())
    })
}

/// Saves a module as an archive, which PyTorch loads, too.
///
/// # Safety
/// `path` is text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rl_module_save(module: Option<&RlModule>, path: *const c_char) -> Status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, "path") }?;
        let saved = some(module, "module")?.module()?.save(path);
        saved.map_err(|error| rushlight::Error::from(error).with_path(path).into())
    })
}
