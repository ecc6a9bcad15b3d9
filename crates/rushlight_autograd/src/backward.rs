//! Running what was recorded backwards.

use crate::history::{Edge, Meta, Node, RecordKind, Saved, SavedTensor, SavedValue, Shape};
use crate::rules::{self, Action, Formula, Read, Rule};
use crate::view::{Pen, source_of};
use crate::{Engine, anomaly, compile};
use rushlight_tensor::{DType, Fault, Layout, Result, Tensor};
use rushlight_types::{Callable, Context, GradMode, GradientRequest, Operator, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Gradients by node: one place per result.
type Waiting = BTreeMap<u64, (Arc<Node>, Vec<Option<Tensor>>)>;

/// A run: what was asked for, and what has been found.
pub(crate) struct BackwardRun<'a> {
    pub engine: &'a Engine,
    pub context: &'a Context,
    pub request: &'a GradientRequest,
    waiting: Waiting,
    /// The nodes on the way to the inputs; `None` where all are.
    useful: Option<HashSet<u64>>,
    /// For each node and result that is asked for, the positions of the inputs.
    asked: HashMap<(u64, usize), Vec<usize>>,
    found: Vec<Option<Tensor>>,
}

/// See [`rushlight_types::Gradients::run`].
pub(crate) fn run(
    engine: &Engine,
    context: &Context,
    request: GradientRequest,
) -> Result<Vec<Option<Tensor>>> {
    let _mode = GradMode::new(context, request.create_graph);
    let mut run = BackwardRun {
        engine,
        context,
        request: &request,
        waiting: Waiting::new(),
        useful: None,
        asked: HashMap::new(),
        found: Vec::new(),
    };
    run.begin()?;
    while let Some((_, (node, gradients))) = run.waiting.pop_last() {
        let name = format_args!("autograd::engine::evaluate_function: {}", node.name());
        context.named_work(name, || run.step(&node, gradients))?;
    }
    run.finish()
}

impl BackwardRun<'_> {
    fn begin(&mut self) -> Result<()> {
        let request = self.request;
        let given = request.outputs.iter().zip(&request.gradients).enumerate();
        for (i, (output, gradient)) in given {
            if let Some(gradient) = gradient {
                check_seed(i, gradient, output)?;
            }
        }
        for (i, output) in request.outputs.iter().enumerate() {
            if !output.requires_grad() {
                return Err(Fault::runtime(format!(
                    "element {i} of tensors does not require grad and does not have a grad_fn"
                )));
            }
            let gradient = match request.gradients.get(i).and_then(Option::as_ref) {
                Some(gradient) => gradient.clone(),
                None => {
                    if output.numel() != 1 {
                        return Err(Fault::runtime(
                            "grad can be implicitly created only for scalar outputs",
                        ));
                    }
                    if !output.dtype().is_float() {
                        return Err(Fault::runtime(format!(
                            "grad can be implicitly created only for real scalar outputs but got {}",
                            output.dtype()
                        )));
                    }
                    ones_like(output)?
                }
            };
            let edge = source_of(output);
            self.send(&edge, gradient)?;
        }
        let Some(inputs) = &request.inputs else {
            return Ok(());
        };
        self.found = vec![None; inputs.len()];
        for (i, input) in inputs.iter().enumerate() {
            if !input.requires_grad() {
                return Err(Fault::runtime(
                    "One of the differentiated Tensors does not require grad",
                ));
            }
            let edge = source_of(input);
            self.asked
                .entry((edge.node.id, edge.index))
                .or_default()
                .push(i);
        }
        self.useful = Some(self.find_useful());
        Ok(())
    }

    /// The nodes from which a node that was asked for can be reached.
    fn find_useful(&self) -> HashSet<u64> {
        let ends: HashSet<u64> = self.asked.keys().map(|(id, _)| *id).collect();
        let mut useful = HashSet::new();
        let mut seen = HashSet::new();
        // A node is looked at twice: before and after those behind it.
        let mut stack: Vec<(Arc<Node>, bool)> = self
            .waiting
            .values()
            .map(|(node, _)| (node.clone(), false))
            .collect();
        while let Some((node, done)) = stack.pop() {
            if done {
                let leads = node.next().flatten().any(|e| useful.contains(&e.node.id));
                if leads || ends.contains(&node.id) {
                    useful.insert(node.id);
                }
            } else if seen.insert(node.id) {
                stack.push((node.clone(), true));
                for edge in node.next().flatten() {
                    if !seen.contains(&edge.node.id) {
                        stack.push((edge.node.clone(), false));
                    }
                }
            }
        }
        useful
    }

    /// Adds a gradient to those that wait for a node.
    fn send(&mut self, edge: &Edge, gradient: Tensor) -> Result<()> {
        let (engine, context) = (self.engine, self.context);
        let place = &mut self.places_of(edge)[edge.index];
        *place = Some(match place.take() {
            Some(old) => engine.sum(context, old, gradient)?,
            None => gradient,
        });
        Ok(())
    }

    /// The gradients that wait for the node of an edge, which is to run from now on.
    fn places_of(&mut self, edge: &Edge) -> &mut Vec<Option<Tensor>> {
        let count = edge.node.outputs.len();
        let waiting = self.waiting.entry(edge.node.id);
        &mut waiting
            .or_insert_with(|| (edge.node.clone(), vec![None; count]))
            .1
    }

    fn step(&mut self, node: &Arc<Node>, mut gradients: Vec<Option<Tensor>>) -> Result<()> {
        if self.useful.as_ref().is_some_and(|u| !u.contains(&node.id)) {
            return Ok(());
        }
        for (index, gradient) in gradients.iter_mut().enumerate() {
            if let Some(gradient) = gradient {
                node.show(index, gradient, |a, b| self.engine.sum(self.context, a, b))?;
            }
            if let Some(inputs) = self.asked.get(&(node.id, index)) {
                for input in inputs {
                    self.found[*input] = gradient.clone();
                }
                // A leaf's own node adds to it, and what is kept has been shown; other results have nobody who does.
                if self.request.accumulate
                    && !matches!(node.kind, RecordKind::Leaf(_))
                    && !node.is_kept(index)
                    && let (Some(gradient), Some(asked)) = (&*gradient, &self.request.inputs)
                {
                    let mut computed = inputs.iter().filter_map(|i| asked.get(*i));
                    computed.try_for_each(|input| self.accumulate(input, gradient.clone()))?;
                }
            }
        }
        node.hooks.before(&mut gradients)?;
        if let RecordKind::Leaf(leaf) = &node.kind {
            let shown = node.hooks.are_some().then(|| gradients.clone());
            self.context
                .named_work(format_args!("{}", node.name()), || {
                    self.finish_leaf(leaf, gradients)
                })?;
            return match shown {
                Some(shown) => node.hooks.after(&mut Vec::new(), &shown),
                None => Ok(()),
            };
        }
        let useful = self.useful.as_ref();
        let behind = |e: &Edge| useful.is_none_or(|u| u.contains(&e.node.id));
        if !node.next().flatten().any(behind) {
            return Ok(());
        }
        let name = format_args!("{}", node.name());
        let mut found = (self.context)
            .named_work(name, || self.apply(node, &gradients))
            .and_then(|found| match anomaly::unsound(node, &found) {
                Some(fault) => Err(fault),
                None => Ok(found),
            })
            .map_err(|fault| anomaly::explained(self.context, node, fault))?;
        node.hooks.after(&mut found, &gradients)?;
        for (index, (edge, gradient)) in node.edges.iter().zip(found).enumerate() {
            let Some((edge, shape)) = edge else {
                continue;
            };
            match gradient {
                Some(gradient) => {
                    let gradient = self.fit(node, index, gradient, shape)?;
                    self.send(edge, gradient)?;
                }
                // What programs define runs without a gradient too.
                None => drop(self.places_of(edge)),
            }
        }
        Ok(())
    }

    /// What a gradient does that has come to a leaf.
    fn finish_leaf(&self, leaf: &Tensor, gradients: Vec<Option<Tensor>>) -> Result<()> {
        match gradients.into_iter().next().flatten() {
            Some(gradient) if self.request.accumulate => self.accumulate(leaf, gradient),
            _ => Ok(()),
        }
    }

    fn pen(&self) -> Pen<'_> {
        Pen {
            engine: self.engine,
            context: self.context,
            is_recorded: self.request.create_graph,
        }
    }

    /// The gradients of a node's arguments, an edge each.
    fn apply(&self, node: &Arc<Node>, gradients: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>> {
        let is_defined_here = !matches!(node.kind, RecordKind::Custom(_));
        if is_defined_here && gradients.iter().all(Option::is_none) {
            return Ok(vec![None; node.edges.len()]);
        }
        match &node.kind {
            RecordKind::Leaf(_) => Ok(Vec::new()),
            RecordKind::Unknown(name) => Err(Fault::runtime(format!(
                "derivative for {} is not implemented",
                rules::full(name)
            ))),
            RecordKind::Custom(custom) => custom.apply(self.context, gradients.to_vec()),
            RecordKind::Slice(slice) => {
                let Some(Some(gradient)) = gradients.first() else {
                    return Ok(vec![None; node.edges.len()]);
                };
                slice.apply(&self.pen(), gradient, |inner, part| {
                    self.apply(inner, &[Some(part)])
                })
            }
            RecordKind::View(geometry) => {
                let Some(Some(gradient)) = gradients.first() else {
                    return Ok(vec![None]);
                };
                Ok(vec![Some(geometry.apply(&self.pen(), gradient)?)])
            }
            RecordKind::Call { rule, saved } => {
                let taken;
                let held;
                let saved: &Saved = if self.request.retain || self.request.create_graph {
                    held = saved.lock();
                    held.as_ref().ok_or_else(second_time)?
                } else {
                    let mut place = saved.lock();
                    let reads = place.as_ref().is_some_and(Saved::has_tensors);
                    if place.is_some() && !reads {
                        held = place;
                        held.as_ref().ok_or_else(second_time)?
                    } else {
                        taken = place.take().ok_or_else(second_time)?;
                        &taken
                    }
                };
                self.derive(node, rule, saved, gradients)
            }
        }
    }

    fn derive(
        &self,
        node: &Arc<Node>,
        rule: &Rule,
        saved: &Saved,
        gradients: &[Option<Tensor>],
    ) -> Result<Vec<Option<Tensor>>> {
        saved.check_kept(node, rule)?;
        let replayed = match &rule.action {
            Action::Replay(formula) => Some(formula),
            _ => (rule.words.as_ref()).filter(|_| self.request.create_graph),
        };
        if let Some(formula) = replayed {
            return self.replay(node, rule, formula, saved, gradients);
        }
        let mut out = vec![None; node.edges.len()];
        for formula in rule.action.formulas() {
            let wanted = formula.arguments.iter().any(|a| saved.wants[*a]);
            if !wanted {
                continue;
            }
            let value = self.evaluate(node, rule, formula, saved, gradients)?;
            let values: Vec<Value> = match value {
                Value::Tuple(tuple) if formula.arguments.len() > 1 => tuple.items.to_vec(),
                one => vec![one],
            };
            for (argument, value) in formula.arguments.iter().zip(values) {
                if !rule.tensors.contains(argument) {
                    continue;
                }
                let first = saved.first_edge(rule, *argument);
                match value {
                    Value::Tensor(t) => out[first] = Some(t),
                    Value::TensorList(list) => {
                        for (i, t) in list.lock().iter().enumerate() {
                            out[first + i] = Some(t.clone());
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(out)
    }

    /// A saved tensor again, which whoever watches the run is told of.
    pub(crate) fn restore(
        &self,
        saved: &SavedTensor,
        node: &Arc<Node>,
        with_history: bool,
    ) -> Result<Tensor> {
        let tensor = saved.restore(node, with_history)?;
        self.context.given_again(&tensor, saved.identity);
        Ok(tensor)
    }

    /// The value of a formula.
    fn evaluate(
        &self,
        node: &Arc<Node>,
        rule: &Rule,
        formula: &Formula,
        saved: &Saved,
        gradients: &[Option<Tensor>],
    ) -> Result<Value> {
        if let Some(name) = formula.refused {
            return Err(Fault::not_implemented(format!(
                "the derivative for '{name}' is not implemented."
            )));
        }
        let function = compile::function(self.engine, rule.operator, formula)?;
        let history = self.request.create_graph;
        let gradient = |i: usize| match gradients.get(i).and_then(Option::as_ref) {
            Some(gradient) => Ok(gradient.clone()),
            None => match node.outputs.get(i) {
                Some(shape) => Tensor::zeros(&shape.sizes, shape.dtype),
                None => Err(Fault::internal(
                    "a derivative asks for more results than there are",
                )),
            },
        };
        let mut arguments = Vec::with_capacity(formula.reads.len());
        for read in &formula.reads {
            arguments.push(match read {
                Read::Argument(i) => match &saved.arguments[*i].0 {
                    SavedValue::Plain(value) => value.clone(),
                    SavedValue::Tensor(t) => self.restore(t, node, history)?.into(),
                    SavedValue::Tensors(list) => {
                        let all: Vec<Tensor> = list
                            .iter()
                            .map(|t| self.restore(t, node, history))
                            .collect::<Result<_>>()?;
                        all.into()
                    }
                },
                Read::Sizes(i) | Read::Layout(i) => saved.arguments[*i].1.clone().into(),
                Read::Result(i) => match saved.results.get(*i) {
                    Some(Some(t)) => self.restore(t, node, history)?.into(),
                    _ => {
                        return Err(Fault::internal(
                            "a derivative reads a result that was not saved",
                        ));
                    }
                },
                Read::Gradient(i) => gradient(*i)?.into(),
                Read::Gradients => {
                    let all: Vec<Tensor> = (0..node.outputs.len())
                        .map(gradient)
                        .collect::<Result<_>>()?;
                    all.into()
                }
                Read::Needs => formula
                    .arguments
                    .iter()
                    .map(|a| saved.wants[*a])
                    .collect::<Vec<bool>>()
                    .into(),
            });
        }
        function.invoke(self.context, arguments)
    }

    /// The gradient in the sizes and dtype of what it is a gradient of: sums undo broadcasting.
    fn fit(&self, node: &Node, index: usize, gradient: Tensor, shape: &Shape) -> Result<Tensor> {
        let mut gradient = gradient;
        if gradient.dtype().is_complex() && !shape.dtype.is_complex() {
            node.check_real()?;
            let real = self.engine.parts().operators.real;
            gradient = self.engine.one(self.context, real, vec![gradient.into()])?;
        }
        if gradient.sizes() != &shape.sizes[..] {
            let sizes: Vec<i64> = shape.sizes.iter().map(|s| *s as i64).collect();
            gradient = self
                .engine
                .one(
                    self.context,
                    self.engine.parts().operators.sum_to_size,
                    vec![gradient.clone().into(), sizes.into()],
                )
                .map_err(|_| {
                    Fault::runtime(format!(
                        "Function {} returned an invalid gradient at index {index} - got {} but expected shape compatible with {}",
                        node.name(),
                        rushlight_tensor::layout::list(gradient.sizes()),
                        rushlight_tensor::layout::list(&shape.sizes)
                    ))
                })?;
        }
        if gradient.dtype() != shape.dtype {
            gradient = self.engine.convert(self.context, gradient, shape.dtype)?;
        }
        Ok(gradient)
    }

    /// The first gradient of a leaf, laid out as the leaf is: the one that has come where that is so and nobody else has it.
    /// One that has a history of its own is copied, so that a write to `.grad` changes nothing that was computed.
    fn first_of_leaf(&self, leaf: &Tensor, gradient: Tensor) -> Result<Tensor> {
        if gradient.is_meta() || self.context.is_watched() {
            // Nobody lays such out, and who watches sees one call.
            return match self.request.create_graph {
                true => Ok(gradient),
                false if self.context.is_traced() => {
                    let detach = self.engine.parts().operators.detach;
                    self.engine.one(self.context, detach, vec![gradient.into()])
                }
                false => self.engine.clone_dense(self.context, &gradient),
            };
        }
        let is_dense = leaf.layout().is_non_overlapping_and_dense();
        let is_like = match is_dense {
            true => gradient.strides() == leaf.strides() || gradient.sizes() != leaf.sizes(),
            false => gradient.is_contiguous(),
        };
        let is_recorded = self.request.create_graph;
        if is_like && !is_recorded && gradient.is_sole() {
            return Ok(gradient);
        }
        if !is_dense || is_like && !is_recorded && gradient.is_contiguous() {
            return self.engine.clone_dense(self.context, &gradient);
        }
        let layout = Layout::strided(leaf.sizes(), leaf.strides(), 0);
        let new = Tensor::empty_with(&layout, gradient.dtype())?;
        self.engine.write(self.context, &new, &gradient)?;
        Ok(new)
    }

    /// Adds to the gradient of a leaf.
    fn accumulate(&self, leaf: &Tensor, gradient: Tensor) -> Result<()> {
        let meta = Meta::ensure(leaf);
        let old = meta.state().grad.clone();
        let new = match old {
            None => self.first_of_leaf(leaf, gradient)?,
            Some(old) => {
                let new = self.engine.sum(self.context, old.clone(), gradient)?;
                if self.request.create_graph {
                    new
                } else {
                    // The same tensor, for those who hold it.
                    match self.context.is_traced() {
                        true => self.engine.write(self.context, &old, &new)?,
                        false => old.copy_from(&new)?,
                    }
                    old
                }
            }
        };
        meta.state().grad = Some(new);
        let hooks = meta.state().accumulated.clone();
        hooks.iter().try_for_each(|(_, hook)| hook(leaf))
    }

    fn finish(self) -> Result<Vec<Option<Tensor>>> {
        let unused = self.found.iter().position(Option::is_none);
        if let Some(index) = unused
            && !self.request.allow_unused
            && !self.request.accumulate
        {
            return Err(Fault::runtime(format!(
                "The differentiated Tensor at index {index} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior."
            )));
        }
        Ok(self.found)
    }
}

impl Node {
    /// Refuses a complex gradient of a real argument where the reference does not take its real part.
    fn check_real(&self) -> Result<()> {
        match &self.kind {
            RecordKind::Call { rule, .. } if rule.complex_stays => Err(Fault::not_true(
                "isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex)",
            )),
            _ => Ok(()),
        }
    }
}

impl Saved {
    /// The first edge of an argument that holds tensors.
    pub(crate) fn first_edge(&self, rule: &Rule, argument: usize) -> usize {
        let place = rule.tensors.iter().take_while(|t| **t != argument).count();
        self.widths[..place].iter().sum()
    }

    /// Whether anything that a later write could change is held.
    fn has_tensors(&self) -> bool {
        self.results.iter().any(Option::is_some)
            || self
                .arguments
                .iter()
                .any(|(kept, _)| !matches!(kept, SavedValue::Plain(_)))
    }
}

#[cold]
pub(crate) fn second_time() -> Fault {
    Fault::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

fn ones_like(output: &Tensor) -> Result<Tensor> {
    if output.is_meta() {
        return Tensor::meta(&output.layout().like(output.sizes()), output.dtype());
    }
    Tensor::full(
        output.sizes(),
        rushlight_tensor::Scalar::Float(1.0),
        output.dtype(),
    )
}

fn check_seed(index: usize, gradient: &Tensor, output: &Tensor) -> Result<()> {
    if gradient.sizes() == output.sizes() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "Mismatch in shape: grad_output[{index}] has a shape of torch.Size({}) and output[{index}] has a shape of torch.Size({}).",
        rushlight_tensor::layout::list(gradient.sizes()),
        rushlight_tensor::layout::list(output.sizes())
    )))
}

impl Engine {
    /// Calls an operator with one result.
    pub(crate) fn one(
        &self,
        context: &Context,
        operator: &'static Operator,
        mut arguments: Vec<Value>,
    ) -> Result<Tensor> {
        for argument in &operator.schema().arguments[arguments.len()..] {
            arguments.push(argument.repeated_default().unwrap_or_default());
        }
        let mut results = operator.call_vec(context, arguments)?;
        match results.pop() {
            Some(Value::Tensor(t)) => Ok(t),
            _ => Err(Fault::internal(
                "an operator of the gradient engine has no tensor result",
            )),
        }
    }

    fn sum(&self, context: &Context, a: Tensor, b: Tensor) -> Result<Tensor> {
        self.one(
            context,
            self.parts().operators.add,
            vec![a.into(), b.into()],
        )
    }

    fn convert(&self, context: &Context, t: Tensor, dtype: DType) -> Result<Tensor> {
        let arguments = vec![t.into(), Value::Int(dtype.code())];
        self.one(context, self.parts().operators.to_dtype, arguments)
    }

    /// Writes elements to a tensor.
    pub(crate) fn write(&self, context: &Context, to: &Tensor, from: &Tensor) -> Result<()> {
        let arguments = vec![to.clone().into(), from.clone().into(), Value::Bool(false)];
        self.one(context, self.parts().operators.copy, arguments)?;
        Ok(())
    }

    /// A row-major copy.
    pub(crate) fn clone_dense(&self, context: &Context, t: &Tensor) -> Result<Tensor> {
        // 0 stands for the contiguous format.
        let arguments = vec![t.clone().into(), Value::Int(0)];
        self.one(context, self.parts().operators.clone, arguments)
    }
}
