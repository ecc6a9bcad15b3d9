//! Runs backwards that scripts ask for: they go through the gradient engine of the context.

use rushlight_tensor::{Fault, Tensor};
use rushlight_types::{
    Context, Effect, Elements, GradientRequest, Gradients, Result, Type, Value, op, operators,
};
use std::sync::Arc;

operators! {
    /// Gradients of recorded calls.
    pub static ROWS = [
        op!("aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, bool? retain_graph=None, bool create_graph=False, bool allow_unused=False) -> Tensor?[]", grad).effect(Effect::Random),
        op!("aten::backward(Tensor self, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False) -> ()", backward).effect(Effect::SideEffect),
        op!("aten::backward.TensorList(Tensor[] tensors, Tensor?[]? grad_tensors=None, bool? retain_graph=None, bool create_graph=False) -> ()", backward_all).effect(Effect::SideEffect),
        op!("aten::retains_grad(Tensor self) -> bool", retains).elements_are(Elements::Untouched),
        op!("aten::retain_grad(Tensor(a!) self) -> ()", retain).effect(Effect::SideEffect).elements_are(Elements::Untouched),
        op!("prim::grad(Tensor a) -> Tensor(*)", gradient).effect(Effect::Random),
    ];
}

fn engine(cx: &Context) -> Result<&Arc<dyn Gradients>> {
    cx.gradients()
        .ok_or_else(|| Fault::runtime("gradients are not recorded in this context"))
}

fn grad(
    cx: &Context,
    outputs: Vec<Tensor>,
    inputs: Vec<Tensor>,
    seeds: Option<Vec<Option<Tensor>>>,
    retain: Option<bool>,
    create_graph: bool,
    allow_unused: bool,
) -> Result<Value> {
    let found = engine(cx)?.run(
        cx,
        GradientRequest {
            outputs,
            gradients: seeds.unwrap_or_default(),
            inputs: Some(inputs),
            accumulate: false,
            retain: retain.unwrap_or(create_graph),
            create_graph,
            allow_unused,
        },
    )?;
    let items = found
        .into_iter()
        .map(|t| t.map_or(Value::None, Value::Tensor))
        .collect();
    Value::list(&Type::Optional(Type::Tensor(None).into()), items)
}

fn backward(
    cx: &Context,
    output: &Tensor,
    seed: Option<&Tensor>,
    retain: Option<bool>,
    create_graph: bool,
) -> Result<()> {
    add(
        cx,
        vec![output.clone()],
        vec![seed.cloned()],
        retain,
        create_graph,
    )
}

fn backward_all(
    cx: &Context,
    outputs: Vec<Tensor>,
    seeds: Option<Vec<Option<Tensor>>>,
    retain: Option<bool>,
    create_graph: bool,
) -> Result<()> {
    add(cx, outputs, seeds.unwrap_or_default(), retain, create_graph)
}

fn add(
    cx: &Context,
    outputs: Vec<Tensor>,
    gradients: Vec<Option<Tensor>>,
    retain: Option<bool>,
    create_graph: bool,
) -> Result<()> {
    let request = GradientRequest {
        outputs,
        gradients,
        inputs: None,
        accumulate: true,
        retain: retain.unwrap_or(create_graph),
        create_graph,
        allow_unused: true,
    };
    engine(cx)?.run(cx, request).map(drop)
}

fn retain(cx: &Context, tensor: &Tensor) -> Result<()> {
    if !tensor.requires_grad() {
        return Err(Fault::runtime(
            "can't retain_grad on Tensor that has requires_grad=False",
        ));
    }
    engine(cx)?.retain(tensor);
    Ok(())
}

fn retains(cx: &Context, tensor: &Tensor) -> bool {
    (cx.gradients()).is_some_and(|gradients| gradients.retains(tensor))
}

fn gradient(cx: &Context, tensor: &Tensor) -> Option<Tensor> {
    cx.gradients()?.gradient(tensor)
}
