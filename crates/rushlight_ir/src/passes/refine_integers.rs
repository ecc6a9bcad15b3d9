//! Integers and lengths of lists that comparisons have shown to be constants.

use super::PassRun;
use crate::analysis::writers::Writers;
use crate::{BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};
use std::collections::HashMap;

/// What is known where: the constant that an integer, or the length of a list, is equal to.
type Facts = HashMap<ValueId, i64>;

/// Gives integers in the place of constants where `c if x == c else x` is `x`, and constants in the place of integers where
/// a comparison has shown what they are: in a branch, and behind one whose other branch raises.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    choices(graph, run);
    Refinement::new(graph, run, Subject::Integer).start();
}

/// Gives constants in the place of the lengths of lists that nobody writes to, where a comparison has shown what they are.
pub fn lengths(graph: &mut Graph, run: &mut PassRun<'_>) {
    let writers = Writers::new(graph);
    Refinement::new(graph, run, Subject::Length(writers)).start();
}

fn int(graph: &Graph, value: ValueId) -> Option<i64> {
    graph.constant(value)?.as_int().ok()
}

fn choices(graph: &mut Graph, run: &mut PassRun<'_>) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !node.is(Prim::If) {
            continue;
        }
        let Some((subject, constant, holds)) = comparison(graph, node.inputs()[0]) else {
            continue;
        };
        let (equal, differ) = match holds {
            true => (node.blocks()[0], node.blocks()[1]),
            false => (node.blocks()[1], node.blocks()[0]),
        };
        let outputs = node.outputs().to_vec();
        for (i, output) in outputs.into_iter().enumerate() {
            let same = int(graph, graph.returns(equal)[i]) == Some(constant)
                && graph.returns(differ)[i] == subject;
            if same && run.may_change() {
                graph.replace_all_uses(output, subject);
            }
        }
    }
}

/// The integer and the constant that a condition compares, and whether they are equal where it holds.
fn comparison(graph: &Graph, condition: ValueId) -> Option<(ValueId, i64, bool)> {
    let node = graph.node(graph.value(condition).node());
    let holds = match node.operator()?.full_name() {
        "aten::eq.int" => true,
        "aten::ne.int" => false,
        _ => return None,
    };
    let (a, b) = (node.inputs()[0], node.inputs()[1]);
    match (int(graph, a), int(graph, b)) {
        (None, Some(constant)) => Some((a, constant, holds)),
        (Some(constant), None) => Some((b, constant, holds)),
        _ => None,
    }
}

/// What the facts are about.
enum Subject {
    Integer,
    /// Lengths of lists without writers.
    Length(Writers),
}

struct Refinement<'a, 'r> {
    graph: &'a mut Graph,
    run: &'a mut PassRun<'r>,
    subject: Subject,
    /// What follows from conditions being false and being true; `None` where they never are.
    known: HashMap<ValueId, [Option<Facts>; 2]>,
    constants: HashMap<i64, ValueId>,
}

impl<'a, 'r> Refinement<'a, 'r> {
    fn new(graph: &'a mut Graph, run: &'a mut PassRun<'r>, subject: Subject) -> Refinement<'a, 'r> {
        Refinement {
            graph,
            run,
            subject,
            known: HashMap::new(),
            constants: HashMap::new(),
        }
    }

    fn start(mut self) {
        let top = self.graph.top();
        self.block(top, &Facts::new());
    }

    /// Refines a block; what is known at its end, or `None` where it is never reached.
    fn block(&mut self, block: BlockId, facts: &Facts) -> Option<Facts> {
        let mut facts = facts.clone();
        let mut reached = true;
        for id in self.graph.nodes(block) {
            self.replace(id, &facts);
            let node = self.graph.node(id);
            if node.is(Prim::If) {
                match self.branches(id, &facts) {
                    Some(more) => facts = more,
                    None => reached = false,
                }
            } else if node.is_op("prim::RaiseException") {
                reached = false;
            } else {
                for inner in node.blocks().to_vec() {
                    self.block(inner, &facts);
                }
                self.learn(id);
            }
        }
        let end = self.graph.return_node(block);
        self.replace(end, &facts);
        reached.then_some(facts)
    }

    /// Refines the branches of an `If`; what is known behind it.
    fn branches(&mut self, id: NodeId, facts: &Facts) -> Option<Facts> {
        let condition = self.graph.node(id).inputs()[0];
        let blocks = self.graph.node(id).blocks().to_vec();
        let mut ends = Vec::new();
        for (block, truth) in blocks.iter().zip([true, false]) {
            let start = self
                .follows(condition, truth)
                .map(|more| both(facts, &more));
            let end = self.block(*block, start.as_ref().unwrap_or(facts));
            ends.push(start.and(end));
        }
        // A result is what one of the branches gives that are taken.
        for (i, output) in self.graph.node(id).outputs().to_vec().iter().enumerate() {
            if *self.graph.ty(*output) != Type::Bool {
                continue;
            }
            let follows = [false, true].map(|truth| {
                let ways = blocks.iter().zip(&ends).map(|(block, end)| {
                    let given = self.graph.returns(*block)[i];
                    Some(both(end.as_ref()?, &self.follows(given, truth)?))
                });
                either(ways)
            });
            self.known.insert(*output, follows);
        }
        either(ends.into_iter())
    }

    /// What follows from a condition.
    fn follows(&self, condition: ValueId, truth: bool) -> Option<Facts> {
        if let Some(Value::Bool(constant)) = self.graph.constant(condition) {
            return (constant == truth).then(Facts::new);
        }
        match self.known.get(&condition) {
            Some(follows) => follows[usize::from(truth)].clone(),
            None => Some(Facts::new()),
        }
    }

    /// Remembers what follows from a condition that a node computes.
    fn learn(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let (Some(op), [output]) = (node.operator(), node.outputs()) else {
            return;
        };
        let output = *output;
        let input = |i: usize| node.inputs()[i];
        let swapped = |of: ValueId| [self.follows(of, true), self.follows(of, false)];
        let same = |of: ValueId| [self.follows(of, false), self.follows(of, true)];
        let follows = match op.full_name() {
            "aten::__not__" => swapped(input(0)),
            name @ ("aten::eq.bool" | "aten::ne.bool") => {
                let (of, to) = match (self.truth(input(0)), self.truth(input(1))) {
                    (None, Some(to)) => (input(0), to),
                    (Some(to), None) => (input(1), to),
                    _ => return,
                };
                match to == (name == "aten::eq.bool") {
                    true => same(of),
                    false => swapped(of),
                }
            }
            _ => {
                let Some((integer, constant, holds)) = comparison(self.graph, output) else {
                    return;
                };
                let Some(subject) = self.subject_of(integer) else {
                    return;
                };
                let mut follows = [Some(Facts::new()), Some(Facts::new())];
                follows[usize::from(holds)] = Some(Facts::from([(subject, constant)]));
                follows
            }
        };
        self.known.insert(output, follows);
    }

    fn truth(&self, value: ValueId) -> Option<bool> {
        match self.graph.constant(value)? {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// What a fact about an integer is a fact about.
    fn subject_of(&self, integer: ValueId) -> Option<ValueId> {
        let Subject::Length(writers) = &self.subject else {
            return Some(integer);
        };
        let node = self.graph.node(self.graph.value(integer).node());
        let list = *node.inputs().first()?;
        let is_length = node.operator()?.full_name() == "aten::len.t";
        (is_length && !writers.has(self.graph, list)).then_some(list)
    }

    /// Puts constants in the place of what is known.
    fn replace(&mut self, id: NodeId, facts: &Facts) {
        let inputs = self.graph.node(id).inputs().to_vec();
        match self.subject {
            Subject::Integer => {
                for (i, input) in inputs.into_iter().enumerate() {
                    if let Some(&constant) = facts.get(&input)
                        && self.run.may_change()
                    {
                        let constant = self.constant(constant);
                        self.graph.set_input(id, i, constant);
                    }
                }
            }
            Subject::Length(_) => {
                let Some(&output) = self.graph.node(id).outputs().first() else {
                    return;
                };
                let known = self.subject_of(output).and_then(|list| facts.get(&list));
                if let Some(&constant) = known
                    && !self.graph.value(output).uses().is_empty()
                    && self.run.may_change()
                {
                    let constant = self.constant(constant);
                    self.graph.replace_all_uses(output, constant);
                }
            }
        }
    }

    /// A constant that is there from the start of the graph.
    fn constant(&mut self, value: i64) -> ValueId {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let top = self.graph.top();
        let nodes = self.graph.nodes(top);
        let leading = nodes
            .iter()
            .take_while(|n| self.graph.node(**n).is(Prim::Constant));
        let outputs = leading.map(|n| self.graph.node(*n).outputs()[0]);
        let mut same = outputs
            .filter(|v| *self.graph.ty(*v) == Type::Int && int(self.graph, *v) == Some(value));
        let found = same.next();
        let found = found.unwrap_or_else(|| {
            let first = nodes.first().copied();
            let at = first.unwrap_or_else(|| self.graph.return_node(top));
            self.graph.constant_before(at, Value::Int(value), Type::Int)
        });
        self.constants.insert(value, found);
        found
    }
}

fn both(a: &Facts, b: &Facts) -> Facts {
    a.iter().chain(b).map(|(k, v)| (*k, *v)).collect()
}

/// What holds whichever way was taken; `None` where there is none.
fn either(ways: impl Iterator<Item = Option<Facts>>) -> Option<Facts> {
    ways.flatten().reduce(|a, b| {
        let mut common = a;
        common.retain(|subject, constant| b.get(subject) == Some(constant));
        common
    })
}
