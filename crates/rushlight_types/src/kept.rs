//! Calls with tensors whose elements somebody outside keeps ([`Tensor::kept`]): they are made there.

use crate::{Call, ElementOp, Fault, Operator, Result, Type, Value};
use rushlight_tensor::{Tensor, kinds};
use std::sync::OnceLock;

/// What a kept tensor is made of: what archives hold of it.
pub struct Parts {
    /// The number of its layout.
    pub layout: i64,
    pub size: Vec<i64>,
    /// Tensors of places, and the values.
    pub tensors: Vec<Tensor>,
}

/// Who keeps elements and makes the calls. There is one in a process.
pub trait Keeper: Send + Sync {
    /// Makes a call, of whose arguments one is kept or whose results will be.
    fn call(&self, operator: &Operator, call: &mut Call<'_>) -> Result<()>;

    /// What a kept tensor is made of.
    fn parts(&self, tensor: &Tensor) -> Result<Parts>;

    /// The tensor that is made of these.
    fn whole(&self, parts: Parts) -> Result<Tensor>;
}

static KEEPER: OnceLock<Box<dyn Keeper>> = OnceLock::new();

/// Gives the process its keeper; the first one stays.
pub fn set_keeper(keeper: Box<dyn Keeper>) {
    let _ = KEEPER.set(keeper);
}

/// Who keeps tensors outside.
pub fn keeper() -> Result<&'static dyn Keeper> {
    KEEPER.get().map(|keeper| &**keeper).ok_or_else(nobody)
}

/// The fault where nobody keeps tensors outside.
pub fn nobody() -> Fault {
    Fault::runtime("sparse tensors are part of Python alone")
}

/// Whether a call has to be made outside: what takes any value (`is`, `append`) does not look at elements.
#[inline]
fn concerns(operator: &Operator, call: &Call<'_>) -> bool {
    kinds::seen().kept() && has_kept(operator, call)
}

#[cold]
fn has_kept(operator: &Operator, call: &Call<'_>) -> bool {
    // Sizes, dtype and device are known here.
    let asks_of_it = matches!(
        operator.element,
        Some(ElementOp::DTypeOf | ElementOp::DeviceOf)
    );
    if asks_of_it || operator.scalar.is_some() {
        return false;
    }
    let is_kept = |tensor: &Tensor| tensor.kept().is_some();
    let formals = operator.schema().arguments.iter();
    let mut given = formals.zip(call.inputs());
    given.any(|(formal, value)| takes_tensors(&formal.ty) && value.any_tensor(is_kept))
}

fn takes_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::Optional(inner) | Type::List(inner) => takes_tensors(inner),
        _ => false,
    }
}

/// Makes a call outside that has to be made there, or whose result only somebody there can make if there is anybody; `None` for
/// others.
#[inline]
pub(crate) fn run(operator: &Operator, call: &mut Call<'_>) -> Option<Result<()>> {
    if concerns(operator, call) {
        return Some(keeper().and_then(|keeper| keeper.call(operator, call)));
    }
    if !operator.is_made_outside() && !asks_for_layout(operator, call) {
        return None;
    }
    KEEPER.get().map(|keeper| keeper.call(operator, call))
}

/// Whether a call asks for one of the layouts of kept tensors: what makes tensors has it before the device.
#[inline]
fn asks_for_layout(operator: &Operator, call: &Call<'_>) -> bool {
    const STRIDED: i64 = 0;
    let before = operator.device_at().and_then(|at| at.checked_sub(1));
    let is_asked = |at: usize| {
        matches!(call.inputs().get(at), Some(Value::Int(layout)) if *layout != STRIDED)
            && is_layout(&operator.schema().arguments[at].ty)
    };
    before.is_some_and(is_asked)
}

fn is_layout(ty: &Type) -> bool {
    match ty {
        Type::Optional(inner) => is_layout(inner),
        other => *other == Type::Layout,
    }
}
