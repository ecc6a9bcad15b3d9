//! Variables and names: what reads and assigns them.

use super::environment::{Bound, Variable, is_of_program};
use super::{Emitter, nearest_name, recover, ssa};
use crate::error::problem;
use crate::{Outcome, Sugared};
use rushlight_ir::{Attr, ValueId};
use rushlight_syntax::Span;
use rushlight_types::Type;
use std::sync::Arc;

impl Emitter<'_> {
    /// Reads a variable.
    pub(crate) fn load(&mut self, name: &Arc<str>, variable: &Variable) -> ValueId {
        let node = ssa::load(&mut self.graph, name, variable.ty.clone());
        self.graph.append(self.block, node);
        let value = self.graph.node(node).outputs()[0];
        if is_of_program(name) {
            self.name_value(value, name);
        }
        if variable.inferred {
            self.inferred.insert(value);
        }
        value
    }

    /// Assigns a variable and binds its name.
    pub(crate) fn store(&mut self, name: &Arc<str>, value: ValueId, variable: Variable) {
        self.write(name, value, &variable.ty);
        self.env.bind(name, Bound::Variable(variable));
    }

    /// Assigns a variable, whatever its name stands for here.
    pub(crate) fn write(&mut self, name: &Arc<str>, value: ValueId, declared: &Type) {
        let node = ssa::store(&mut self.graph, name, value);
        if self.ty(value) != declared {
            self.graph
                .set_attr(node, "type", Attr::Type(declared.clone()));
        }
        self.graph.append(self.block, node);
    }

    /// The value of a variable or of a name outside.
    pub fn name(&mut self, name: &Arc<str>, span: &Span) -> Outcome<Sugared> {
        match self.name_opt(name, span)? {
            Some(value) => Ok(value),
            None => Err(self.undefined(name, span)),
        }
    }

    /// As [`Emitter::name`]; `None` for names that are not defined at all.
    pub fn name_opt(&mut self, name: &Arc<str>, span: &Span) -> Outcome<Option<Sugared>> {
        let unusable = match self.env.find(name).cloned() {
            Some(Bound::Variable(variable)) => {
                return Ok(Some(Sugared::Value(self.load(name, &variable))));
            }
            Some(Bound::Fixed(value)) => return Ok(Some(value)),
            Some(Bound::Unusable { why, .. }) if recover::is_lost(&why) => {
                return Err(recover::follows(span));
            }
            Some(Bound::Unusable { why, behind, .. }) => Some(match behind {
                Some(at) => Box::new(
                    problem("undefined-name", format!("\n{why}"), &at)
                        .note("and was used here", Some(span)),
                ),
                None => problem("undefined-name", why.to_string(), span),
            }),
            None => None,
        };
        // As in the reference, a variable that not every way here has set leaves the name to what it means outside; a check
        // tells of it.
        if unusable.is_none() || !self.compiler.is_checking() {
            let outside = self.name_outside(name, span)?;
            if outside.is_some() {
                return Ok(outside);
            }
        }
        if let Some(problem) = unusable {
            return Err(problem);
        }
        if let Some(missing) = crate::sugared::globals::missing(name, span) {
            return Err(missing);
        }
        let resolver = self.resolver.clone();
        resolver.host_name(self, name, span)
    }

    /// What a name stands for that is no variable: a definition of the program wins over the language's own name.
    fn name_outside(&mut self, name: &Arc<str>, span: &Span) -> Outcome<Option<Sugared>> {
        let resolver = self.resolver.clone();
        let found = resolver.lookup(self, name, span)?;
        Ok(found.or_else(|| crate::sugared::globals::language_name(name)))
    }

    fn undefined(&self, name: &str, span: &Span) -> crate::Problem {
        // A function that its own decorator compiles has no name outside yet.
        let own = self.compiler.unit.function(&self.function.name);
        if let Some(own) = own.filter(|own| own.class.is_none() && own.basename() == name) {
            return problem("recursion", super::compiler::recursion(&own), span);
        }
        let mut diagnostic = problem("undefined-name", format!("undefined value {name}"), span);
        let names = self.env.names();
        let of_program = names.iter().map(|n| &**n).filter(|n| is_of_program(n));
        if let Some(near) = nearest_name(name, of_program) {
            let hint = format!("a variable with a similar name exists: `{near}`");
            *diagnostic = diagnostic.replace(hint, near);
        } else if self.compiler.is_checking()
            && let Some(near) = self.near_outside(name)
        {
            *diagnostic = diagnostic.replace(format!("did you mean `{near}`?"), near);
        }
        diagnostic
    }

    /// What somebody may have meant by a name that is no variable: an attribute of the object whose method this is, or a name
    /// of Python's.
    fn near_outside(&self, name: &str) -> Option<String> {
        if let Some(Type::Class(class)) = self.env.find("self").and_then(Bound::held_type)
            && (class.attribute(name).is_some() || class.method(name).is_some())
        {
            return Some(format!("self.{name}"));
        }
        // Of short names any two are near.
        let long = |name: &&str| name.len() >= 5;
        let known = crate::sugared::globals::names().filter(long);
        nearest_name(name, known)
            .filter(|_| long(&name))
            .map(str::to_string)
    }

    /// Assigns a variable, checking the type that it had before.
    pub fn assign(
        &mut self,
        name: &Arc<str>,
        value: Sugared,
        annotation: Option<Type>,
        span: &Span,
    ) -> Outcome<()> {
        let outer = self.env.find_outside(name).cloned();
        // A name that only one branch has bound is free again.
        let is_taken = !matches!(outer, None | Some(Bound::Unusable { .. }));
        if annotation.is_some() && is_taken {
            return Err(problem(
                "assignment-type",
                format!(
                    "Attempting to declare and annotate the type of variable '{name}' but it is already defined in an outer block"
                ),
                span,
            ));
        }
        // What is known while compiling is a value like any other once a variable holds it.
        let value = match value.static_bool() {
            Some(_) => Sugared::Value(value.as_value(self, span)?),
            None => value,
        };
        let Sugared::Value(mut id) = value else {
            return self.assign_special(name, value, annotation, outer.as_ref(), span);
        };
        // A variable has its type: only `[]` itself takes any.
        let is_open = self.is_empty_list(id);
        self.empty_lists.retain(|list| *list != id);
        let given = self.ty(id).clone();
        if let Some(wanted) = &annotation {
            let converted = super::convert::implicitly(self, id, wanted, false, span);
            if !self.ty(converted).is_subtype_of(wanted) {
                let mark = self.inferred_mark(id);
                return Err(problem(
                    "assignment-type",
                    format!(
                        "Variable '{name}' is annotated with type {} but is being assigned to a value of type {}{mark}",
                        wanted.message_form(),
                        given.message_form()
                    ),
                    span,
                ));
            }
            id = converted;
        }
        // A tensor assigned to a number's variable becomes a number; the name stays with the tensor.
        self.name_assigned(id, name);
        let mut ty = annotation.unwrap_or(given);
        if let Some(Bound::Fixed(Sugared::Special(_))) = &outer {
            return Err(self.no_variable(name, id, span));
        }
        if let Some(before) = outer.as_ref().and_then(Bound::held_type) {
            if matches!(before, Type::Class(class) if class.is_module()) {
                return Err(self.no_variable(name, id, span));
            }
            self.compare_outer(name, outer.as_ref());
            let wanted = match before {
                Type::Optional(inner) => inner,
                other => other,
            };
            // Of `[]` a list is made that the outer variable can hold; the name stays with `[]`.
            if let Some(element) = wanted.list_element().filter(|_| is_open) {
                id = self.list(element.clone(), &[], span);
            }
            let converted = super::convert::implicitly(self, id, before, true, span);
            if !self.ty(converted).is_subtype_of(before) {
                let is_inferred = outer
                    .as_ref()
                    .and_then(Bound::variable)
                    .is_some_and(|variable| variable.inferred);
                return Err(self.retyped(name, before, is_inferred, id, span));
            }
            id = converted;
            ty = self.ty(id).clone();
        }
        self.note_type(span, &ty);
        let variable = Variable {
            inferred: self.inferred.contains(&id),
            ..Variable::assigned(ty)
        };
        self.store(name, id, variable);
        Ok(())
    }

    /// The problem of assigning a value to a name that stands for something else outside.
    fn no_variable(&self, name: &str, value: ValueId, span: &Span) -> crate::Problem {
        let message = format!(
            "Cannot re-assign '{name}' because it has type value of type '{}' and {name} is not a first-class value.  Only reassignments to first-class values are allowed",
            self.ty(value).message_form()
        );
        problem("assignment-kind", message, span)
    }

    /// Binds a name to something that is no simple value.
    fn assign_special(
        &mut self,
        name: &Arc<str>,
        value: Sugared,
        annotation: Option<Type>,
        outer: Option<&Bound>,
        span: &Span,
    ) -> Outcome<()> {
        let is_defined = match outer {
            Some(Bound::Unusable { declared, .. }) => declared.is_some(),
            other => other.is_some(),
        };
        if is_defined {
            // Only simple values can be merged at the end of a block.
            if let Ok(id) = value.as_value(self, span)
                && !matches!(self.ty(id), Type::Class(class) if class.is_module())
            {
                return self.assign(name, Sugared::Value(id), annotation, span);
            }
            return Err(problem(
                "assignment-kind",
                format!(
                    "Cannot re-assign '{name}' to a value of type {} because {name} is not a first-class value.  Only reassignments to first-class values are allowed",
                    value.describe(self)
                ),
                span,
            ));
        }
        self.env.bind(name, Bound::Fixed(value));
        Ok(())
    }

    /// A value made in this block takes the name of the first variable that it is assigned to.
    pub(crate) fn name_assigned(&mut self, value: ValueId, name: &str) {
        let source = self.graph.value(value).node();
        if self.graph.value(value).name.is_none()
            && self.graph.node(source).block() == Some(self.block)
            && is_of_program(name)
        {
            self.name_value(value, name);
        }
    }

    /// Assigning a variable of an outer block reads it, to compare the types.
    pub(crate) fn compare_outer(&mut self, name: &Arc<str>, outer: Option<&Bound>) {
        if let Some(variable) = outer.and_then(Bound::variable) {
            self.load(name, &variable.clone());
        }
    }

    fn retyped(
        &self,
        name: &str,
        before: &Type,
        was_inferred: bool,
        value: ValueId,
        span: &Span,
    ) -> crate::Problem {
        let now = self.ty(value);
        let earlier = if was_inferred { " (inferred)" } else { "" };
        let mark = self.inferred_mark(value);
        let mut message = format!(
            "Variable '{name}' previously had type {before}{earlier} but is now being assigned to a value of type {now}{mark}\n"
        );
        if let (Type::List(_), Type::List(_)) = (before, now) {
            message.push_str("Empty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)\n");
        }
        problem("assignment-type", message, span)
    }
}
