//! Ranges of code that a profiler would measure. Nothing is measured here: entering gives a handle, leaving takes it.

use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Effect, Object, Value, native, op, operators};
use std::sync::Arc;

operators! {
    /// What `torch.profiler.record_function` calls.
    pub static ROWS = [
        op!("profiler::_record_function_enter_new(str name, str? args=None) -> __torch__.torch.classes.profiler._RecordFunction", enter).effect(Effect::SideEffect),
        op!("profiler::_record_function_enter(str name, str? args=None) -> Tensor", enter_with_tensor).effect(Effect::SideEffect),
        op!("profiler::_record_function_exit(Tensor handle) -> ()", |_: &Tensor| ()).effect(Effect::SideEffect),
        op!("profiler::_record_function_exit._RecordFunction(__torch__.torch.classes.profiler._RecordFunction record) -> ()", |_: &Arc<Object>| ()).effect(Effect::SideEffect),
        op!("profiler::_call_end_callbacks_on_jit_fut(Tensor x, Future(t) y) -> Future(t)", |_: &Tensor, future: &Value| future.clone()).effect(Effect::SideEffect),
        op!("profiler::_call_end_callbacks_on_jit_fut._RecordFunction(__torch__.torch.classes.profiler._RecordFunction x, Future(t) y) -> Future(t)", |_: &Arc<Object>, future: &Value| future.clone()).effect(Effect::SideEffect),
    ];
}

fn enter(_name: &str, _arguments: Option<&str>) -> Result<Arc<Object>> {
    const CLASS: &str = "__torch__.torch.classes.profiler._RecordFunction";
    let class = native::known_class(CLASS);
    let class = class.ok_or_else(|| Fault::internal("the class of profiled ranges is gone"))?;
    Ok(native::object(class, Value::None))
}

fn enter_with_tensor(_name: &str, _arguments: Option<&str>) -> Result<Tensor> {
    Tensor::from_slice(&[0i64; 0], &[0])
}
