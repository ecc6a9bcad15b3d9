//! What reaches beyond its arguments: printing, raising, warning, assertions, modes, clocks.

use super::truth::truth;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Device, Scalar, Tensor};
use rushlight_types::{
    Await, CallStack, Context, Effect, Fault, Layer, Result, Str, Value, layer_is_on, modes, op,
    operators, print_str,
};
use std::sync::OnceLock;
use std::time::Instant;

operators! {
    /// Side effects and questions about the context.
    pub static ROWS = [
        op!("prim::Print(...) -> ()", print).effect(Effect::SideEffect),
        op!("aten::_print(str s) -> ()", print_line).effect(Effect::SideEffect),
        op!("prim::RaiseException(str msg, str? cls=None) -> ()", raise).effect(Effect::SideEffect).call_stack(CallStack::Raises),
        op!("aten::warn(str message, int stacklevel=2) -> ()", warn).effect(Effect::SideEffect).call_stack(CallStack::Warns),
        op!("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", assert_scalar).effect(Effect::SideEffect),
        op!("aten::_assert_async(Tensor self) -> ()", assert_tensor).effect(Effect::SideEffect),
        op!("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", assert_tensor_or).effect(Effect::SideEffect),
        op!("aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()", constrain).effect(Effect::SideEffect),
        op!("aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", constrain).effect(Effect::SideEffect),
        op!("aten::is_grad_enabled() -> bool", Context::grad_enabled).effect(Effect::Random),
        op!("aten::set_grad_enabled(bool val) -> ()", set_grad_enabled).effect(Effect::SideEffect),
        op!("aten::is_scripting() -> bool", || true),
        op!("aten::_get_tracing_state() -> bool", is_tracing).effect(Effect::Random),
        op!("aten::_is_tracing() -> bool", is_tracing).effect(Effect::Random),
        op!("aten::is_autocast_enabled() -> bool", || false).effect(Effect::Random),
        op!("aten::is_autocast_cpu_enabled() -> bool", is_autocast).effect(Effect::Random),
        op!("aten::get_autocast_dtype(str device_type) -> ScalarType", autocast_dtype).effect(Effect::Random),
        op!("aten::has_torch_function(...) -> bool", |_: &[Value]| -> bool { false }),
        op!("aten::is_vulkan_available() -> bool", || false),
        op!("aten::_nnpack_available() -> bool", || false),
        op!("aten::_use_cudnn_rnn_flatten_weight() -> bool", || false),
        op!("prim::AddStatValue(str key, int val) -> ()", add_stat_value).effect(Effect::SideEffect),
        op!("aten::wait(Future(t) self) -> t", wait).effect(Effect::SideEffect).call_stack(CallStack::Waits),
        op!("prim::awaitable_wait(Await(t) self) -> t", awaitable_wait).effect(Effect::SideEffect),
        op!("prim::awaitable_nowait(t self) -> Await(t)", awaitable_nowait).effect(Effect::SideEffect),
        op!("prim::TimePoint() -> int", time_point).effect(Effect::Random),
    ];
}

fn add_stat_value(cx: &Context, key: &str, value: i64) {
    if let Some(counters) = cx.counters() {
        counters.add(key, value);
    }
}

/// All values in one line, with blanks between.
fn print(cx: &Context, values: &[Value]) -> Result<()> {
    let texts: Vec<Str> = values.iter().map(print_str).collected();
    let mut line = memory::with_capacity(texts.iter().map(|t| t.as_bytes().len() + 1).sum());
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            line.push(b' ');
        }
        line.extend_from_slice(text.as_bytes());
    }
    line.push(b'\n');
    cx.print(Str::from_bytes(line).as_str()?);
    Ok(())
}

fn print_line(cx: &Context, text: &str) {
    cx.print(&format!("{text}\n"));
}

fn raise(message: &str, class: Option<&str>) -> Result<()> {
    Err(Fault::raised(class.unwrap_or_default(), message))
}

/// The result of a task. Scripts wait without blocking a thread; this is for everybody else.
fn wait(future: &Value) -> Result<Value> {
    match future {
        Value::Future(future) => future.wait(),
        _ => Err(Fault::runtime("wait expects a future")),
    }
}

/// The result of a call that is made when somebody asks for the first time.
fn awaitable_wait(cx: &Context, awaitable: &Value) -> Result<Value> {
    let Value::Await(call) = awaitable else {
        return Err(Fault::runtime("awaitable_wait expects an awaitable"));
    };
    match call.get() {
        Ok(value) => Ok(value),
        Err((callee, arguments)) => {
            let value = callee.invoke(cx, arguments)?;
            call.set(value.clone());
            Ok(value)
        }
    }
}

fn awaitable_nowait(value: &Value) -> Value {
    Value::Await(Await::ready(value.type_of(), value.clone()))
}

/// A warning from no script in particular. Those of scripts are given by the interpreter, which knows the place.
fn warn(cx: &Context, message: &str, _stack_level: i64) -> Result<()> {
    rushlight_types::warning::warn(cx, message, None)
}

fn assert_scalar(value: Scalar, message: &str) -> Result<()> {
    if value.to_bool() {
        Ok(())
    } else {
        Err(Fault::runtime(message))
    }
}

fn assert_tensor(value: &Tensor) -> Result<()> {
    assert_tensor_or(
        value,
        "Expected Tensor with single nonzero value, but got zero",
    )
}

fn assert_tensor_or(value: &Tensor, message: &str) -> Result<()> {
    if truth(value)? {
        Ok(())
    } else {
        Err(Fault::runtime(message))
    }
}

fn constrain(size: Scalar, min: Option<i64>, max: Option<i64>) -> Result<()> {
    let size = size.to_i64();
    let (low, high) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
    if (low..=high).contains(&size) {
        Ok(())
    } else {
        Err(Fault::runtime(format!(
            "Invalid value range for {size} between [{low}, {high}]."
        )))
    }
}

fn set_grad_enabled(cx: &Context, on: bool) {
    cx.set_grad_enabled(on);
}

fn is_tracing(cx: &Context) -> bool {
    layer_is_on(cx, Layer::Trace)
}

fn is_autocast() -> bool {
    modes::current().autocast.script.is_some()
}

fn autocast_dtype(device: &str) -> Result<i64> {
    let is_cpu = Device::parse(device)?.is_cpu();
    Ok(match modes::current().autocast.host {
        Some(dtype) if is_cpu => dtype.code(),
        _ if is_cpu => DType::BF16.code(),
        _ => DType::F16.code(),
    })
}

/// Nanoseconds since the first call; zero where the target has no clock.
fn time_point() -> i64 {
    if cfg!(target_family = "wasm") {
        return 0;
    }
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_exceptions_carry_their_class() {
        let fault = raise("bad", Some("builtins.ValueError")).unwrap_err();
        assert_eq!(fault.raised_class(), Some("builtins.ValueError"));
        assert_eq!(fault.message(), "bad");
        assert_eq!(raise("", None).unwrap_err().raised_class(), Some(""));
    }

    #[test]
    fn sizes_outside_a_range_are_refused() {
        assert!(constrain(Scalar::Int(5), Some(1), Some(3)).is_err());
        assert!(constrain(Scalar::Int(5), None, None).is_ok());
    }
}
