//! Instructions that make values: containers and operators.

use super::program::{Called, Instruction, Op};
use super::translate::Translator;
use super::types::{is_too_large, join};
use crate::upgrade;
use rushlight_frontend::Outcome;
use rushlight_frontend::Sugared;
use rushlight_frontend::script::{Arguments, Emitter, Named};
use rushlight_ir::{Attr, NodeId, NodeKind, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::ty::{evaluate, match_type};
use rushlight_types::{Operator, Schema, Symbol, Type, Value};

/// Tuples and lists of more elements than this are not taken apart.
const MAX_ELEMENTS: usize = 10_000;

impl Translator<'_> {
    /// Containers, and what stands for an operator.
    pub(super) fn construct_or_call(
        &mut self,
        e: &mut Emitter<'_>,
        instruction: Instruction,
    ) -> Outcome<()> {
        let Instruction { op, x, n } = instruction;
        let span = self.span();
        match op {
            Op::List => {
                let (ty, items) = (self.type_entry(x)?, self.pop_many(n)?);
                let Some(element) = ty.list_element().cloned() else {
                    return Err(self.wrong(&format!("a list of type {ty}")));
                };
                let items: Vec<ValueId> = items.iter().map(|v| self.fit(e, *v, &element)).collect();
                self.make(e, Prim::ListConstruct, &items, ty);
            }
            Op::Dict => {
                let (ty, items) = (self.type_entry(x)?, self.pop_many(n)?);
                if !matches!(ty, Type::Dict(_)) || items.len() % 2 == 1 {
                    return Err(self.wrong(&format!("a dict of type {ty}")));
                }
                self.make(e, Prim::DictConstruct, &items, ty);
            }
            Op::Tuple => {
                let items = self.pop_many(x)?;
                let ty = Type::tuple(items.iter().map(|v| e.ty(*v).clone()).collect());
                if is_too_large(&ty) {
                    return Err(self.wrong("a tuple of too many parts"));
                }
                self.make(e, Prim::TupleConstruct, &items, ty);
            }
            Op::NamedTuple => {
                let (ty, items) = (self.type_entry(x)?, self.pop_many(n)?);
                let fits = matches!(&ty, Type::Tuple(t) if t.elements.len() == items.len());
                if !fits {
                    return Err(self.wrong(&format!("{} values for a {ty}", items.len())));
                }
                self.make(e, Prim::TupleConstruct, &items, ty);
            }
            Op::TupleSlice => self.tuple_slice(e, x, n)?,
            Op::TupleIndex => self.tuple_index(e)?,
            Op::ListUnpack => {
                let list = self.pop()?;
                let element = e.ty(list).list_element().cloned().unwrap_or(Type::Any);
                let count = usize::try_from(x)
                    .ok()
                    .filter(|count| *count <= MAX_ELEMENTS);
                let count = count.ok_or_else(|| self.wrong("that many elements"))?;
                let node = e.node(Prim::ListUnpack, &[list], &vec![element; count], &span);
                self.push_outputs(e, node);
            }
            Op::IsInstance => {
                let value = self.pop()?;
                let count = n.clamp(0, self.routine.types.len() as i64);
                let types = (x..x.saturating_add(count)).map(|i| self.type_entry(i));
                let types = types.collect::<Outcome<Vec<Type>>>()?;
                let node = e.node(Prim::IsInstance, &[value], &[Type::Bool], &span);
                e.set_attr(node, "types", Attr::Types(types));
                self.push_outputs(e, node);
            }
            Op::Uninitialized => self.uninitialized(e),
            Op::Operator => {
                let called = self.entry(&self.routine.operators, x, "operator")?;
                self.operator(e, called, called.given)?;
            }
            Op::OperatorOf => {
                let called = self.entry(&self.routine.operators, x, "operator")?;
                self.operator(e, called, usize::try_from(n).ok())?;
            }
            Op::ToList => self.list_of_tensor(e)?,
            Op::Format => {
                let format = Called {
                    name: "aten::format".into(),
                    given: None,
                };
                self.operator(e, &format, usize::try_from(x).ok())?;
            }
            Op::Cast => self.cast(e)?,
            other => self.stands_for(e, other)?,
        }
        Ok(())
    }

    fn make(&mut self, e: &mut Emitter<'_>, prim: Prim, inputs: &[ValueId], ty: Type) {
        let value = e.value(prim, inputs, ty, &self.span());
        self.push(value);
    }

    /// A value that only stands where one has to be; it takes the type of what it is joined with.
    fn uninitialized(&mut self, e: &mut Emitter<'_>) {
        let value = e.uninitialized(Type::None, &self.span());
        self.unset.insert(value);
        self.push(value);
    }

    fn push_outputs(&mut self, e: &Emitter<'_>, node: NodeId) {
        for &output in e.graph.node(node).outputs() {
            self.push(output);
        }
    }

    /// A tuple and the types of its elements. Where its type is not known, it has as many elements as are asked for.
    fn tuple(
        &self,
        e: &mut Emitter<'_>,
        value: ValueId,
        at_least: Option<usize>,
    ) -> Outcome<(ValueId, Vec<Type>)> {
        let known = match e.ty(value) {
            Type::Tuple(ty) => Some(ty.clone()),
            Type::Optional(inner) => match &**inner {
                Type::Tuple(ty) => Some(ty.clone()),
                _ => None,
            },
            _ => None,
        };
        match (known, at_least) {
            (Some(ty), _) => {
                let elements = ty.elements.clone();
                Ok((self.fit(e, value, &Type::Tuple(ty)), elements))
            }
            (None, Some(count)) if self.is_vague(e, value) && count <= MAX_ELEMENTS => {
                let elements = vec![Type::Any; count];
                let ty = Type::tuple(elements.clone());
                Ok((self.fit(e, value, &ty), elements))
            }
            _ => Err(self.wrong(&format!("a {} is no tuple", e.ty(value)))),
        }
    }

    fn is_vague(&self, e: &Emitter<'_>, value: ValueId) -> bool {
        // None where code cannot be reached, and a class where only the name of a NamedTuple is known.
        let ty = e.ty(value);
        matches!(ty, Type::Any | Type::None | Type::Class(_)) || self.unset.contains(&value)
    }

    fn tuple_slice(&mut self, e: &mut Emitter<'_>, begin: i64, count: i64) -> Outcome<()> {
        let tuple = self.pop()?;
        let range = usize::try_from(begin).ok().zip(usize::try_from(count).ok());
        let range = range.and_then(|(begin, count)| Some(begin..begin.checked_add(count)?));
        let (tuple, elements) = self.tuple(e, tuple, range.as_ref().map(|r| r.end))?;
        let part = range.clone().and_then(|range| elements.get(range));
        let part = part.ok_or_else(|| self.wrong("a part that the tuple does not have"))?;
        let ty = Type::tuple(part.to_vec());
        let node = e.node(Prim::TupleSlice, &[tuple], &[ty], &self.span());
        e.set_attr(node, "beg", Attr::Int(begin));
        e.set_attr(node, "end", Attr::Int(begin + count));
        self.push_outputs(e, node);
        Ok(())
    }

    fn tuple_index(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        let (index, tuple) = (self.pop()?, self.pop()?);
        let number = match e.graph.constant(index) {
            Some(Value::Int(number)) => Some(number),
            _ => None,
        };
        let wanted = number.and_then(|n| usize::try_from(n).ok()?.checked_add(1));
        let (tuple, elements) = self.tuple(e, tuple, wanted)?;
        let len = elements.len() as i64;
        let Some(number) = number else {
            // Which element it is shows at run time; they are of one type, or any.
            let ty = elements
                .iter()
                .skip(1)
                .fold(elements.first().cloned(), |so_far, ty| {
                    so_far.map(|so_far| join(&so_far, ty))
                });
            self.make(
                e,
                Prim::TupleIndex,
                &[tuple, index],
                ty.unwrap_or(Type::Any),
            );
            return Ok(());
        };
        let place = if number < 0 { number + len } else { number };
        let element = usize::try_from(place)
            .ok()
            .and_then(|place| elements.get(place).cloned());
        match element {
            Some(ty) => {
                self.make(e, Prim::TupleIndex, &[tuple, index], ty);
                Ok(())
            }
            None => Err(self.wrong("an element that the tuple does not have")),
        }
    }

    /// Operators that have an instruction of their own.
    fn stands_for(&mut self, e: &mut Emitter<'_>, op: Op) -> Outcome<()> {
        let row = STANDS_FOR.iter().find(|row| row.0 == op);
        let Some(&(_, name, count)) = row else {
            return Err(self.wrong(&format!("{op:?} stands where it has no meaning")));
        };
        let inputs = self.pop_many(count)?;
        if let Some(operator) = e.table().overloads(name).first()
            && e.table().overloads(name).len() == 1
        {
            let inputs = self.fit_all(e, operator.schema(), &inputs);
            return self.emit(e, operator, &inputs);
        }
        let value = e.builtin(name, &inputs, &self.span())?;
        self.push(value);
        Ok(())
    }

    /// `tensor.tolist()`: how deep the lists are and what is in them are constants.
    fn list_of_tensor(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        let inputs = self.pop_many(3)?;
        let number = |i: usize| e.graph.constant(inputs[i]).and_then(|v| v.as_int().ok());
        let element = number(2).and_then(|kind| match kind {
            0 => Some(Type::Int),
            1 => Some(Type::Float),
            2 => Some(Type::Complex),
            3 => Some(Type::Bool),
            _ => None,
        });
        let (Some(depth), Some(element)) = (number(1).filter(|d| (0..=64).contains(d)), element)
        else {
            return Err(self.wrong("a list of elements of an unknown type"));
        };
        let ty = (0..depth).fold(element, |inner, _| Type::list(inner));
        let Some(operator) = e.table().find("prim::tolist") else {
            return Err(self.wrong("this build cannot make lists of tensors"));
        };
        let node = e.node(operator, &inputs, &[ty], &self.span());
        self.push_outputs(e, node);
        Ok(())
    }

    // Operators.

    pub(super) fn operator(
        &mut self,
        e: &mut Emitter<'_>,
        called: &Called,
        given: Option<usize>,
    ) -> Outcome<()> {
        match called.name.as_str() {
            "prim::unchecked_cast" => return self.cast(e),
            "prim::TupleUnpack" => return self.tuple_unpack(e),
            "prim::tolist" => return self.list_of_tensor(e),
            "prim::RaiseException" => return self.raise(e),
            "prim::EnumName" => return self.name_of_member(e),
            "prim::Uninitialized" => {
                self.uninitialized(e);
                return Ok(());
            }
            _ => {}
        }
        match e.table().find(&called.name) {
            Some(operator) => self.known(e, operator, given),
            None => self.unknown(e, called, given),
        }
    }

    /// Version 7 counts one argument where the code gives two, so the count says nothing.
    fn raise(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        if self.height() > 1 {
            return self.stands_for(e, Op::Raise);
        }
        let none = e.none(&self.span());
        self.push(none);
        self.stands_for(e, Op::Raise)
    }

    /// Bytecode keeps the values of enums, but not what the members are called: code that asks fails when it is reached.
    fn name_of_member(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        let _ = self.pop()?;
        let span = self.span();
        for text in [
            "this file does not say what the members of its enums are called",
            "builtins.RuntimeError",
        ] {
            let text = e.constant(Value::str(text), &span);
            self.push(text);
        }
        self.stands_for(e, Op::Raise)?;
        let name = e.uninitialized(Type::Str, &span);
        self.push(name);
        Ok(())
    }

    fn tuple_unpack(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        let tuple = self.pop()?;
        // How many there are is seen from where they go.
        let stored = self.following().filter(|next| next.op == Op::StoreAll);
        let count = stored.and_then(|next| usize::try_from(next.n).ok());
        let (tuple, elements) = self.tuple(e, tuple, count)?;
        let node = e.node(Prim::TupleUnpack, &[tuple], &elements, &self.span());
        self.push_outputs(e, node);
        Ok(())
    }

    /// A cast whose type is not written down: what may be None is not.
    fn cast(&mut self, e: &mut Emitter<'_>) -> Outcome<()> {
        let value = self.pop()?;
        let value = match e.ty(value).clone() {
            Type::Optional(inner) => self.fit(e, value, &inner),
            _ => value,
        };
        self.push(value);
        Ok(())
    }

    fn known(
        &mut self,
        e: &mut Emitter<'_>,
        operator: &'static Operator,
        given: Option<usize>,
    ) -> Outcome<()> {
        let schema = operator.schema();
        if schema.varargs {
            let count = given.ok_or_else(|| self.wrong("how many arguments is not said"))?;
            let inputs = self.pop_many(count as i64)?;
            return self.emit(e, operator, &inputs);
        }
        let (mut inputs, written) = self.given(schema, given)?;
        if let Some(upgrade) = upgrade::find(operator.name(), self.version) {
            let span = self.span();
            let arguments = named(schema, &inputs, &written, &span);
            let result = upgrade(e, operator.name(), &arguments, &span)?;
            let value = result.as_value(e, &span)?;
            self.push(value);
            return Ok(());
        }
        for argument in &schema.arguments[inputs.len()..schema.arguments.len() - written.len()] {
            let Some(default) = argument.default.clone() else {
                let name = &argument.name;
                return Err(self.wrong(&format!("{} needs {name}", schema.full_name())));
            };
            inputs.push(e.constant(default, &self.span()));
        }
        inputs.extend(written);
        let inputs = self.fit_all(e, schema, &inputs);
        self.emit(e, operator, &inputs)
    }

    /// The arguments that the code gives: the first ones, and those that results are written to.
    fn given(
        &mut self,
        schema: &Schema,
        given: Option<usize>,
    ) -> Outcome<(Vec<ValueId>, Vec<ValueId>)> {
        let all = schema.arguments.len();
        let outputs = written_count(schema);
        let given = given.unwrap_or(all);
        if given > all || given < outputs {
            return Err(self.wrong(&format!("{} takes {all} arguments", schema.full_name())));
        }
        let written = self.pop_many(outputs as i64)?;
        let inputs = self.pop_many((given - outputs) as i64)?;
        Ok((inputs, written))
    }

    /// Casts what is not known to be what a schema asks for.
    fn fit_all(&self, e: &mut Emitter<'_>, schema: &Schema, inputs: &[ValueId]) -> Vec<ValueId> {
        let fit = |(i, value): (usize, &ValueId)| match schema.arguments.get(i) {
            Some(argument) if !argument.ty.has_variables() => self.fit(e, *value, &argument.ty),
            _ => *value,
        };
        inputs.iter().enumerate().map(fit).collect()
    }

    fn emit(
        &mut self,
        e: &mut Emitter<'_>,
        operator: &'static Operator,
        inputs: &[ValueId],
    ) -> Outcome<()> {
        let schema = operator.schema();
        let mut bindings = Default::default();
        for (argument, input) in schema.arguments.iter().zip(inputs) {
            // What does not match is bound by nothing, and so becomes Any.
            let _ = match_type(&argument.ty, e.ty(*input), &mut bindings);
        }
        let returns = schema.returns.iter();
        let outputs: Vec<Type> = returns
            .map(|r| evaluate(&r.ty, &bindings).unwrap_or(Type::Any))
            .collect();
        let node = e.node(operator, inputs, &outputs, &self.span());
        self.push_outputs(e, node);
        Ok(())
    }

    /// An operator that this build lacks: the code fails where it is reached.
    fn unknown(
        &mut self,
        e: &mut Emitter<'_>,
        called: &Called,
        given: Option<usize>,
    ) -> Outcome<()> {
        let Some(count) = given else {
            let name = &called.name;
            return Err(self.wrong(&format!("the operator {name} is not supported")));
        };
        let inputs = self.pop_many(count as i64)?;
        let kind = NodeKind::Unknown(Symbol::new(&called.name));
        let node = e.node(kind, &inputs, &[Type::TENSOR], &self.span());
        self.push_outputs(e, node);
        Ok(())
    }
}

/// (instruction, operator, operands).
const STANDS_FOR: &[(Op, &str, i64)] = &[
    (Op::DictIndex, "aten::__getitem__", 2),
    (Op::Contains, "aten::__contains__", 2),
    (Op::Is, "aten::__is__", 2),
    (Op::IsNot, "aten::__isnot__", 2),
    (Op::NumToTensor, "prim::NumToTensor", 1),
    (Op::Raise, "prim::RaiseException", 2),
    (Op::Warn, "aten::warn", 2),
    (Op::Not, "aten::__not__", 1),
    (Op::Device, "prim::device", 1),
    (Op::DType, "prim::dtype", 1),
    (Op::Dim, "aten::dim", 1),
    (Op::IsCuda, "prim::is_cuda", 1),
];

/// How many arguments at the end are there to be written to.
fn written_count(schema: &Schema) -> usize {
    let arguments = schema.arguments.iter().rev();
    arguments
        .take_while(|argument| argument.kwarg_only && argument.is_written())
        .count()
}

/// The arguments as source would give them: by position as far as the schema allows it, then by name.
fn named(schema: &Schema, inputs: &[ValueId], written: &[ValueId], span: &Span) -> Arguments {
    let mut arguments = Arguments::default();
    let last = &schema.arguments[schema.arguments.len() - written.len()..];
    let first = schema.arguments.iter().zip(inputs);
    for (argument, input) in first.chain(last.iter().zip(written)) {
        let value = Sugared::Value(*input);
        match argument.kwarg_only {
            false => arguments.positional.push((value, span.clone())),
            true => arguments.keywords.push(Named {
                name: argument.name.clone(),
                value,
                span: span.clone(),
            }),
        }
    }
    arguments
}
