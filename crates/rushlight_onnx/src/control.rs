//! Branches and loops.

use crate::exporter::{Exporter, WRITES_OUTSIDE};
use crate::proto::{Attribute, Declared, Graph as Body, Name};
use crate::symbol::{Extent, Number, Symbol, declared_dims};
use crate::walk::Env;
use rushlight_ir::{BlockId, Graph, NodeId};
use rushlight_tensor::Tensor;
use rushlight_types::{Fault, Result, Value};
use std::rc::Rc;

/// Loops whose bodies cannot be graphs of their own are written out, if they do not take more steps than this.
const MOST_STEPS: i64 = 10_000;

impl Exporter<'_> {
    /// An `If`: the branch that is taken where that is known, else both.
    pub(crate) fn branch(
        &mut self,
        graph: &Graph,
        id: NodeId,
        env: &mut Env,
    ) -> Result<Vec<Symbol>> {
        let node = graph.node(id);
        let condition = env[&node.inputs()[0]].clone();
        let (then, otherwise) = (node.blocks()[0], node.blocks()[1]);
        if let Symbol::Known(value) = &condition {
            let taken = if value.as_bool()? { then } else { otherwise };
            return self.block(graph, taken, env);
        }
        // What a program asserts of its data is not part of the model.
        for (raising, other) in [(then, otherwise), (otherwise, then)] {
            let raises = |id: &NodeId| graph.node(*id).is_op("prim::RaiseException");
            if graph.nodes(raising).iter().any(raises) {
                return self.block(graph, other, env);
            }
        }
        let name = self.name_of(&condition)?;
        let (then, then_results) = self.inner(graph, then, &mut env.clone())?;
        let (otherwise, other_results) = self.inner(graph, otherwise, &mut env.clone())?;
        let mut join = Join::default();
        let pairs = then_results.iter().zip(&other_results);
        let joined: Vec<Joined> = pairs.map(|(a, b)| join.pair(a, b)).collect::<Result<_>>()?;
        let then = self.close(then, &join.left, "sub_graph")?;
        let otherwise = self.close(otherwise, &join.right, "sub_graph")?;
        let attributes = vec![
            ("then_branch", Attribute::Graph(then)),
            ("else_branch", Attribute::Graph(otherwise)),
        ];
        let names = self.nodes("If", &[name], attributes, join.left.len());
        let both = join.left.iter().zip(&join.right);
        let outputs: Vec<Symbol> = names
            .into_iter()
            .zip(both)
            .map(|(name, (left, right))| self.joined_output(name, left, right))
            .collect();
        Ok(joined
            .into_iter()
            .map(|j| j.rebuild(self, &outputs))
            .collect())
    }

    fn joined_output(&self, name: Name, left: &Symbol, right: &Symbol) -> Symbol {
        let (Symbol::Tensor(a), Symbol::Tensor(b)) = (left, right) else {
            return self.computed_number(&example_number(left), name, None);
        };
        let (a, b) = (a.borrow(), b.borrow());
        let same = a.is_fixed() && b.is_fixed() && a.example.sizes() == b.example.sizes();
        let extent = match same {
            true => Extent::Fixed,
            false => Extent::Unknown,
        };
        self.computed_tensor(a.example.clone(), name, extent)
    }

    /// Runs a block as a graph of its own; its nodes and results.
    fn inner(
        &mut self,
        graph: &Graph,
        block: BlockId,
        env: &mut Env,
    ) -> Result<(Vec<crate::proto::Node>, Vec<Symbol>)> {
        self.blocks.push(Vec::new());
        let scopes = self.scopes.clone();
        let results = self.block(graph, block, env);
        self.scopes = scopes;
        let nodes = self.blocks.pop().unwrap_or_default();
        Ok((nodes, results?))
    }

    /// The graph of a block with these results.
    fn close(
        &mut self,
        nodes: Vec<crate::proto::Node>,
        results: &[Symbol],
        name: &str,
    ) -> Result<Body> {
        self.blocks.push(nodes);
        let mut outputs: Vec<Declared> = Vec::new();
        for result in results {
            let mut name = self.name_of(result)?;
            let block = self.blocks.last().expect("it was just pushed");
            let is_own = block.iter().any(|node| node.outputs.contains(&name));
            if !is_own || outputs.iter().any(|o| o.name == name) {
                name = self.apply("Identity", &name);
            }
            outputs.push(self.declare(name, result));
        }
        let nodes = self.blocks.pop().unwrap_or_default();
        let number = self.fresh();
        Ok(Body {
            name: format!("{name}{number}"),
            nodes,
            initializers: Vec::new(),
            inputs: Vec::new(),
            outputs,
        })
    }

    fn declare(&self, name: Name, symbol: &Symbol) -> Declared {
        match symbol {
            Symbol::Tensor(cell) => {
                let state = cell.borrow();
                let dims = declared_dims(&state, &self.axes, |dim| format!("{name}_dim_{dim}"));
                Declared {
                    dtype: state.example.dtype(),
                    dims: Some(dims),
                    name,
                }
            }
            number => Declared {
                dtype: crate::ops::dtype_of(number),
                dims: Some(Vec::new()),
                name,
            },
        }
    }

    /// A `Loop`: one of the model where that can be, else its steps one after another.
    pub(crate) fn repeat(
        &mut self,
        graph: &Graph,
        id: NodeId,
        env: &mut Env,
    ) -> Result<Vec<Symbol>> {
        let node = graph.node(id);
        let inputs: Vec<Symbol> = node.inputs().iter().map(|v| env[v].clone()).collect();
        let (count, going, carried) = (&inputs[0], &inputs[1], &inputs[2..]);
        let steps = match count {
            Symbol::Known(count) => Some(count.as_int()?),
            _ => None,
        };
        if let (Symbol::Known(going), Some(steps)) = (going, steps)
            && (!going.as_bool()? || steps <= 0)
        {
            return Ok(carried.to_vec());
        }
        let block = node.blocks()[0];
        let attributes = self.attributes.clone();
        let failed = match self.looped(graph, block, count, going, carried, env) {
            Ok(results) => return Ok(results),
            Err(fault) => fault,
        };
        self.attributes = attributes;
        match self.unrolled(graph, block, steps, going, carried, env)? {
            Some(results) => Ok(results),
            None => Err(failed),
        }
    }

    /// The steps of a loop one after another; `None` where it is not known how many there are.
    fn unrolled(
        &mut self,
        graph: &Graph,
        block: BlockId,
        steps: Option<i64>,
        going: &Symbol,
        carried: &[Symbol],
        env: &mut Env,
    ) -> Result<Option<Vec<Symbol>>> {
        let Some(steps) = steps else {
            return Ok(None);
        };
        let (mut going, mut carried) = (going.clone(), carried.to_vec());
        for step in 0..steps {
            let Symbol::Known(goes_on) = &going else {
                return Ok(None);
            };
            if !goes_on.as_bool()? {
                break;
            }
            if step == MOST_STEPS {
                return Ok(None);
            }
            let index = Symbol::Known(Value::Int(step));
            let params = graph.params(block).iter().copied();
            env.extend(params.zip(std::iter::once(index).chain(carried)));
            let mut results = self.block(graph, block, env)?;
            going = results.remove(0);
            carried = results;
        }
        Ok(Some(carried))
    }

    /// A `Loop` of the model.
    fn looped(
        &mut self,
        graph: &Graph,
        block: BlockId,
        count: &Symbol,
        going: &Symbol,
        carried: &[Symbol],
        env: &mut Env,
    ) -> Result<Vec<Symbol>> {
        let plain = |s: &Symbol| match s {
            Symbol::Tensor(_) | Symbol::Number(_) => true,
            Symbol::Known(value) => value.as_scalar().is_ok(),
            _ => false,
        };
        if !carried.iter().all(plain) {
            return Err(Fault::runtime(
                "a loop of an ONNX model carries tensors and numbers only",
            ));
        }
        let mut starts = Vec::new();
        for symbol in carried {
            starts.push(self.name_of(symbol)?);
        }
        // Sizes that a step changes are unknown from the start.
        let mut varies = vec![false; carried.len()];
        let params = graph.params(block);
        let (inputs, nodes, results) = loop {
            let mut inputs = Vec::new();
            let mut symbols = Vec::new();
            let base = |exporter: &mut Self, at: usize, what: &str| -> Name {
                let name = graph.value(params[at]).name.as_deref();
                let number = exporter.fresh();
                format!("{}.{number}", name.unwrap_or(what)).into()
            };
            self.blocks.push(Vec::new());
            let step = base(self, 0, "i");
            let first = Symbol::Number(Rc::new(Number {
                name: step.clone(),
                example: Value::Int(0),
                worlds: Default::default(),
            }));
            inputs.push(self.declare(step, &first));
            symbols.push(first);
            let cond: Name = format!("cond.{}", self.fresh()).into();
            let flag = Symbol::Known(Value::Bool(true));
            inputs.push(self.declare(cond.clone(), &flag));
            for (at, symbol) in carried.iter().enumerate() {
                let name = base(self, at + 1, "carried");
                let inside = match symbol {
                    Symbol::Tensor(cell) => {
                        let state = cell.borrow();
                        let extent = match varies[at] {
                            true => Extent::Unknown,
                            false => state.extent.clone(),
                        };
                        self.computed_tensor(state.example.deep_copy(), name.clone(), extent)
                    }
                    number => self.computed_number(&example_number(number), name.clone(), None),
                };
                inputs.push(self.declare(name, &inside));
                symbols.push(inside);
            }
            self.blocks.pop();
            let mut inner = env.clone();
            inner.extend(params.iter().copied().zip(symbols.iter().cloned()));
            let (nodes, results) = self.inner(graph, block, &mut inner)?;
            let mut changed = false;
            for (at, (before, after)) in symbols[1..].iter().zip(&results[1..]).enumerate() {
                if !varies[at] && !same_extent(before, after)? {
                    varies[at] = true;
                    changed = true;
                }
            }
            if !changed {
                break (inputs, nodes, results);
            }
        };
        if !results[1..].iter().all(plain) {
            return Err(Fault::runtime(WRITES_OUTSIDE));
        }
        let mut body = self.close(nodes, &results, "sub_graph")?;
        body.inputs = inputs;
        let limit = self.name_of(count)?;
        let start = self.name_of(going)?;
        let mut all = vec![limit, start];
        all.extend(starts);
        let attributes = vec![("body", Attribute::Graph(body))];
        let names = self.nodes("Loop", &all, attributes, carried.len());
        let outputs = names.into_iter().zip(&results[1..]).enumerate();
        Ok(outputs
            .map(|(at, (name, result))| match result {
                Symbol::Tensor(cell) => {
                    let state = cell.borrow();
                    let extent = match (&state.extent, varies[at]) {
                        (Extent::Fixed, false) => Extent::Fixed,
                        (extent @ Extent::Varying(_), false) => extent.clone(),
                        _ => Extent::Unknown,
                    };
                    self.computed_tensor(state.example.clone(), name, extent)
                }
                number => self.computed_number(&example_number(number), name, None),
            })
            .collect())
    }
}

fn example_number(symbol: &Symbol) -> Value {
    match symbol {
        Symbol::Known(value) => value.clone(),
        Symbol::Number(number) => number.example.clone(),
        _ => Value::None,
    }
}

/// Whether a step of a loop leaves the sizes of what it carries as they are.
fn same_extent(before: &Symbol, after: &Symbol) -> Result<bool> {
    let (Symbol::Tensor(a), Symbol::Tensor(b)) = (before, after) else {
        return Ok(true);
    };
    let (a, b) = (a.borrow(), b.borrow());
    if a.example.rank() != b.example.rank() || a.example.dtype() != b.example.dtype() {
        return Err(Fault::runtime(
            "a loop of an ONNX model cannot change the rank or dtype of what it carries",
        ));
    }
    Ok(match (&a.extent, &b.extent) {
        (Extent::Fixed, Extent::Fixed) => a.example.sizes() == b.example.sizes(),
        (Extent::Varying(x), Extent::Varying(y)) => x.iter().zip(y).all(|(x, y)| {
            let sizes = |t: &Option<Tensor>| t.as_ref().map(|t| t.sizes().to_vec());
            sizes(x) == sizes(y)
        }),
        _ => false,
    })
}

/// The results of two branches as pairs of tensors or numbers.
#[derive(Default)]
struct Join {
    left: Vec<Symbol>,
    right: Vec<Symbol>,
}

/// What a result of two branches is made of.
enum Joined {
    /// The same in both.
    Same(Symbol),
    /// An output of the `If`.
    Output(usize),
    List(Vec<Joined>),
    Tuple(Vec<Joined>),
}

impl Join {
    fn pair(&mut self, a: &Symbol, b: &Symbol) -> Result<Joined> {
        let mut all = |a: &[Symbol], b: &[Symbol]| -> Result<Vec<Joined>> {
            if a.len() != b.len() {
                return Err(Fault::runtime(
                    "branches that give lists of different lengths cannot be exported to ONNX",
                ));
            }
            a.iter().zip(b).map(|(a, b)| self.pair(a, b)).collect()
        };
        match (a, b) {
            (Symbol::List(a), Symbol::List(b)) => {
                Ok(Joined::List(all(&a.items.borrow(), &b.items.borrow())?))
            }
            (Symbol::Tuple(a), Symbol::Tuple(b)) => Ok(Joined::Tuple(all(a, b)?)),
            (Symbol::Tensor(x), Symbol::Tensor(y)) if Rc::ptr_eq(x, y) => {
                Ok(Joined::Same(a.clone()))
            }
            (Symbol::Tensor(_), Symbol::Tensor(_)) => Ok(self.output(a, b)),
            (Symbol::Known(x), Symbol::Known(y)) if x == y => Ok(Joined::Same(a.clone())),
            _ if is_number(a) && is_number(b) => Ok(self.output(a, b)),
            _ => Err(Fault::runtime(
                "branches that give values of different kinds cannot be exported to ONNX",
            )),
        }
    }

    fn output(&mut self, a: &Symbol, b: &Symbol) -> Joined {
        self.left.push(a.clone());
        self.right.push(b.clone());
        Joined::Output(self.left.len() - 1)
    }
}

fn is_number(symbol: &Symbol) -> bool {
    match symbol {
        Symbol::Number(_) => true,
        Symbol::Known(value) => value.as_scalar().is_ok(),
        _ => false,
    }
}

impl Joined {
    fn rebuild(self, exporter: &Exporter<'_>, outputs: &[Symbol]) -> Symbol {
        let all = |parts: Vec<Joined>| -> Vec<Symbol> {
            parts
                .into_iter()
                .map(|p| p.rebuild(exporter, outputs))
                .collect()
        };
        match self {
            Joined::Same(symbol) => symbol,
            Joined::Output(index) => outputs[index].clone(),
            Joined::List(parts) => exporter.list(all(parts)),
            Joined::Tuple(parts) => Symbol::Tuple(Rc::new(all(parts))),
        }
    }
}
