//! The Python extension module `rushlight._rushlight`: values in and out, eager operators, scripts and modules.
//!
//! What a Python name means to a script is decided in Python (`rushlight/_resolve.py`), which describes objects to
//! [`resolver`] in plain tuples. Nothing here lists operators: a tensor method is a look-up in the operator table.

mod anomaly;
mod autocast;
mod binding;
mod builtin;
mod call;
mod classes;
mod code;
mod compile;
mod convert;
mod counters;
mod default_device;
mod defined;
mod definition;
mod dispatching;
mod dlpack;
mod eager;
mod errors;
mod executor;
mod gradient;
mod handles;
mod hook_answers;
mod identity;
mod index;
mod ir;
mod library;
mod limits;
mod literal;
mod load_errors;
mod loading;
mod methods;
mod module;
mod modules;
mod objects;
mod old_forms;
mod onnx;
mod operator;
mod overloaded;
mod overloads;
mod own_calls;
mod own_kind;
mod packet;
mod pickling;
mod profiler;
mod python_call;
mod registry;
mod remote;
mod resolver;
mod saved_hooks;
mod scope;
mod script;
mod seams;
mod settings;
mod shared;
mod signature;
mod source_text;
mod source_unit;
mod state;
mod tensor;
mod trace;
mod typed_module;
mod warnings;

use pyo3::prelude::*;
use std::rc::Rc;

/// The extension module.
/// Counts what scripts have in use, for limits.
#[global_allocator]
static ALLOCATOR: rushlight::tensor::memory::Accounting = rushlight::tensor::memory::Accounting;

#[pymodule]
fn _rushlight(m: &Bound<'_, PyModule>) -> PyResult<()> {
    rushlight::tensor::memory::quiet_panics();
    seams::fill(seams::Seams {
        library: || Rc::new(library::PythonLibrary),
        sugared: resolver::sugared,
        described_type: classes::described_type,
        inferred: modules::inferred,
    });
    state::context();
    m.add_class::<limits::PyLimits>()?;
    m.add_function(wrap_pyfunction!(limits::after_fork, m)?)?;
    m.add_function(wrap_pyfunction!(anomaly::set_anomaly_mode, m)?)?;
    m.add_function(wrap_pyfunction!(anomaly::anomaly_mode, m)?)?;
    m.add_class::<identity::PyTensor>()?;
    m.add_class::<builtin::Builtin>()?;
    own_kind::install();
    methods::install(m.py())?;
    gradient::install(m)?;
    remote::install(m)?;
    m.add_class::<objects::DTypeObject>()?;
    m.add_function(wrap_pyfunction!(objects::dtype_named, m)?)?;
    m.add_class::<objects::CodeObject>()?;
    m.add_class::<objects::DeviceObject>()?;
    m.add_class::<objects::GeneratorObject>()?;
    m.add_class::<handles::ScriptFunction>()?;
    m.add_function(wrap_pyfunction!(script::scripted_functions, m)?)?;
    m.add_class::<handles::ScriptObject>()?;
    m.add_function(wrap_pyfunction!(module::script_object, m)?)?;
    m.add_function(wrap_pyfunction!(tensor::number_of, m)?)?;
    m.add_function(wrap_pyfunction!(tensor::beside, m)?)?;
    m.add_function(wrap_pyfunction!(tensor::to_meta, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_default_device, m)?)?;
    m.add_function(wrap_pyfunction!(settings::get_default_device, m)?)?;
    m.add_class::<module::ScriptMethod>()?;
    m.add_class::<handles::Shared>()?;
    m.add_class::<profiler::PyProfile>()?;
    m.add_class::<counters::PyCounters>()?;
    m.add_function(wrap_pyfunction!(counters::set_counters, m)?)?;
    m.add_function(wrap_pyfunction!(profiler::is_profiling, m)?)?;
    m.add_function(wrap_pyfunction!(own_kind::register_kind, m)?)?;
    m.add_class::<trace::Tracer>()?;
    m.add_class::<trace::TracedCall>()?;
    m.add_class::<trace::TracedFork>()?;
    m.add_function(wrap_pyfunction!(trace::begin_traced_fork, m)?)?;
    m.add_function(wrap_pyfunction!(trace::begin_traced_call, m)?)?;
    m.add_function(wrap_pyfunction!(trace::recording::is_tracing, m)?)?;
    m.add_function(wrap_pyfunction!(trace::traced_object, m)?)?;
    m.add_function(wrap_pyfunction!(trace::trace_places, m)?)?;
    m.add_function(wrap_pyfunction!(trace::recording::tracer_warning, m)?)?;
    m.add_function(wrap_pyfunction!(literal::traced_as_tensor, m)?)?;
    m.add_function(wrap_pyfunction!(trace::trace_constants, m)?)?;
    m.add_class::<ir::PyGraph>()?;
    m.add_class::<ir::PyNode>()?;
    m.add_class::<ir::PyValue>()?;
    m.add_class::<ir::PyUse>()?;
    m.add_class::<ir::PyBlock>()?;
    m.add_class::<ir::PyType>()?;
    m.add_class::<ir::PySchema>()?;
    m.add_class::<ir::PyArgument>()?;
    m.add_function(wrap_pyfunction!(ir::parse_ir, m)?)?;
    m.add_function(wrap_pyfunction!(ir::read_ir, m)?)?;
    m.add_function(wrap_pyfunction!(ir::create_function_from_graph, m)?)?;
    m.add_function(wrap_pyfunction!(ir::parse_schema, m)?)?;
    m.add_function(wrap_pyfunction!(ir::read_schema, m)?)?;
    m.add_function(wrap_pyfunction!(ir::parse_type, m)?)?;
    m.add_function(wrap_pyfunction!(ir::make_type, m)?)?;
    m.add_function(wrap_pyfunction!(ir::type_of_tensor, m)?)?;
    m.add_function(wrap_pyfunction!(ir::new_symbol, m)?)?;
    m.add_function(wrap_pyfunction!(ir::try_infer_type, m)?)?;
    m.add_function(wrap_pyfunction!(ir::described_type, m)?)?;
    m.add_function(wrap_pyfunction!(ir::hide_source_ranges, m)?)?;
    m.add_function(wrap_pyfunction!(ir::interpret_graph, m)?)?;
    m.add_function(wrap_pyfunction!(ir::assert_is_instance, m)?)?;
    m.add_function(wrap_pyfunction!(ir::schemas_of, m)?)?;
    m.add_function(wrap_pyfunction!(ir::run_pass, m)?)?;
    m.add_function(wrap_pyfunction!(ir::rewrite_pattern, m)?)?;
    m.add_function(wrap_pyfunction!(ir::called_function, m)?)?;
    m.add_function(wrap_pyfunction!(ir::propagate_shapes, m)?)?;
    m.add_function(wrap_pyfunction!(builtin::has_operator, m)?)?;
    m.add_function(wrap_pyfunction!(builtin::builtin_named, m)?)?;
    m.add_function(wrap_pyfunction!(builtin::operator_names, m)?)?;
    m.add_function(wrap_pyfunction!(identity::remember_tensor, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::tensor_bytes, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::tensor_from_bytes, m)?)?;
    m.add_function(wrap_pyfunction!(autocast::set_autocast, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::storage_of, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::storage_size, m)?)?;
    m.add_function(wrap_pyfunction!(convert::names::shown_type, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::write_archive, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::read_archive, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::describe_file, m)?)?;
    m.add_function(wrap_pyfunction!(pickling::restore_schema, m)?)?;
    m.add_function(wrap_pyfunction!(literal::called_tensor, m)?)?;
    m.add_function(wrap_pyfunction!(loading::write_file, m)?)?;
    m.add_function(wrap_pyfunction!(dlpack::to_dlpack, m)?)?;
    m.add_function(wrap_pyfunction!(dlpack::from_dlpack, m)?)?;
    m.add_function(wrap_pyfunction!(tensor::array_struct::from_usual_array, m)?)?;
    m.add_function(wrap_pyfunction!(tensor::arrays::from_array, m)?)?;
    m.add_function(wrap_pyfunction!(compile::script_function, m)?)?;
    m.add_function(wrap_pyfunction!(compile::script_class, m)?)?;
    m.add_function(wrap_pyfunction!(compile::script_overloads, m)?)?;
    m.add_function(wrap_pyfunction!(compile::is_scripted_class, m)?)?;
    m.add_class::<saved_hooks::KeptTensor>()?;
    m.add_function(wrap_pyfunction!(saved_hooks::push_saved_hooks, m)?)?;
    m.add_function(wrap_pyfunction!(saved_hooks::pop_saved_hooks, m)?)?;
    m.add_function(wrap_pyfunction!(source_unit::compile_source, m)?)?;
    m.add_function(wrap_pyfunction!(source_text::definition_in_file, m)?)?;
    m.add_function(wrap_pyfunction!(modules::script_module, m)?)?;
    m.add_function(wrap_pyfunction!(modules::frozen::freeze_module, m)?)?;
    m.add_function(wrap_pyfunction!(modules::frozen::fold_frozen_norms, m)?)?;
    m.add_function(wrap_pyfunction!(
        modules::frozen::fuse_frozen_activations,
        m
    )?)?;
    m.add_function(wrap_pyfunction!(modules::define_methods, m)?)?;
    defined::register(m)?;
    m.add_function(wrap_pyfunction!(dispatching::set_dispatching, m)?)?;
    m.add_function(wrap_pyfunction!(onnx::export_onnx, m)?)?;
    m.add_function(wrap_pyfunction!(onnx::onnx_operators, m)?)?;
    m.add_function(wrap_pyfunction!(modules::facts_of, m)?)?;
    m.add_function(wrap_pyfunction!(loading::load_file, m)?)?;
    m.add_function(wrap_pyfunction!(loading::load_buffer, m)?)?;
    m.add_function(wrap_pyfunction!(loading::allow_files, m)?)?;
    m.add_function(wrap_pyfunction!(settings::manual_seed, m)?)?;
    m.add_function(wrap_pyfunction!(settings::get_num_threads, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_num_threads, m)?)?;
    m.add_function(wrap_pyfunction!(settings::initial_seed, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_grad_enabled, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_inference_mode, m)?)?;
    m.add_function(wrap_pyfunction!(settings::is_inference_mode, m)?)?;
    m.add_function(wrap_pyfunction!(settings::is_grad_enabled, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_default_dtype, m)?)?;
    m.add_function(wrap_pyfunction!(settings::get_default_dtype, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_print_options, m)?)?;
    m.add_function(wrap_pyfunction!(modules::clear_class_registry, m)?)?;
    m.add_function(wrap_pyfunction!(state::set_inlines_calls, m)?)?;
    m.add_function(wrap_pyfunction!(state::inlines_calls, m)?)?;
    m.add_function(wrap_pyfunction!(registry::register, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_determinism, m)?)?;
    m.add_function(wrap_pyfunction!(settings::determinism_mode, m)?)?;
    m.add_function(wrap_pyfunction!(settings::set_fills_memory, m)?)?;
    m.add_function(wrap_pyfunction!(settings::fills_memory, m)?)?;
    m.add_function(wrap_pyfunction!(settings::default_generator, m)?)?;
    m.add_function(wrap_pyfunction!(state::run_command, m)?)?;
    m.add("version", env!("CARGO_PKG_VERSION"))?;
    m.add(
        "torch_version",
        rushlight::frontend::sugared::namespace::VERSION,
    )?;
    Ok(())
}
