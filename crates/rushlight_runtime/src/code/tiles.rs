//! Chains of elementwise operators, done tile by tile (see [`rushlight_tensor::tiles`]): no tensors are made but those that
//! somebody reads afterwards. A chain takes plain tensors that nobody records gradients of. How it is done follows from the
//! dtypes that it finds, of which it remembers a few.

use super::Reg;
use super::groups::Misses;
use rushlight_tensor::tiles::{MOST_INPUTS, Plan, TileKind, TileSource, TileStep, TileTarget};
use rushlight_tensor::{DType, Scalar, Tensor, threads};
use rushlight_types::{TileForm, Value};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// So many combinations of dtypes have a plan.
const MOST_PLANS: usize = 3;

/// Where a tensor from outside is.
pub(crate) enum Outside {
    Register(Reg),
    Constant(Tensor),
}

/// What is known of a tensor of a chain: its dtype, and the inputs that it depends on, a bit for each.
#[derive(Clone, Copy)]
struct Made {
    dtype: DType,
    inputs: u32,
}

/// One operator.
pub(crate) struct Step {
    pub form: &'static TileForm,
    pub operands: SmallVec<[TileSource; 3]>,
    pub numbers: SmallVec<[u8; 2]>,
    pub to: TileTarget,
    /// Whether the result takes the place of the first operand, whose sizes and dtype it must have.
    pub is_in_place: bool,
}

/// The dtypes of some inputs, and the plan for those, if there is one.
pub(crate) type Known = (SmallVec<[DType; MOST_INPUTS]>, Option<Plan>);

/// A chain.
pub struct Tiles {
    pub(crate) steps: Box<[Step]>,
    /// The tensors from outside.
    pub(crate) tensors: Box<[Outside]>,
    /// The numbers, where they are constants,
    pub(crate) numbers: Box<[Scalar]>,
    /// and those of them that registers hold.
    pub(crate) registers: Box<[(u8, Reg)]>,
    /// Registers that the chain leaves empty.
    pub(crate) moved: Box<[Reg]>,
    /// Results, and registers that take them.
    pub(crate) results: Box<[(u8, Reg)]>,
    pub(crate) outputs: u8,
    pub(crate) slots: u8,
    /// What the dtypes of the first runs have led to.
    pub(crate) plans: [OnceLock<Known>; MOST_PLANS],
    pub(crate) misses: Misses,
}

impl Tiles {
    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        let numbers = self.registers.iter().map(|number| number.1);
        let tensors = self.tensors.iter().filter_map(|tensor| match tensor {
            Outside::Register(r) => Some(*r),
            Outside::Constant(_) => None,
        });
        tensors.chain(numbers)
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Reg> + '_ {
        self.results.iter().map(|result| result.1)
    }

    /// Does the chain; `false`, and nothing done, where it has to be done one by one.
    pub(crate) fn run(&self, frame: &mut [Value], records: bool, is_short: bool) -> bool {
        let mut made: SmallVec<[Tensor; 2]> = SmallVec::new();
        let put = |tensor| made.push(tensor);
        if !self
            .misses
            .attempt(|| self.compute(frame, records, is_short, put))
        {
            return false;
        }
        for r in &self.moved {
            frame[*r as usize] = Value::None;
        }
        match *self.results {
            [(_, r)] => frame[r as usize] = made.pop().map_or(Value::None, Value::Tensor),
            _ => {
                for (output, r) in &self.results {
                    let tensor = made.get(usize::from(*output)).cloned();
                    frame[*r as usize] = tensor.map_or(Value::None, Value::Tensor);
                }
            }
        }
        true
    }

    fn compute(
        &self,
        frame: &[Value],
        records: bool,
        is_short: bool,
        put: impl FnMut(Tensor),
    ) -> Option<()> {
        let mut tensors: SmallVec<[&Tensor; MOST_INPUTS]> = SmallVec::new();
        for outside in &self.tensors {
            let tensor = match outside {
                Outside::Constant(tensor) => tensor,
                Outside::Register(r) => match &frame[*r as usize] {
                    Value::Tensor(tensor) => tensor,
                    _ => return None,
                },
            };
            let is_long = || tensor.numel().saturating_mul(self.steps.len()) > threads::GRAIN;
            if records && tensor.requires_grad()
                || tensor.is_wrapped_number()
                || is_short && is_long()
            {
                return None;
            }
            tensors.push(tensor);
        }
        let mut given: SmallVec<[Scalar; 8]>;
        let numbers = match self.registers.is_empty() {
            true => &self.numbers[..],
            false => {
                given = SmallVec::from_slice(&self.numbers);
                for (at, r) in &self.registers {
                    given[usize::from(*at)] = match frame[*r as usize] {
                        Value::Int(i) => Scalar::Int(i),
                        Value::Float(f) => Scalar::Float(f),
                        _ => return None,
                    };
                }
                &given
            }
        };
        self.plan(&tensors, numbers)?.run(&tensors, numbers, put)
    }

    /// The plan for these tensors, made where they are the first of their dtypes.
    fn plan(&self, tensors: &[&Tensor], numbers: &[Scalar]) -> Option<&Plan> {
        for known in &self.plans {
            let (dtypes, plan) = known.get_or_init(|| {
                let dtypes: SmallVec<[DType; MOST_INPUTS]> =
                    tensors.iter().map(|t| t.dtype()).collect();
                let plan = self.planned(&dtypes, numbers);
                (dtypes, plan)
            });
            if dtypes
                .iter()
                .zip(tensors)
                .all(|(dtype, tensor)| *dtype == tensor.dtype())
            {
                return plan.as_ref();
            }
        }
        None
    }

    fn planned(&self, dtypes: &[DType], numbers: &[Scalar]) -> Option<Plan> {
        let mut fills: Vec<(u8, DType)> = Vec::new();
        let nothing = Made {
            dtype: DType::Bool,
            inputs: 0,
        };
        let mut slots = [nothing; u8::MAX as usize];
        let mut outputs = vec![nothing; self.outputs.into()];
        let (mut steps, mut whole) = (Vec::with_capacity(self.steps.len()), Vec::new());
        for step in &self.steps {
            let made = |source: &TileSource| match *source {
                TileSource::Input(at) => Some(Made {
                    dtype: dtypes[usize::from(at)],
                    inputs: 1 << at,
                }),
                TileSource::Slot(at) => Some(slots[usize::from(at)]),
                TileSource::Output(at) => Some(outputs[usize::from(at)]),
                TileSource::Number(_) => None,
            };
            let kind = |source: &TileSource| match *source {
                TileSource::Number(at) => Some(match numbers[usize::from(at)] {
                    Scalar::Int(_) => TileKind::Int,
                    Scalar::Bool(_) => TileKind::Bool,
                    _ => TileKind::Float,
                }),
                _ => made(source).map(|tensor| TileKind::Tensor(tensor.dtype)),
            };
            let kinds: SmallVec<[TileKind; 3]> = step.operands.iter().filter_map(kind).collect();
            let row = step.form.op.tile_loop(&kinds)?;
            let inputs = step
                .operands
                .iter()
                .filter_map(made)
                .fold(0, |all, one| all | one.inputs);
            for (source, dtype) in step.operands.iter().zip(row.takes()) {
                if let TileSource::Number(at) = source {
                    fills.push((*at, *dtype));
                }
            }
            let result = Made {
                dtype: row.gives(),
                inputs,
            };
            if step.is_in_place {
                let written = step.operands.first().and_then(made)?;
                if written.dtype != result.dtype {
                    return None;
                }
                whole.push(written.inputs);
            }
            match step.to {
                TileTarget::Slot(at) => slots[usize::from(at)] = result,
                TileTarget::Output(at) => outputs[usize::from(at)] = result,
            }
            let operands = step.operands.iter().copied();
            steps.push(TileStep::new(row, operands, &step.numbers, step.to));
        }
        whole.extend(outputs.iter().map(|output| output.inputs));
        let outputs = outputs.iter().map(|output| output.dtype).collect();
        Some(Plan::new(steps, dtypes, fills, outputs, whole, self.slots))
    }
}
