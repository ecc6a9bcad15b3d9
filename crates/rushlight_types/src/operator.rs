//! Operators: one row each (schema, kernel, facts), and the table that finds them by name.

use crate::defined::{Defined, DefinedOperators};
use crate::facts::{
    Apart, CallStack, Dispatch, Effect, Elements, Functional, OutDtype, Sizes, TileForm,
};
use crate::kept;
use crate::outs::{self, Deliver, OutForm};
use crate::{
    Argument, Call, Context, ElementOp, Fault, Layer, Quantized, Result, ScalarOp, Schema, Type,
    Value,
};
use rushlight_tensor::kinds::{self, Kinds};
use rushlight_tensor::{ErrorClass, Tensor};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A kernel in its boxed form: reads the call's inputs, writes its results back; see [`boxed!`](crate::boxed).
pub type Kernel = fn(&mut Call<'_>) -> Result<()>;

/// A kernel that looks at its arguments where they are and writes the one result (nothing where there is none).
/// It gives memory back but runs nobody's code and waits for nobody, and there is no gradient of what it gives; `false`
/// leaves the call to the [`Kernel`].
pub type Quick = fn(&[&Value], &mut Value) -> Result<bool>;

/// A function that scripts can call as a value: a compiled function, a method, a host function.
pub trait Callable: Send + Sync {
    /// The name, qualified where there is one.
    fn name(&self) -> &str;
    /// How it is called.
    fn schema(&self) -> Arc<Schema>;
    /// Calls it on this thread.
    fn invoke(&self, context: &Context, arguments: Vec<Value>) -> Result<Value>;
    /// For those who know what the callable really is.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// Sees every operator call while a layer is on.
pub trait Observer: Send + Sync {
    /// Runs the call (by [`Operator::run_kernel`]) and does what the layer is for.
    fn observe(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()>;
    /// A tensor is what another was of this identity, which was saved and may be gone.
    fn given_again(&self, _tensor: &Tensor, _identity: usize) {}
    /// Work that has a name of its own begins on this thread: a node of a run backwards.
    fn enter(&self, _name: String) {}
    /// The innermost of such work ends.
    fn leave(&self) {}
}

/// Records calls so that gradients can be found from them: the gradient engine, behind a seam.
pub trait Gradients: Send + Sync {
    /// Runs the call (by [`Operator::run_kernel`]) and remembers it where an argument requires gradients.
    fn record(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()>;
    /// The gradients of `request.outputs`, added to those of the leaves or returned for `request.inputs`.
    fn run(&self, context: &Context, request: GradientRequest) -> Result<Vec<Option<Tensor>>>;
    /// The gradient that runs have added up for a tensor.
    fn gradient(&self, tensor: &Tensor) -> Option<Tensor>;
    /// Makes a tensor that is no leaf keep its gradient.
    fn retain(&self, tensor: &Tensor);
    /// Whether it does.
    fn retains(&self, tensor: &Tensor) -> bool;
}

/// What is asked of a run backwards.
#[derive(Default)]
pub struct GradientRequest {
    /// Where to begin.
    pub outputs: Vec<Tensor>,
    /// The gradient of each output; `None` stands for one, of outputs with one element.
    pub gradients: Vec<Option<Tensor>>,
    /// Whose gradients are asked for; `None` for all leaves.
    pub inputs: Option<Vec<Tensor>>,
    /// Whether gradients are added to `.grad` of the leaves instead of being returned.
    pub accumulate: bool,
    /// Whether what was recorded is kept for another run.
    pub retain: bool,
    /// Whether the run itself is recorded.
    pub create_graph: bool,
    /// Whether inputs may have no part in the outputs.
    pub allow_unused: bool,
}

/// An operator: a built-in one, or one that a program [defines](OperatorTable::define). Operators are static; a reference
/// identifies one.
pub struct Operator {
    /// The schema exactly as the reference spells it.
    pub text: &'static str,
    kernel: Kernel,
    /// What a program gave for the kernel, where it defines the operator.
    defined: Option<Defined>,
    /// The form that writes its results into tensors of the caller, where its row follows from this one.
    out: Option<OutForm>,
    /// The row that this one follows from, and how its results are delivered.
    derived: Option<(&'static Operator, Deliver)>,
    /// Whether there is more to a call than the kernel: a device to look at, a function of the program.
    is_indirect: bool,
    /// Whether the schema says that a result is a view of an argument.
    gives_views: bool,
    /// Whether only who keeps tensors outside can make the result ([`crate::Keeper`]).
    is_made_outside: bool,
    pub effect: Effect,
    pub quantized: Quantized,
    /// What it does with plain values, where that is a simple thing.
    pub scalar: Option<ScalarOp>,
    /// How the parts of its result follow from those of its arguments, where numbers are complex.
    pub parts: Option<&'static [&'static str; 2]>,
    /// What it does with single elements of tensors, where that is a simple thing.
    pub element: Option<ElementOp>,
    /// How it is a step of a chain of elementwise operators, where it can be: the first form that fits.
    pub tiles: &'static [TileForm],
    /// The operator that does this one and layers behind it at once.
    pub joined: Option<&'static Operator>,
    /// The quick form of the kernel, where there is one.
    pub quick: Option<Quick>,
    /// Its list of pairs is made of the lists that these two give for the same argument.
    pub pairs: Option<[&'static Operator; 2]>,
    elements: Elements,
    /// What the sizes of results follow from.
    pub sizes: Sizes,
    /// The function of `torch.nn.functional` that it is, where passes have rules for those.
    pub functional: Option<Functional>,
    /// How the reference's dispatcher sees a call.
    pub dispatch: Dispatch,
    /// What it has to do with the stack of script calls.
    pub call_stack: Option<CallStack>,
    /// Whether a number in the place of the other operand counts as a tensor, a wrapped number: the reference calls the
    /// overload for tensors where a program writes a number.
    pub wraps_numbers: bool,
    /// Whether programs of a host may write a list of tensors as arguments.
    pub is_variadic: bool,
    /// Whether there is an old form with the factor before the operand, which is taken and never shown.
    pub has_old_form: bool,
    /// Whether a refusal of quantized tensors names the form that writes into a result (`.out`), which the reference keeps in
    /// place of all forms of many operators.
    pub refused_as_out: bool,
    /// The operator that such a refusal names, where it is yet another.
    pub refused_as: Option<&'static str>,
    /// Whether results carry no gradient whatever the arguments do.
    pub detaches: bool,
    /// Which argument says on which device results are made.
    device_at: Option<u8>,
    /// The arguments, a bit for each, that may be any number, or sizes that are not negative nor many elements together: the
    /// operator never fails because of them.
    pub any_number: u8,
    /// How what is written and what is read lie in memory.
    apart: Apart,
    /// What is said of tensors for results that are of other dtypes.
    out_dtype: OutDtype,
    /// How many of the last arguments take results: `out`, or one for each result.
    outs: u8,
    /// Where in the text the name ends, without the overload and with it.
    ends: [u16; 2],
    schema: OnceLock<Schema>,
}

impl Operator {
    /// A pure operator.
    pub const fn new(text: &'static str, kernel: Kernel) -> Operator {
        let device_at = device_at(text);
        let outs = count_outs(text);
        Operator {
            text,
            kernel,
            defined: None,
            out: None,
            derived: None,
            is_indirect: device_at.is_some() || outs > 0,
            gives_views: returns_alias(text),
            is_made_outside: false,
            effect: Effect::Pure,
            quantized: Quantized::ByForm,
            scalar: None,
            element: None,
            parts: None,
            tiles: &[],
            pairs: None,
            joined: None,
            quick: None,
            elements: Elements::Plain,
            sizes: Sizes::ByArguments,
            functional: None,
            dispatch: Dispatch::Own,
            call_stack: None,
            wraps_numbers: false,
            is_variadic: false,
            has_old_form: false,
            refused_as_out: false,
            refused_as: None,
            detaches: false,
            any_number: 0,
            apart: Apart::BY_KERNEL,
            out_dtype: OutDtype::ByDelivery,
            device_at,
            outs,
            ends: name_ends(text),
            schema: OnceLock::new(),
        }
    }

    /// The row of an operator that a program defines; it lives as long as the process.
    fn defined_by(schema: &str, function: Arc<dyn Callable>) -> Result<&'static Operator> {
        let parsed = Schema::parse(schema).map_err(Fault::runtime)?;
        if schema
            .split('(')
            .next()
            .is_some_and(|name| name.len() > MOST_NAME)
        {
            return Err(Fault::runtime("the name of this operator is too long"));
        }
        let mut operator = Operator::new(schema.to_string().leak(), |_| {
            Err(Fault::internal("a defined operator without its function"))
        });
        operator.schema = OnceLock::from(parsed);
        operator.defined = Some(Defined::new(function));
        operator.is_indirect = true;
        Ok(Box::leak(Box::new(operator)))
    }

    /// The same row, and beside it the one of the overload `out` that takes tensors for the results as its last arguments: the
    /// table derives it.
    pub const fn out(mut self, overload: &'static str, deliver: Deliver) -> Operator {
        self.out = Some(OutForm { overload, deliver });
        self
    }

    /// The row of the form that writes into tensors of the caller; it lives as long as the process.
    fn with_out(&'static self) -> Option<&'static Operator> {
        let form = self.out.as_ref()?;
        let text = outs::text(self.text, form.overload);
        let mut operator = Operator::new(text.leak(), |_| {
            Err(Fault::internal("a derived operator without its origin"))
        });
        operator.derived = Some((self, form.deliver));
        operator.effect = self.effect;
        operator.has_old_form = self.has_old_form;
        operator.refused_as_out = self.refused_as_out;
        operator.refused_as = self.refused_as;
        operator.apart = self.apart;
        operator.out_dtype = self.out_dtype;
        if self.sizes == Sizes::ByElements {
            operator.sizes = self.sizes;
        }
        Some(Box::leak(Box::new(operator)))
    }

    /// The same row with an effect.
    pub const fn effect(mut self, effect: Effect) -> Operator {
        self.effect = effect;
        self
    }

    /// The same row with a rule for quantized arguments.
    pub const fn quantized(mut self, rule: Quantized) -> Operator {
        self.quantized = rule;
        self
    }

    /// The same row with what it does with plain values.
    pub const fn scalar(mut self, op: ScalarOp) -> Operator {
        self.scalar = Some(op);
        self
    }

    /// The same row, which says that these of its arguments may be any number, or any sizes.
    pub const fn with_any_number(mut self, arguments: &[u8]) -> Operator {
        let mut i = 0;
        while i < arguments.len() {
            self.any_number |= 1 << arguments[i];
            i += 1;
        }
        self
    }

    /// The same row with what it does with single elements of tensors.
    pub const fn element(mut self, op: ElementOp) -> Operator {
        self.element = Some(op);
        self
    }

    /// The same row with how the real and the imaginary part of its result follow from its arguments: two expressions
    /// whose operators stand behind their operands. `a` and `b` are the parts of the first argument, `c` and `d` of the
    /// second; one that is no complex number is `a` or `c`. `~` is the negative, `h` the hypotenuse. A result that is no
    /// complex number has no second expression.
    pub const fn in_parts(mut self, parts: &'static [&'static str; 2]) -> Operator {
        self.parts = Some(parts);
        self
    }

    /// The same row with how it is a step of a chain of elementwise operators.
    pub const fn tiled(mut self, forms: &'static [TileForm]) -> Operator {
        self.tiles = forms;
        self
    }

    /// The same row with the operator that does it and layers behind it at once.
    pub const fn joined(mut self, operator: &'static Operator) -> Operator {
        self.joined = Some(operator);
        self
    }

    /// The same row with the quick form of its kernel.
    pub const fn quick(mut self, quick: Quick) -> Operator {
        self.quick = Some(quick);
        self
    }

    /// The same row with how the kernel looks at elements.
    pub const fn elements_are(mut self, elements: Elements) -> Operator {
        self.elements = elements;
        self
    }

    /// The same row with what the sizes of results follow from.
    pub const fn sizes_are(mut self, sizes: Sizes) -> Operator {
        self.sizes = sizes;
        self
    }

    /// The same row with the function of `torch.nn.functional` that it is.
    pub const fn functional(mut self, functional: Functional) -> Operator {
        self.functional = Some(functional);
        self
    }

    /// The same row, whose result pairs what two others give.
    pub const fn pairs(mut self, first: &'static Operator, second: &'static Operator) -> Operator {
        self.pairs = Some([first, second]);
        self
    }

    /// The same row with how the reference's dispatcher sees a call.
    pub const fn dispatch(mut self, dispatch: Dispatch) -> Operator {
        self.dispatch = dispatch;
        self
    }

    /// The same row with what it has to do with the stack of script calls.
    pub const fn call_stack(mut self, call_stack: CallStack) -> Operator {
        self.call_stack = Some(call_stack);
        self
    }

    /// The same row, whose other operand may be a wrapped number.
    pub const fn wraps_numbers(mut self) -> Operator {
        self.wraps_numbers = true;
        self
    }

    /// The same row, whose list of tensors programs of a host may write as arguments.
    pub const fn variadic(mut self) -> Operator {
        self.is_variadic = true;
        self
    }

    /// The same row, which has an old form.
    pub const fn has_old_form(mut self) -> Operator {
        self.has_old_form = true;
        self
    }

    /// The same row, whose `.out` form is what a refusal of quantized tensors names.
    pub const fn refused_as_out(mut self) -> Operator {
        self.refused_as_out = true;
        self
    }

    /// The same row with the operator (`aten::_softmax.out`) that a refusal of quantized tensors names.
    pub const fn refused_as(mut self, full_name: &'static str) -> Operator {
        self.refused_as = Some(full_name);
        self
    }

    /// The same row, whose results carry no gradient.
    pub const fn detaches(mut self) -> Operator {
        self.detaches = true;
        self
    }

    /// The same row, whose result only who keeps tensors outside can make; the kernel says that there is nobody.
    pub const fn made_outside(mut self) -> Operator {
        self.is_made_outside = true;
        self.is_indirect = true;
        self
    }

    /// The same row with how what is written (here, or in the form with `out`) and what is read lie in memory.
    pub const fn apart(mut self, apart: Apart) -> Operator {
        self.apart = apart;
        self.is_indirect = self.is_indirect || writes(self.text);
        self
    }

    /// The same row with what is said of tensors for results that are of other dtypes.
    pub const fn out_dtype(mut self, rule: OutDtype) -> Operator {
        self.out_dtype = rule;
        self
    }

    /// How the kernel looks at elements: where it gives views of arguments, they inherit the marks.
    pub(crate) fn elements(&self) -> Elements {
        match self.gives_views || self.text.starts_with("prim::") {
            true => Elements::ThroughMarks,
            false => self.elements,
        }
    }

    pub(crate) fn is_made_outside(&self) -> bool {
        self.is_made_outside
    }

    /// Which argument says on which device results are made.
    pub fn device_at(&self) -> Option<usize> {
        self.device_at.map(usize::from)
    }

    pub(crate) fn defined(&self) -> Option<&Defined> {
        self.defined.as_ref()
    }

    /// Whether a program defines the operator.
    pub fn is_defined(&self) -> bool {
        self.defined.is_some()
    }

    /// Whether a result is a view of an argument.
    pub fn gives_views(&self) -> bool {
        self.gives_views
    }

    /// The schema, parsed on first use.
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| {
            Schema::parse(self.text)
                .unwrap_or_else(|e| panic!("operator row `{}` has a bad schema: {e}", self.text))
        })
    }

    /// `aten::add`, without the overload.
    pub fn name(&self) -> &'static str {
        &self.text[..usize::from(self.ends[0])]
    }

    /// `Tensor` of `aten::add.Tensor`; `-` where the overload has no name.
    pub fn overload_name(&self) -> &'static str {
        match self.full_name().get(usize::from(self.ends[0]) + 1..) {
            Some(overload) => overload,
            None => "-",
        }
    }

    /// `aten::add.Tensor`.
    pub fn full_name(&self) -> &'static str {
        &self.text[..usize::from(self.ends[1])]
    }

    /// Calls the operator: `slots` holds the `inputs` arguments in order (every one of the schema's, defaults filled
    /// in) and takes the results from its start; it must be long enough for both.
    #[inline(always)]
    pub fn call(
        &'static self,
        context: &Context,
        slots: &mut [Value],
        inputs: usize,
    ) -> Result<()> {
        self.call_from(context, slots, inputs, |_| Ok(()))
    }

    /// As [`Operator::call`]; `seen` is done first where a layer sees the call, with the arguments, and costs nothing
    /// elsewhere.
    #[inline(always)]
    pub fn call_from(
        &'static self,
        context: &Context,
        slots: &mut [Value],
        inputs: usize,
        seen: impl FnOnce(&mut [Value]) -> Result<()>,
    ) -> Result<()> {
        let layers = context.layers();
        let plain = layers == 0
            || layers == Layer::Gradient as u8
                && !self.concerns_gradients(context, &slots[..inputs]);
        if plain {
            self.run_kernel(&mut Call::new(context, slots, inputs))
        } else {
            seen(&mut slots[..inputs])?;
            self.call_observed(&mut Call::new(context, slots, inputs))
        }
    }

    /// Whether the gradient engine has to see a call: gradients are recorded, and an argument requires them or the
    /// result is a view, through which something may be written that does; or they are not, and the result is a view of
    /// what requires them.
    #[inline(always)]
    fn concerns_gradients(&self, context: &Context, inputs: &[Value]) -> bool {
        let wanted = || inputs.iter().any(Value::requires_grad);
        match context.grad_enabled() {
            true => self.gives_views || wanted(),
            false => self.gives_views && wanted(),
        }
    }

    /// The quick form of the kernel, where arguments are what kernels are made for. Nobody may be
    /// [watching](Context::is_watched).
    #[inline(always)]
    pub fn quick_form(&self) -> Option<Quick> {
        let quick = self.quick?;
        let fits = self.elements == Elements::Untouched || kinds::seen().plain_alone();
        fits.then_some(quick)
    }

    fn call_observed(&'static self, call: &mut Call<'_>) -> Result<()> {
        let context = call.context();
        if context.is_watched()
            && let Some(observer) = context.observer()
        {
            return observer.observe(self, call);
        }
        self.run_recorded(call)
    }

    /// Runs the call without watching: recorded where gradients are. For observers that only look on.
    pub fn run_recorded(&'static self, call: &mut Call<'_>) -> Result<()> {
        if let Some(made) = kept::run(self, call) {
            return made;
        }
        let context = call.context();
        match context.gradients() {
            // What a program defines sees to gradients itself.
            Some(gradients) if layer_is_on(context, Layer::Gradient) && !self.is_defined() => {
                gradients.record(self, call)
            }
            _ => self.run_kernel(call),
        }
    }

    /// Runs the kernel without watching or recording: for observers and the gradient engine.
    #[inline(always)]
    pub fn run_kernel(&self, call: &mut Call<'_>) -> Result<()> {
        let kinds = kinds::seen();
        let done = if kinds.plain_alone() && !self.is_indirect {
            (self.kernel)(call)
        } else {
            self.run_on_plain(kinds, call)
        };
        match done {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.missing_tensor(call).unwrap_or(fault)),
        }
    }

    /// What is said of a call that failed where a tensor was None.
    #[cold]
    fn missing_tensor(&self, call: &Call<'_>) -> Option<Fault> {
        let formals = self.schema().arguments.iter().zip(call.inputs());
        let missing = |(_, (formal, input)): &(usize, (&Argument, &Value))| {
            input.is_none() && matches!(formal.ty, Type::Tensor(_))
        };
        let (i, (formal, _)) = formals.enumerate().find(missing)?;
        Some(Fault::runtime(format!(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #{i} '{}'",
            formal.name
        )))
    }

    /// Runs the kernel where arguments may be quantized, have marks or no elements, and functions of programs.
    fn run_on_plain(&self, kinds: Kinds, call: &mut Call<'_>) -> Result<()> {
        if let Some(defined) = &self.defined {
            return defined.run(self, call);
        }
        if self.apart != Apart::BY_KERNEL {
            outs::check_apart(self.schema(), self.apart, call)?;
        }
        match self.outs {
            0 => self.run_by_kinds(kinds, call),
            outs => outs::watch(self, call, outs.into(), |call| {
                self.run_by_kinds(kinds, call)
            }),
        }
    }

    fn run_by_kinds(&self, kinds: Kinds, call: &mut Call<'_>) -> Result<()> {
        if let Some(made) = kept::run(self, call) {
            return made;
        }
        if (kinds.meta() || self.device_at.is_some()) && crate::meta::run(self, call)?
            || kinds.quantized() && crate::quantized::run(self, call)?
            || kinds.marked() && crate::lazy::run(self, call)?
        {
            return Ok(());
        }
        self.kernel(call)
    }

    /// Runs the kernel on exactly these arguments.
    pub(crate) fn kernel(&self, call: &mut Call<'_>) -> Result<()> {
        match self.derived {
            None => (self.kernel)(call),
            Some((origin, deliver)) => outs::run(
                call,
                self.outs.into(),
                |call| (origin.kernel)(call),
                |results, outs| {
                    outs::check_dtypes(self.out_dtype, results, outs)?;
                    deliver(results, outs)
                },
            ),
        }
    }

    /// A fault of the operator's kernel with the operator's name, where the fault is a mistake of ours.
    #[cold]
    pub fn named_in(&self, fault: Fault) -> Fault {
        if fault.class() != ErrorClass::Internal || fault.message().starts_with(self.full_name()) {
            return fault;
        }
        Fault::internal(format!("{}: {}", self.full_name(), fault.message()))
    }

    /// Calls with a vector of arguments and returns the results: the convenient, slower form of [`Operator::call`].
    pub fn call_vec(
        &'static self,
        context: &Context,
        mut arguments: Vec<Value>,
    ) -> Result<Vec<Value>> {
        let inputs = arguments.len();
        let returns = self.schema().returns.len();
        arguments.resize(inputs.max(returns), Value::None);
        context
            .supervise(|| self.call(context, &mut arguments, inputs))
            .map_err(|fault| self.named_in(fault))?;
        arguments.truncate(returns);
        Ok(arguments)
    }
}

/// Whether the results of a schema have alias sets that are only read: `-> Tensor(a)`, `-> Tensor(a)[]`.
const fn returns_alias(schema: &str) -> bool {
    let text = schema.as_bytes();
    let mut at = text.len();
    // From the end back to the arrow.
    while at >= 2 && !(text[at - 2] == b'-' && text[at - 1] == b'>') {
        at -= 1;
        let opens = text[at] == b'(' && at + 2 < text.len();
        if opens && text[at + 1] >= b'a' && text[at + 1] <= b'z' && text[at + 2] == b')' {
            return true;
        }
    }
    false
}

/// The index of the argument named `device` in a schema, where that is a device.
const fn device_at(schema: &str) -> Option<u8> {
    let text = schema.as_bytes();
    let (mut at, mut index, mut depth) = (0, 0, 0);
    while at < text.len() && !(text[at] == b'-' && text[at + 1] == b'>') {
        match text[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth == 1 && text[at - 1] != b'*' => index += 1,
            b'D' if begins(text, at, b"Device device") || begins(text, at, b"Device? device") => {
                return Some(index);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Names of operators are not longer than this.
const MOST_NAME: usize = u16::MAX as usize;

/// Where a schema's name ends, without the overload and with it.
const fn name_ends(schema: &str) -> [u16; 2] {
    let text = schema.as_bytes();
    let (mut at, mut dot) = (0, None);
    while at < text.len() && text[at] != b'(' {
        if text[at] == b'.' && dot.is_none() {
            dot = Some(at);
        }
        at += 1;
    }
    assert!(at <= MOST_NAME, "this name is too long");
    let name = match dot {
        Some(dot) => dot,
        None => at,
    };
    [name as u16, at as u16]
}

/// How many arguments behind the star are written.
const fn count_outs(schema: &str) -> u8 {
    let text = schema.as_bytes();
    let (mut at, mut count, mut behind) = (0, 0, false);
    while at + 1 < text.len() && !(text[at] == b'-' && text[at + 1] == b'>') {
        if text[at] == b'*' && text[at + 1] == b',' {
            behind = true;
        }
        if behind && text[at] == b'!' && text[at + 1] == b')' {
            count += 1;
        }
        at += 1;
    }
    count
}

/// Whether the schema says that an argument is written.
const fn writes(schema: &str) -> bool {
    let text = schema.as_bytes();
    let mut at = 0;
    while at + 1 < text.len() && !(text[at] == b'-' && text[at + 1] == b'>') {
        if text[at] == b'!' && text[at + 1] == b')' {
            return true;
        }
        at += 1;
    }
    false
}

const fn begins(text: &[u8], at: usize, with: &[u8]) -> bool {
    let mut i = 0;
    while i < with.len() {
        if at + i >= text.len() || text[at + i] != with[i] {
            return false;
        }
        i += 1;
    }
    true
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text)
    }
}

impl PartialEq for Operator {
    fn eq(&self, other: &Operator) -> bool {
        std::ptr::eq(self, other)
    }
}

/// `aten::add` of `aten::add.Tensor`.
pub fn without_overload(full_name: &str) -> &str {
    full_name
        .split_once('.')
        .map_or(full_name, |(name, _)| name)
}

type ByName = HashMap<&'static str, Vec<&'static Operator>, foldhash::fast::FixedState>;

/// All operators by name, in the order of their families, and those that programs define.
pub struct OperatorTable {
    by_name: ByName,
    defined: DefinedOperators,
    /// The built-in ones that say what they do with plain values.
    scalars: OnceLock<Vec<&'static Operator>>,
}

impl OperatorTable {
    /// The table of these families.
    pub fn new(families: &[&'static [Operator]]) -> OperatorTable {
        let most = families.iter().map(|family| family.len()).sum();
        let mut by_name = ByName::with_capacity_and_hasher(most, Default::default());
        for operator in families.iter().copied().flatten() {
            let overloads = by_name.entry(operator.name()).or_default();
            overloads.push(operator);
            overloads.extend(operator.with_out());
        }
        OperatorTable {
            by_name,
            defined: DefinedOperators::default(),
            scalars: OnceLock::new(),
        }
    }

    /// The same table with overloads in a given order: lines of an operator's name and those of its overloads, `-` for
    /// the one without a name. Overloads that the line leaves out stay behind the others.
    pub fn ordered(mut self, order: &str) -> OperatorTable {
        for line in order.lines() {
            let mut words = line.split_whitespace();
            let Some(overloads) = words.next().and_then(|name| self.by_name.get_mut(name)) else {
                continue;
            };
            let order: Vec<&str> = words.collect();
            let place = |op: &&Operator| {
                let place = order.iter().position(|o| *o == op.overload_name());
                place.unwrap_or(order.len())
            };
            rushlight_tensor::order::sort_by_key(overloads, place);
        }
        self
    }

    /// The overloads of `aten::add`, in order.
    pub fn overloads(&self, name: &str) -> &[&'static Operator] {
        match self.by_name.get(name) {
            Some(built_in) => built_in,
            None => self.defined.overloads(name),
        }
    }

    /// Defines an operator for every program of this process: a schema (`ns::name.overload(Tensor x) -> Tensor`) and the
    /// function that is called with all arguments of the schema; it gives the result, a tuple where there are several, None
    /// where there is none. Scripts, traces and archives know it from now on. Nothing is recorded for gradients but what the
    /// function itself calls.
    ///
    /// # Errors
    ///
    /// The schema cannot be read, or there is an operator of that name and overload, or a built-in one of that name.
    pub fn define(&self, schema: &str, function: Arc<dyn Callable>) -> Result<&'static Operator> {
        let operator = Operator::defined_by(schema, function)?;
        if self.by_name.contains_key(operator.name()) {
            return Err(Fault::runtime(format!(
                "{} is a built-in operator; it takes no further overloads",
                operator.name()
            )));
        }
        self.defined.add(operator)
    }

    /// Takes back what [`OperatorTable::define`] has defined; what was compiled with it fails when it gets there. Whether
    /// there was such an operator.
    pub fn take_back(&self, full_name: &str) -> bool {
        self.defined.remove(full_name)
    }

    /// The operator `aten::add.Tensor`.
    pub fn find(&self, full_name: &str) -> Option<&'static Operator> {
        let mut overloads = self.overloads(without_overload(full_name)).iter();
        overloads.find(|op| op.full_name() == full_name).copied()
    }

    /// The operator with exactly this schema text.
    pub fn find_schema(&self, text: &str) -> Option<&'static Operator> {
        let full_name = text.split_once('(').map_or(text, |(name, _)| name);
        let mut overloads = self.overloads(without_overload(full_name)).iter();
        overloads.find(|op| op.text == text).copied()
    }

    /// The operator that does this with plain values of these types and nothing else.
    pub fn of_scalars(&self, op: ScalarOp, types: &[Type]) -> Option<&'static Operator> {
        let scalars = self.scalars.get_or_init(|| {
            let rows = self.by_name.values().flatten().copied();
            rows.filter(|row| row.scalar.is_some()).collect()
        });
        // There is one of each, so that it does not matter where they are looked for first.
        let mut such = scalars.iter().filter(|row| row.scalar == Some(op));
        let fits = |row: &&&'static Operator| {
            let formals = row.schema().arguments.iter().map(|formal| &formal.ty);
            formals.eq(types)
        };
        such.find(fits).copied()
    }

    /// Every operator, sorted by schema text.
    pub fn all(&self) -> Vec<&'static Operator> {
        let mut all: Vec<&'static Operator> = self.by_name.values().flatten().copied().collect();
        all.extend(self.defined.all());
        rushlight_tensor::order::sort_by_key(&mut all, |op| op.text);
        all
    }

    /// Names known under any namespace, sorted: for suggestions.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.by_name.keys().copied().collect();
        names.extend(self.defined.all().iter().map(|op| op.name()));
        rushlight_tensor::order::sort(&mut names);
        names.dedup();
        names
    }
}

/// Whether any layer of the context is on.
pub fn layer_is_on(context: &Context, layer: Layer) -> bool {
    context.layers() & layer as u8 != 0
}

/// The fault of a result that a kernel could not deliver.
#[cold]
pub(crate) fn too_few_slots(have: usize, need: usize) -> Fault {
    Fault::internal(format!("a call of {need} results was given {have} slots"))
}

#[cfg(test)]
mod tests {
    use super::{count_outs, returns_alias};

    #[test]
    fn tensors_for_results_are_those_behind_the_star() {
        assert_eq!(
            count_outs("aten::add_(Tensor(a!) self, *, Scalar alpha=1) -> Tensor(a!)"),
            0
        );
        assert_eq!(
            count_outs("aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
            1
        );
        assert_eq!(
            count_outs(
                "aten::sort.values(Tensor self, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))"
            ),
            2
        );
    }

    #[test]
    fn views_are_told_by_the_alias_sets_of_results() {
        assert!(returns_alias("aten::t(Tensor(a) self) -> Tensor(a)"));
        assert!(returns_alias(
            "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"
        ));
        assert!(!returns_alias(
            "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
        ));
        assert!(!returns_alias("aten::relu_(Tensor(a!) self) -> Tensor(a!)"));
        assert!(!returns_alias("aten::size(Tensor self) -> int[]"));
    }
}
