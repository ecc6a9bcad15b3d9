//! Calls of functions of other processes, and what scripts may ask a remote reference. The agent of the context does the
//! work.

use rushlight_types::{Context, Effect, Fault, Future, RRef, Remote, Result, Value, op, operators};
use std::sync::Arc;

operators! {
    /// Remote calls and methods of `RRef[T]`.
    pub static ROWS = [
        op!("prim::rpc_sync(...) -> Any", sync).effect(Effect::SideEffect),
        op!("prim::rpc_async(...) -> Any", later).effect(Effect::SideEffect),
        op!("prim::rpc_remote(...) -> Any", create).effect(Effect::SideEffect),
        op!("aten::to_here(RRef(t) self, float timeout=60.) -> t(*)", to_here).effect(Effect::SideEffect),
        op!("aten::local_value(RRef(t) self) -> t(*)", local_value).effect(Effect::SideEffect),
        op!("aten::is_owner(RRef(t) self) -> bool", is_owner).effect(Effect::SideEffect),
        op!("aten::owner_name(RRef(t) self) -> str", owner_name).effect(Effect::SideEffect),
        op!("aten::confirmed_by_owner(RRef(t) self) -> bool", |r: &Value| reference(r).map(|_| true)).effect(Effect::SideEffect),
    ];
}

/// The worker, the function, its arguments and the limit of a call in seconds.
struct Request<'a> {
    agent: Arc<dyn Remote>,
    to: &'a str,
    function: &'a str,
    arguments: Vec<Value>,
    seconds: f64,
}

fn request<'a>(cx: &Context, operator: &str, values: &'a [Value]) -> Result<Request<'a>> {
    let [
        Value::Str(to),
        Value::Str(function),
        Value::Tuple(arguments),
        rest @ ..,
    ] = values
    else {
        return Err(Fault::type_error(format!(
            "{operator} takes a worker, the name of a function and a tuple of arguments"
        )));
    };
    match rest.first() {
        None | Some(Value::None) => {}
        Some(Value::Dict(keywords)) if keywords.entries().is_empty() => {}
        Some(_) => {
            return Err(Fault::not_implemented(format!(
                "{operator} takes no arguments by name"
            )));
        }
    }
    Ok(Request {
        agent: cx.remote()?,
        to: to.as_str()?,
        function: function.as_str()?,
        arguments: arguments.items.to_vec(),
        seconds: rest.get(1).map_or(Ok(-1.0), Value::as_float)?,
    })
}

fn call(cx: &Context, operator: &str, values: &[Value]) -> Result<Arc<Future>> {
    let r = request(cx, operator, values)?;
    r.agent.call(r.to, r.function, r.arguments, r.seconds)
}

fn sync(cx: &Context, values: &[Value]) -> Result<Value> {
    call(cx, "rpc_sync", values)?.wait()
}

fn later(cx: &Context, values: &[Value]) -> Result<Value> {
    call(cx, "rpc_async", values).map(Value::Future)
}

fn create(cx: &Context, values: &[Value]) -> Result<Value> {
    let r = request(cx, "remote", values)?;
    let made = r.agent.create(r.to, r.function, r.arguments, r.seconds)?;
    Ok(made.into_value())
}

fn reference(value: &Value) -> Result<&RRef> {
    RRef::of(value).ok_or_else(|| Fault::type_error("expected a remote reference"))
}

fn to_here(cx: &Context, value: &Value, seconds: f64) -> Result<Value> {
    let reference = reference(value)?;
    match &reference.local {
        Some(local) => local.wait(),
        None => cx.remote()?.fetch(reference, seconds),
    }
}

fn local_value(cx: &Context, value: &Value) -> Result<Value> {
    let reference = reference(value)?;
    match &reference.local {
        Some(local) => local.wait(),
        None => {
            let me = cx.remote()?.me();
            let (owner, (by, number)) = (&reference.owner, reference.key);
            Err(Fault::runtime(format!(
                "For UserRRef(rref_id=GloballyUniqueId(created_on={by}, local_id={number}), fork_id=GloballyUniqueId(created_on={by}, local_id={})), can't call localValue() on user WorkerInfo(id={}, name={}). Call it on owner WorkerInfo(id={}, name={})",
                number + 1,
                me.id,
                me.name,
                owner.id,
                owner.name
            )))
        }
    }
}

fn is_owner(value: &Value) -> Result<bool> {
    Ok(reference(value)?.local.is_some())
}

fn owner_name(value: &Value) -> Result<String> {
    Ok(reference(value)?.owner.name.to_string())
}
