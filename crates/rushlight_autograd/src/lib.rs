//! Gradients: recording calls of operators and running them backwards.
//!
//! The engine stands in the call path's gradient layer. A call with an argument that requires gradients becomes a
//! [`Node`]: edges to the nodes that its arguments come from, and the values that its derivative reads. A run backwards
//! goes through the nodes from the youngest to the oldest.
//!
//! Derivatives are data: `derivatives/*.txt` has a few lines of TorchScript per operator, compiled by our own compiler
//! when an operator is first differentiated (see `docs/derivatives.md`). So a derivative is made of operators, which are
//! recorded in turn where a gradient of a gradient is asked for.

mod anomaly;
mod backward;
mod compile;
mod custom;
mod fixed;
mod history;
mod hooks;
mod kept;
mod made;
mod meta;
mod node;
mod record;
mod refusal;
mod replay;
mod rules;
mod saved;
mod saved_tensor;
mod view;

pub use anomaly::{anomaly_mode, set_anomaly_mode, set_anomaly_witness};
pub use history::{Custom, Edge, Hook, Meta, Node};
pub use hooks::{After, Before};
pub use saved::{Pack, Unpack, pop_pack, push_pack};
pub use saved_tensor::Kept;
pub use view::declare as declare_view;

use parking_lot::RwLock;
use rules::{Action, Rule};
use rushlight_ir::Unit;
use rushlight_tensor::Tensor;
use rushlight_types::modes::NoAutocast;
use rushlight_types::{Call, Context, GradientRequest, Gradients, Operator, OperatorTable, Result};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, OnceLock};

/// The gradient engine of one operator table. Making one costs nothing; what it needs is made when it is first needed.
pub struct Engine {
    make: fn() -> (&'static OperatorTable, Arc<Unit>),
    parts: OnceLock<Parts>,
    /// What is known of each operator that was called, by its address.
    rules: RwLock<HashMap<usize, Arc<Rule>, BuildHasherDefault<ByAddress>>>,
}

struct Parts {
    table: &'static OperatorTable,
    unit: Arc<Unit>,
    operators: Operators,
}

/// The operators that the engine itself calls.
struct Operators {
    add: &'static Operator,
    sum_to_size: &'static Operator,
    to_dtype: &'static Operator,
    clone: &'static Operator,
    copy: &'static Operator,
    real: &'static Operator,
    alias: &'static Operator,
    detach: &'static Operator,
    reshape: &'static Operator,
    index_add: &'static Operator,
    as_strided: &'static Operator,
}

impl Engine {
    /// An engine for the operators that `make` returns, with a unit that has an executor and takes the compiled
    /// derivatives.
    pub fn new(make: fn() -> (&'static OperatorTable, Arc<Unit>)) -> Engine {
        Engine {
            make,
            parts: OnceLock::new(),
            rules: RwLock::default(),
        }
    }

    /// Compiles every derivative and returns what is wrong with the tables: for tests.
    pub fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for name in rules::named() {
            let Some(operator) = self.parts().table.find(&rules::full(name)) else {
                problems.push(format!("there is no operator aten::{name}"));
                continue;
            };
            let rule = self.rule(operator);
            let formulas = match &rule.action {
                Action::Instead(formula) => std::slice::from_ref(formula),
                other => other.formulas(),
            };
            let formulas = formulas.iter().chain(&rule.words);
            for formula in formulas.filter(|f| f.refused.is_none()) {
                if let Err(fault) = compile::function(self, operator, formula) {
                    problems.push(fault.message().to_string());
                }
            }
        }
        problems
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| {
            let (table, unit) = (self.make)();
            let find = |name: &str| {
                table
                    .find(name)
                    .unwrap_or_else(|| panic!("the gradient engine needs {name}"))
            };
            Parts {
                table,
                unit,
                operators: Operators {
                    add: find("aten::add.Tensor"),
                    sum_to_size: find("aten::sum_to_size"),
                    to_dtype: find("aten::to.dtype"),
                    clone: find("aten::clone"),
                    copy: find("aten::copy_"),
                    real: find("aten::real"),
                    alias: find("aten::alias"),
                    detach: find("aten::detach"),
                    reshape: find("aten::reshape"),
                    index_add: find("aten::index_add"),
                    as_strided: find("aten::as_strided"),
                },
            }
        })
    }

    /// What is known of an operator.
    fn rule(&self, operator: &'static Operator) -> Arc<Rule> {
        let key = std::ptr::from_ref(operator) as usize;
        if let Some(rule) = self.rules.read().get(&key) {
            return rule.clone();
        }
        let rule = Arc::new(Rule::of(operator, self.parts().table));
        self.rules.write().entry(key).or_insert(rule).clone()
    }
}

/// A hash of addresses, which calls of views wait for.
#[derive(Default)]
struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize((*byte).into());
        }
    }

    fn write_usize(&mut self, address: usize) {
        // The golden ratio spreads neighbours over the upper bits.
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}

impl Gradients for Engine {
    fn record(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
        record::record(self, operator, call)
    }

    fn run(&self, context: &Context, request: GradientRequest) -> Result<Vec<Option<Tensor>>> {
        let _in_own_precision = NoAutocast::new();
        backward::run(self, context, request)
    }

    fn gradient(&self, tensor: &Tensor) -> Option<Tensor> {
        Meta::grad(tensor)
    }

    fn retain(&self, tensor: &Tensor) {
        Meta::retain(tensor);
    }

    fn retains(&self, tensor: &Tensor) -> bool {
        Meta::retains(tensor)
    }
}
