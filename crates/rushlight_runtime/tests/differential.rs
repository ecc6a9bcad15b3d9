//! Random graphs, run as register code in both modes and walked directly: all three must agree.
//!
//! The values are ints, bools and shared lists, so that a value moved too early, a register reused too early or a join
//! moved in the wrong order shows in the result. The seeds are fixed.

mod support;

use rushlight_ir::{BlockId, Graph, NodeKind, Prim, ValueId};
use rushlight_types::{Callable, Context, Fault, Type, Value};
use std::collections::HashMap;
use support::Builder;

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// Values in scope, by kind.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<ValueId>,
    bools: Vec<ValueId>,
    lists: Vec<ValueId>,
}

impl Scope {
    fn add(&mut self, graph: &Graph, value: ValueId) {
        match graph.ty(value) {
            Type::Int => self.ints.push(value),
            Type::Bool => self.bools.push(value),
            _ => self.lists.push(value),
        }
    }

    fn pick(&self, dice: &mut Dice, ty: &Type) -> ValueId {
        let from = match ty {
            Type::Int => &self.ints,
            Type::Bool => &self.bools,
            _ => &self.lists,
        };
        // Recent values more often than old ones, so that some die early.
        let reach = 1 + dice.roll(6);
        let back = dice.roll(from.len().min(reach));
        from[from.len() - 1 - back]
    }
}

const TYPES: [fn() -> Type; 3] = [|| Type::Int, || Type::Bool, || Type::list(Type::Int)];

fn some_types(dice: &mut Dice) -> Vec<Type> {
    (0..dice.roll(4)).map(|_| TYPES[dice.roll(3)]()).collect()
}

fn fill(b: &mut Builder, dice: &mut Dice, scope: &mut Scope, depth: usize) {
    for _ in 0..1 + dice.roll(6) {
        statement(b, dice, scope, depth);
    }
}

fn statement(b: &mut Builder, dice: &mut Dice, scope: &mut Scope, depth: usize) {
    let pick = |dice: &mut Dice, ty: &Type| scope.pick(dice, ty);
    let list = Type::list(Type::Int);
    let made = match dice.roll(if depth == 0 { 11 } else { 14 }) {
        i @ 0..=4 => {
            let name = [
                "aten::add.int",
                "aten::sub.int",
                "aten::mul.int",
                "aten::floordiv.int",
                "aten::remainder.int",
            ][i];
            let inputs = [pick(dice, &Type::Int), pick(dice, &Type::Int)];
            b.op(name, &inputs)
        }
        5 => {
            let inputs = [pick(dice, &Type::Int), pick(dice, &Type::Int)];
            b.op("aten::lt.int", &inputs)
        }
        6 => {
            let input = pick(dice, &Type::Bool);
            b.op("aten::__not__", &[input])
        }
        7 => {
            let inputs = [pick(dice, &Type::Int), pick(dice, &Type::Int)];
            b.prim(Prim::ListConstruct, &inputs, list)
        }
        8 => {
            let inputs = [pick(dice, &list), pick(dice, &Type::Int)];
            b.op_as("aten::append.t", &inputs, list)
        }
        9 => {
            let input = pick(dice, &list);
            b.op("aten::len.t", &[input])
        }
        10 => {
            let inputs = [pick(dice, &list), b.constant(dice.roll(3) as i64 - 2)];
            b.op_as("aten::__getitem__.t", &inputs, Type::Int)
        }
        11 | 12 => return branch(b, dice, scope, depth),
        _ => return repeat(b, dice, scope, depth),
    };
    scope.add(&b.graph, made);
}

fn block(
    b: &mut Builder,
    dice: &mut Dice,
    scope: &Scope,
    types: &[Type],
    depth: usize,
) -> Vec<ValueId> {
    let mut inner = scope.clone();
    fill(b, dice, &mut inner, depth - 1);
    types.iter().map(|ty| inner.pick(dice, ty)).collect()
}

fn branch(b: &mut Builder, dice: &mut Dice, scope: &mut Scope, depth: usize) {
    let types = some_types(dice);
    let condition = scope.pick(dice, &Type::Bool);
    let arms = std::cell::RefCell::new(dice);
    let outputs = b.branch(
        condition,
        &types,
        |b| block(b, &mut arms.borrow_mut(), scope, &types, depth),
        |b| block(b, &mut arms.borrow_mut(), scope, &types, depth),
    );
    outputs.into_iter().for_each(|v| scope.add(&b.graph, v));
}

fn repeat(b: &mut Builder, dice: &mut Dice, scope: &mut Scope, depth: usize) {
    let types = some_types(dice);
    let carried: Vec<ValueId> = types.iter().map(|ty| scope.pick(dice, ty)).collect();
    let trips = b.constant(if dice.roll(4) == 0 {
        i64::MAX
    } else {
        dice.roll(4) as i64
    });
    let start = if dice.roll(2) == 0 {
        b.constant(true)
    } else {
        scope.pick(dice, &Type::Bool)
    };
    let is_unbounded = b.graph.constant(trips) == Some(Value::Int(i64::MAX));
    let limit = b.constant(3);
    let always = b.constant(true);
    let outputs = b.repeat(trips, start, &carried, |b, params| {
        let mut inner = scope.clone();
        params.iter().for_each(|p| inner.add(&b.graph, *p));
        fill(b, dice, &mut inner, depth - 1);
        let condition = match dice.roll(3) {
            // Unbounded loops end by counting.
            _ if is_unbounded => b.op("aten::lt.int", &[params[0], limit]),
            0 => always,
            _ => inner.pick(dice, &Type::Bool),
        };
        let mut results = vec![condition];
        results.extend(types.iter().map(|ty| inner.pick(dice, ty)));
        results
    });
    outputs.into_iter().for_each(|v| scope.add(&b.graph, v));
}

fn random_graph(seed: u64) -> Graph {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut b = Builder::new();
    let mut scope = Scope::default();
    for (name, ty) in [("x", Type::Int), ("y", Type::Int), ("p", Type::Bool)] {
        let value = b.input(ty, name);
        scope.add(&b.graph, value);
    }
    let list = b.input(Type::list(Type::Int), "l");
    scope.add(&b.graph, list);
    for value in [3i64, -2] {
        let value = b.constant(value);
        scope.add(&b.graph, value);
    }
    fill(&mut b, &mut dice, &mut scope, 4);
    fill(&mut b, &mut dice, &mut scope, 3);
    let results: Vec<ValueId> = (0..5)
        .map(|i| scope.pick(&mut dice, &TYPES[i % 3]()))
        .collect();
    b.finish(&results)
}

/// Walks the graph itself, without registers.
struct Walker<'g> {
    graph: &'g Graph,
    values: HashMap<ValueId, Value>,
    context: Context,
}

impl Walker<'_> {
    fn get(&self, values: &[ValueId]) -> Vec<Value> {
        values.iter().map(|v| self.values[v].clone()).collect()
    }

    fn set(&mut self, names: &[ValueId], values: Vec<Value>) {
        self.values.extend(names.iter().copied().zip(values));
    }

    fn block(&mut self, block: BlockId) -> Result<Vec<Value>, Fault> {
        for id in self.graph.nodes(block) {
            let node = self.graph.node(id);
            let inputs = if node.is(Prim::Constant) {
                vec![self.graph.constant(node.outputs()[0]).unwrap_or_default()]
            } else {
                self.get(node.inputs())
            };
            let outputs = match node.kind {
                NodeKind::Prim(Prim::Constant) => inputs,
                NodeKind::Prim(Prim::ListConstruct) => vec![Value::list(&Type::Int, inputs)?],
                NodeKind::Prim(Prim::If) => {
                    let arm = usize::from(!inputs[0].as_bool()?);
                    self.block(node.blocks()[arm])?
                }
                NodeKind::Prim(Prim::Loop) => self.repeat(node.blocks()[0], inputs)?,
                NodeKind::Op(operator) => operator.call_vec(&self.context, inputs)?,
                other => panic!("{other:?} is not generated"),
            };
            self.set(node.outputs(), outputs);
        }
        Ok(self.get(self.graph.returns(block)))
    }

    fn repeat(&mut self, body: BlockId, inputs: Vec<Value>) -> Result<Vec<Value>, Fault> {
        let trips = inputs[0].as_int()?;
        let mut go_on = inputs[1].as_bool()?;
        let mut carried = inputs[2..].to_vec();
        let mut i = 0;
        while i < trips && go_on {
            let mut params = vec![Value::Int(i)];
            params.extend(carried);
            self.set(self.graph.params(body), params);
            let mut results = self.block(body)?;
            go_on = results.remove(0).as_bool()?;
            carried = results;
            i += 1;
        }
        Ok(carried)
    }
}

fn walked(graph: &Graph, arguments: Vec<Value>) -> Result<Value, Fault> {
    let mut walker = Walker {
        graph,
        values: HashMap::new(),
        context: Context::silent(),
    };
    walker.set(graph.inputs(), arguments);
    walker.block(graph.top()).map(Value::tuple)
}

fn shown(result: Result<Value, Fault>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(fault) => format!("! {}", fault.message()),
    }
}

#[test]
fn register_code_does_what_the_graph_says() {
    let units = [true, false].map(support::unit);
    for seed in 0..2000 {
        let graph = random_graph(seed);
        let functions = units
            .each_ref()
            .map(|unit| support::define(unit, "__torch__.f", graph.clone()));
        for (x, y, p) in [(1, 2, true), (-3, 0, false), (5, -1, true)] {
            // The list is changed in place, so every run gets its own.
            let arguments = || {
                let list = Value::from(vec![7i64, 8]);
                vec![Value::Int(x), Value::Int(y), Value::Bool(p), list]
            };
            let expected = shown(walked(&graph, arguments()));
            for function in &functions {
                let got = shown(function.invoke(&Context::silent(), arguments()));
                assert_eq!(got, expected, "seed {seed}, {x}, {y}, {p}\n{graph}");
            }
        }
    }
}
