//! What scripts may ask a remote reference. Its type is part of the language, but nothing here makes such a value: the
//! operators are there for functions that take one, and say what is missing where they are reached.

use rushlight_types::{Effect, Fault, Result, Value, op, operators};

operators! {
    /// Methods of `RRef[T]`.
    pub static ROWS = [
        op!("aten::to_here(RRef(t) self, float timeout=60.) -> t(*)", to_here).effect(Effect::SideEffect),
        op!("aten::local_value(RRef(t) self) -> t(*)", local_value).effect(Effect::SideEffect),
        op!("aten::is_owner(RRef(t) self) -> bool", is_owner).effect(Effect::SideEffect),
        op!("aten::owner_name(RRef(t) self) -> str", owner_name).effect(Effect::SideEffect),
        op!("aten::confirmed_by_owner(RRef(t) self) -> bool", is_owner).effect(Effect::SideEffect),
    ];
}

fn missing() -> Fault {
    Fault::not_implemented("remote references need remote calls, which this version does not have")
}

fn to_here(_: &Value, _: f64) -> Result<Value> {
    Err(missing())
}

fn local_value(_: &Value) -> Result<Value> {
    Err(missing())
}

fn is_owner(_: &Value) -> Result<bool> {
    Err(missing())
}

fn owner_name(_: &Value) -> Result<String> {
    Err(missing())
}
