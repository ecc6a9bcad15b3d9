//! Operator calls as nodes: arguments become values, results take their place.

use super::recorder::{Recorder, Stash, State, tensor_type};
use rushlight_ir::{NodeKind, Prim, ValueId};
use rushlight_tensor::Tensor;
use rushlight_types::{
    Call, Fault, Functional, Layer, Operator, Result, Schema, TensorInfo, Type, Value,
};
use std::cell::Cell;
use std::sync::Arc;

/// Arguments whose constants come from no place in the program.
const WITHOUT_PLACE: &[(&str, &str)] = &[("aten::copy_", "non_blocking")];

/// A traced number as the plain one that an operator takes.
struct Number {
    argument: usize,
    element: Option<usize>,
    value: ValueId,
}

impl Recorder {
    /// Runs an operator call and records it.
    pub(super) fn record(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
        let context = call.context();
        let schema = operator.schema();
        let stashed = std::mem::take(&mut self.state().stashed);
        let inputs: Vec<Value> = call.inputs().to_vec();
        // Only what makes tensors is part of a trace, and what is there for what it does.
        // Real numbers are their own conjugates: nothing is called.
        let is_itself = operator.full_name() == "aten::conj"
            && matches!(inputs.first(), Some(Value::Tensor(t)) if !t.dtype().is_complex());
        if operator.is_defined() {
            only_tensors(operator)?;
        }
        let counts = schema.returns.is_empty() && operator.name().starts_with("prim::");
        let kept = !is_itself && (counts || schema.returns.iter().any(|r| holds_tensors(&r.ty)));
        let recorded = kept
            .then(|| self.record_arguments(operator, &inputs, &stashed))
            .transpose()?;
        context.set_layer(Layer::Trace, false);
        let done = operator.run_recorded(call);
        context.set_layer(Layer::Trace, true);
        done?;
        if let Some((kind, values)) = recorded {
            let results = call.results()[..schema.returns.len()].to_vec();
            self.record_results(kind, &values, schema, &results, context.grad_enabled());
        }
        Ok(())
    }

    /// Values of the arguments, and the kind of the node.
    fn record_arguments(
        &self,
        operator: &'static Operator,
        inputs: &[Value],
        stashed: &[Stash],
    ) -> Result<(NodeKind, Vec<ValueId>)> {
        if self.outplace {
            self.warn_of_views(operator, inputs);
        }
        let mut state = self.state();
        let general = match self.convolution(operator, inputs)? {
            Some(found) => Some(found),
            None => self.usual_form(operator, inputs)?,
        };
        if let Some((operator, arguments)) = general {
            let schema = operator.schema();
            // Traced numbers are known by position.
            let stashed = match operator.name() == "aten::split_with_sizes" {
                true => stashed,
                false => &[],
            };
            let values = self.values(&mut state, schema, &arguments, stashed)?;
            return Ok((operator.into(), values));
        }
        let recorded = match self.outplace {
            true => self.functional_form(operator),
            false => operator,
        };
        let values = self.values(&mut state, operator.schema(), inputs, stashed)?;
        Ok((recorded.into(), values))
    }

    fn values(
        &self,
        state: &mut State,
        schema: &Schema,
        inputs: &[Value],
        stashed: &[Stash],
    ) -> Result<Vec<ValueId>> {
        let has_tensor = schema.arguments.iter().any(|a| a.ty.is_tensor());
        // Traced numbers are converted before anything else is looked at.
        let mut numbers = Vec::with_capacity(stashed.len());
        for stash in stashed {
            let formal = schema.arguments.get(stash.argument).map(|a| &a.ty);
            let value = self.traced_number(state, &stash.tensor, formal)?;
            numbers.push(Number {
                argument: stash.argument,
                element: stash.element,
                value,
            });
        }
        let mut values = Vec::with_capacity(inputs.len());
        for (i, input) in inputs.iter().enumerate() {
            let formal = schema.arguments.get(i);
            let traced: Vec<&Number> = numbers.iter().filter(|n| n.argument == i).collect();
            let value = match formal {
                Some(formal) if WITHOUT_PLACE.contains(&(&*schema.name, &*formal.name)) => {
                    state.constant(input.clone(), input.type_of(), None)
                }
                Some(formal) => {
                    let shown = match &*schema.name {
                        "aten::to" => input.clone(),
                        _ if AS_GIVEN.get() => input.clone(),
                        _ => spelled_out(&formal.name, input, has_tensor),
                    };
                    self.formal_argument(state, &formal.ty, &shown, &traced)?
                }
                None => self.argument(state, input)?,
            };
            values.push(value);
        }
        Ok(values)
    }

    fn formal_argument(
        &self,
        state: &mut State,
        formal: &Type,
        input: &Value,
        numbers: &[&Number],
    ) -> Result<ValueId> {
        if let Some(whole) = numbers.iter().find(|n| n.element.is_none()) {
            return Ok(whole.value);
        }
        let inner = match formal {
            Type::Optional(inner) => inner,
            other => other,
        };
        match (inner.list_element(), input.list_items().ok()) {
            (Some(element), Some(items)) => {
                let element = match element {
                    Type::SymInt => &Type::Int,
                    other => other,
                };
                let mut values = Vec::with_capacity(items.len());
                for (j, item) in items.iter().enumerate() {
                    let traced = numbers.iter().find(|n| n.element == Some(j));
                    values.push(match traced {
                        Some(traced) => traced.value,
                        None => self.argument(state, item)?,
                    });
                }
                let ty = Type::list(element.clone());
                Ok(state.append_one(Prim::ListConstruct, &values, ty))
            }
            _ => self.argument(state, input),
        }
    }

    /// The value of an argument: of tensors and what is made up of them the traced one, else a constant.
    pub(super) fn argument(&self, state: &mut State, input: &Value) -> Result<ValueId> {
        match input {
            Value::Tensor(tensor) => self.value_of(state, tensor),
            Value::Tuple(tuple) => {
                let mut values = Vec::new();
                for item in &tuple.items {
                    values.push(self.argument(state, item)?);
                }
                let types = values.iter().map(|v| state.graph.ty(*v).clone()).collect();
                Ok(state.append_one(Prim::TupleConstruct, &values, Type::tuple(types)))
            }
            list if list.is_list() && is_literal(list) => {
                Ok(self.plain_constant(state, list.clone()))
            }
            list if list.is_list() => {
                let mut values = Vec::new();
                for item in list.list_items().unwrap_or_default() {
                    values.push(self.argument(state, &item)?);
                }
                Ok(state.append_one(Prim::ListConstruct, &values, list.type_of()))
            }
            Value::Dict(dict) => {
                let mut values = Vec::new();
                for (key, value) in dict.entries() {
                    values.push(self.plain_constant(state, key));
                    values.push(self.argument(state, &value)?);
                }
                Ok(state.append_one(Prim::DictConstruct, &values, input.type_of()))
            }
            Value::Object(object) => {
                let known = state.modules.get(&(Arc::as_ptr(object) as usize)).copied();
                match known {
                    Some(value) => Ok(value),
                    None => Ok(self.plain_constant(state, input.clone())),
                }
            }
            // Random streams are not part of a graph.
            Value::Generator(_) => Ok(self.plain_constant(state, Value::None)),
            other => Ok(self.plain_constant(state, other.clone())),
        }
    }

    /// A traced number as the plain number that an operator takes: the conversion stands behind what computes it.
    fn traced_number(
        &self,
        state: &mut State,
        tensor: &Tensor,
        formal: Option<&Type>,
    ) -> Result<ValueId> {
        let value = self.value_of(state, tensor)?;
        let inner = match formal {
            Some(Type::Optional(inner)) => inner,
            Some(other) => other,
            None => &Type::Int,
        };
        let (name, ty) = match inner {
            Type::Number => ("aten::ScalarImplicit", Type::Number),
            Type::Float => ("aten::Float.Tensor", Type::Float),
            Type::Bool => ("aten::Bool.Tensor", Type::Bool),
            _ => ("aten::Int.Tensor", Type::Int),
        };
        let operator = self.operator(name)?;
        let node = state.graph.create(operator, &[value], &[ty]);
        let scope = state.scope();
        state.graph.set_scope(node, scope);
        let at = state.graph.value(value).node();
        if state.graph.node(at).is(Prim::Param) {
            let block = state.graph.node(at).block();
            state
                .graph
                .prepend(block.unwrap_or_else(|| state.graph.top()), node);
        } else {
            state.graph.insert_after(at, node);
        }
        Ok(state.graph.node(node).outputs()[0])
    }

    /// Others that see what is written will not see it in the trace.
    fn warn_of_views(&self, operator: &'static Operator, inputs: &[Value]) {
        let Some(Value::Tensor(written)) = inputs.first() else {
            return;
        };
        if std::ptr::eq(self.functional_form(operator), operator) {
            return;
        }
        // One more is asked here.
        let references = written.storage().use_count() - 1;
        if references > 1 {
            let name = operator.name();
            let name = name.rsplit_once("::").map_or(name, |(_, name)| name);
            self.host.warn(&format!(
                "There are {references} live references to the data region being modified when tracing in-place operator {name}. This might cause the trace to be incorrect, because all other views that also reference this data will not reflect this change in the trace! On the other hand, if all other views use the same memory chunk, but are disjoint (e.g. are outputs of torch.split), this might still be safe."
            ));
        }
    }

    /// The operator that gives a new tensor where this one writes into its first argument.
    fn functional_form(&self, operator: &'static Operator) -> &'static Operator {
        let full = operator.full_name();
        let (name, overload) = full.split_once('.').unwrap_or((full, ""));
        let Some(base) = name.strip_suffix('_').filter(|b| !b.ends_with('_')) else {
            return operator;
        };
        let found = match overload {
            "" => self.table.find(base),
            overload => self.table.find(&format!("{base}.{overload}")),
        };
        found.unwrap_or(operator)
    }

    /// A convolution of any kind as the general one.
    fn convolution(
        &self,
        operator: &'static Operator,
        inputs: &[Value],
    ) -> Result<Option<(&'static Operator, Vec<Value>)>> {
        let transposed = match operator.functional {
            Some(Functional::Convolution { .. }) => false,
            Some(Functional::TransposedConvolution { .. }) => true,
            _ => return Ok(None),
        };
        if inputs.len() < 7 {
            return Ok(None);
        }
        if matches!(inputs[4], Value::Str(_)) {
            let general = self.operator("aten::_convolution_mode")?;
            return Ok(Some((general, inputs.to_vec())));
        }
        let general = self.operator("aten::_convolution")?;
        let count = inputs[3].list_items().map_or(0, |items| items.len());
        let zeros = Value::list(&Type::Int, vec![Value::Int(0); count])?;
        let input = |i: usize| inputs[i].clone();
        let (output_padding, groups, dilation) = match transposed {
            true => (
                input(5),
                input(6),
                inputs.get(7).cloned().unwrap_or(Value::None),
            ),
            false => (zeros, input(6), input(5)),
        };
        let mut arguments = vec![input(0), input(1), input(2), input(3), input(4), dilation];
        arguments.extend([Value::Bool(transposed), output_padding, groups]);
        arguments.extend([false, false, true, true].map(Value::Bool));
        Ok(Some((general, arguments)))
    }

    /// A call in the form that the reference picks where there are several: conversions spelled out, norms of vectors.
    fn usual_form(
        &self,
        operator: &'static Operator,
        inputs: &[Value],
    ) -> Result<Option<(&'static Operator, Vec<Value>)>> {
        let Some(Value::Tensor(tensor)) = inputs.first() else {
            return Ok(None);
        };
        let at = |i: usize| inputs.get(i).cloned().unwrap_or(Value::None);
        let dtype = Value::Int(tensor.dtype().code());
        let this = at(0);
        let (name, arguments) = match operator.full_name() {
            "aten::conj" => ("aten::_conj", vec![this]),
            "aten::detach_" => ("aten::detach", vec![this]),
            // Where nothing is written, what is copied takes the place of what it was copied to.
            "aten::copy_" if self.outplace => ("aten::expand_as", vec![at(1), this]),
            "aten::split.sizes" => ("aten::split_with_sizes", vec![this, at(1), at(2)]),
            "aten::norm.Scalar" => {
                let arguments = vec![this, at(1), Value::None, Value::Bool(false), Value::None];
                ("aten::linalg_vector_norm", arguments)
            }
            "aten::norm.ScalarOpt_dim" => {
                let exponent = if at(1).is_none() {
                    Value::Int(2)
                } else {
                    at(1)
                };
                let arguments = vec![this, exponent, at(2), at(3), Value::None];
                ("aten::linalg_vector_norm", arguments)
            }
            "aten::to.prim_Device" if at(2).is_none() => {
                let mut all = vec![this, dtype, Value::Int(0), at(1), Value::None];
                all.extend([at(3), at(4), Value::None]);
                ("aten::to.dtype_layout", all)
            }
            "aten::to.prim_Device" => (
                "aten::to.device",
                vec![this, at(1), at(2), at(3), at(4), Value::None],
            ),
            "aten::to.prim_dtype" if !at(1).is_none() => (
                "aten::to.dtype",
                vec![this, at(1), at(2), at(3), Value::None],
            ),
            "aten::to.other" => {
                let other = at(1);
                let other = other.as_tensor()?;
                let device = Value::Device(other.device());
                let dtype = Value::Int(other.dtype().code());
                (
                    "aten::to.device",
                    vec![this, device, dtype, at(2), at(3), at(4)],
                )
            }
            "aten::to.dtype_layout" if at(1).is_none() || at(2).is_none() => {
                let dtype = if at(1).is_none() { dtype } else { at(1) };
                let mut all = vec![this, dtype, Value::Int(0)];
                all.extend((3..8).map(at));
                ("aten::to.dtype_layout", all)
            }
            name => match corrected(name) {
                Some(name) if matches!(at(1), Value::Bool(true)) => {
                    let arguments = vec![this, Value::None, Value::None, Value::Bool(false)];
                    (name, arguments)
                }
                _ => return Ok(None),
            },
        };
        Ok(Some((self.operator(name)?, arguments)))
    }

    fn record_results(
        &self,
        kind: NodeKind,
        inputs: &[ValueId],
        schema: &Schema,
        results: &[Value],
        grad_enabled: bool,
    ) {
        let mut state = self.state();
        let hidden = hides_gradient(kind);
        let gradient = grad_enabled && !hidden && inputs.iter().any(|v| requires_grad(&state, *v));
        let types: Vec<Type> = results
            .iter()
            .zip(&schema.returns)
            .map(|(result, formal)| match result {
                Value::Tensor(tensor) if hidden => said_to_require(tensor_type(tensor), false),
                Value::Tensor(tensor) => traced_type(tensor, gradient),
                _ => formal.ty.clone(),
            })
            .collect();
        let node = state.append(kind, inputs, &types);
        state.graph.set_span(node, self.position());
        for (i, result) in results.iter().enumerate() {
            let output = state.graph.node(node).outputs()[i];
            match result {
                Value::Tensor(tensor) => state.bind(tensor, output),
                list if list.is_list() => {
                    let items = list.list_items().unwrap_or_default();
                    self.unpack(&mut state, output, &items, gradient);
                }
                _ => {}
            }
        }
    }

    /// The elements of a list of tensors.
    fn unpack(&self, state: &mut State, list: ValueId, items: &[Value], gradient: bool) {
        let tensors: Vec<Tensor> = items
            .iter()
            .filter_map(|i| i.as_tensor().ok().cloned())
            .collect();
        let types: Vec<Type> = tensors.iter().map(|t| traced_type(t, gradient)).collect();
        let node = state.append(Prim::ListUnpack, &[list], &types);
        for (i, tensor) in tensors.iter().enumerate() {
            let output = state.graph.node(node).outputs()[i];
            state.bind(tensor, output);
        }
    }
}

/// Refuses operators of programs with results that a trace cannot keep.
fn only_tensors(operator: &Operator) -> Result<()> {
    let other = |ty: &&Type| !(holds_tensors(ty) && matches!(ty, Type::Tensor(_) | Type::List(_)));
    let types = operator.schema().returns.iter().map(|r| &r.ty);
    match types.clone().find(other) {
        None => Ok(()),
        Some(ty) => Err(Fault::runtime(format!(
            "unsupported output type: {}, from operator: {}",
            ty.graph_form(),
            operator.name()
        ))),
    }
}

/// Whether a trace says of no result that it requires a gradient, whatever the arguments do.
fn hides_gradient(kind: NodeKind) -> bool {
    let NodeKind::Op(operator) = kind else {
        return false;
    };
    operator.detaches || operator.functional == Some(Functional::AnyConvolution)
}

/// The overload of a spread that takes the correction.
fn corrected(name: &str) -> Option<&'static str> {
    Some(match name {
        "aten::std" => "aten::std.correction",
        "aten::var" => "aten::var.correction",
        "aten::std_mean" => "aten::std_mean.correction",
        "aten::var_mean" => "aten::var_mean.correction",
        _ => return None,
    })
}

/// The type of a result; `gradient` says whether it depends on something that requires one.
pub(super) fn traced_type(tensor: &Tensor, gradient: bool) -> Type {
    let float = tensor.dtype().is_float() || tensor.dtype().is_complex();
    match gradient && float {
        true => said_to_require(tensor_type(tensor), true),
        false => tensor_type(tensor),
    }
}

/// The type of a tensor of which a trace says whether it requires a gradient.
fn said_to_require(ty: Type, requires: bool) -> Type {
    match ty {
        Type::Tensor(Some(info)) => Type::Tensor(Some(Arc::new(TensorInfo {
            requires_grad: Some(requires),
            ..(*info).clone()
        }))),
        other => other,
    }
}

pub(super) fn requires_grad(state: &State, value: ValueId) -> bool {
    let graph = &state.graph;
    let node = graph.node(graph.value(value).node());
    if node.is(Prim::ListConstruct) {
        return node
            .inputs()
            .iter()
            .any(|v| tensor_requires_grad(state, *v));
    }
    tensor_requires_grad(state, value)
}

fn tensor_requires_grad(state: &State, value: ValueId) -> bool {
    match state.graph.ty(value) {
        Type::Tensor(Some(info)) => info.requires_grad == Some(true),
        Type::Tensor(None) => state.attribute_requires_grad(value),
        _ => false,
    }
}

fn holds_tensors(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::List(element) | Type::Optional(element) => holds_tensors(element),
        _ => false,
    }
}

thread_local! {
    static AS_GIVEN: Cell<bool> = const { Cell::new(false) };
}

/// Makes calls by their schemas: what a program leaves out is recorded as the default of the schema.
pub fn as_given<R>(run: impl FnOnce() -> R) -> R {
    let before = AS_GIVEN.replace(true);
    let result = run();
    AS_GIVEN.set(before);
    result
}

/// Options that the reference spells out: pinned memory is off, and new tensors name their device.
fn spelled_out(name: &str, input: &Value, has_tensor: bool) -> Value {
    match (name, input) {
        ("pin_memory", Value::None) => Value::Bool(false),
        ("device", Value::None) if !has_tensor => Value::Device(rushlight_tensor::Device::CPU),
        (_, other) => other.clone(),
    }
}

/// Whether a value is made of plain values only, so that a list of such is one constant.
fn is_literal(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(_) => true,
        Value::Str(_) | Value::Device(_) => true,
        Value::Tuple(tuple) => tuple.items.iter().all(is_literal),
        list if list.is_list() => {
            let items = list.list_items().unwrap_or_default();
            items.iter().all(is_literal)
        }
        _ => false,
    }
}
