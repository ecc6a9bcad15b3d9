//! Operators of the program's own.

use rushlight_types::{Callable, Context, Operator, Result, Schema, Value};
use std::any::Any;
use std::sync::Arc;

/// Defines an operator: scripts call it as `torch.ops.ns.name(...)`, archives that were saved with it load, and graphs show
/// it as a node of its own.
///
/// `schema` is in PyTorch's notation; `function` gets every argument of it in order, defaults filled in, and gives the result:
/// a tuple where the schema has several, [`Value::None`] where it has none. The operator is there for every script of the
/// process, also for what is compiled or loaded later; `table().take_back(name)` takes it away. Gradients go through what the
/// function calls on tensors; what else it does carries none.
///
/// # Errors
///
/// The schema cannot be read, or there is such an operator already.
///
/// ```
/// # fn main() -> rushlight::Result<()> {
/// use rushlight::{Tensor, Value, values};
///
/// rushlight::define("audio::gain(Tensor x, float db=6.0) -> Tensor", |_, arguments| {
///     let factor = 10f32.powf(arguments[1].as_float()? as f32 / 20.0);
///     let samples = arguments[0].as_tensor()?.contiguous();
///     let louder: Vec<f32> = samples.try_data::<f32>()?.iter().map(|s| s * factor).collect();
///     Ok(Tensor::from_slice(&louder, samples.sizes())?.into())
/// })?;
/// let script = rushlight::compile("
/// import torch
///
/// def twice(x: torch.Tensor) -> torch.Tensor:
///     return torch.ops.audio.gain(x, 20.0) + torch.ops.audio.gain(x, db=0.0)
/// ")?;
/// let x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
/// let y: Tensor = script.call("twice", &values![x])?.to()?;
/// assert_eq!(&y.try_data::<f32>()?[..], [11.0, 22.0]);
/// # Ok(()) }
/// ```
pub fn define(
    schema: &str,
    function: impl Fn(&Context, &[Value]) -> Result<Value> + Send + Sync + 'static,
) -> Result<&'static Operator> {
    let parsed = Schema::parse(schema).map_err(rushlight_types::Fault::runtime)?;
    let own = Own {
        schema: Arc::new(parsed),
        function: Box::new(function),
    };
    crate::table().define(schema, Arc::new(own))
}

type Function = dyn Fn(&Context, &[Value]) -> Result<Value> + Send + Sync;

struct Own {
    schema: Arc<Schema>,
    function: Box<Function>,
}

impl Callable for Own {
    fn name(&self) -> &str {
        &self.schema.name
    }

    fn schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    fn invoke(&self, context: &Context, arguments: Vec<Value>) -> Result<Value> {
        (self.function)(context, &arguments)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
