//! Calls that fit no overload of an operator: which signature they were meant for, and what is wrong with them.
//!
//! A signature is what a Python program may write: an overload without the receiver of a method, joined with the one that
//! takes `out`. Where only one signature can be meant, the error names the argument; otherwise it lists the signatures.
//! Nothing here runs unless a call has failed.

mod misfit;
mod parameters;

use crate::binding::{Arguments, accepts, takes_tensors};
use crate::convert::shown_type;
use crate::errors;
use crate::overloads::base_name;
use parameters::{Parameter, Signature, is_out, out_parameter, parameter, signatures};
use pyo3::PyErr;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString, PyTuple};
use rushlight::tensor::Device;
use rushlight::types::{Argument, Operator, Schema, Type};

/// The error for a call that fits no overload.
pub fn refusal(arguments: &Arguments<'_, '_>) -> PyErr {
    if let Some(error) = no_device(arguments) {
        return error;
    }
    let call = Refused {
        arguments,
        name: base_name(arguments.overloads.name),
        positional: &arguments.positional[usize::from(arguments.is_method)..],
    };
    PyTypeError::new_err(call.message())
}

/// What is said at the first call in an old form.
pub fn deprecation(arguments: &Arguments<'_, '_>, old: &Schema) -> String {
    let name = base_name(arguments.overloads.name);
    let own = old.arguments[usize::from(arguments.is_method)..].iter();
    let mut parameters: Vec<Parameter<'_>> = own.filter(|a| !is_out(a)).map(parameter).collect();
    let mut formals = arguments
        .overloads
        .rows()
        .iter()
        .flat_map(|row| &row.schema().arguments);
    let out = formals.find(|formal| is_out(formal));
    parameters.extend(out.filter(|_| !arguments.is_method).map(out_parameter));
    let mut text = format!(
        "This overload of {name} is deprecated:\n\t{name}{}\nConsider using one of the following signatures instead:",
        Signature { parameters }
    );
    for signature in signatures(arguments) {
        text.push_str(&format!("\n\t{name}{signature}"));
    }
    text
}

/// The error for a text that no device has the name of, where a device is asked for.
fn no_device(arguments: &Arguments<'_, '_>) -> Option<PyErr> {
    let mut named = arguments.named.iter();
    let by_name = named.find(|(name, _)| name.to_str().is_ok_and(|n| n == "device"));
    let is_device = |place: usize| {
        let takes = |row: &&'static Operator| {
            let formal = row.schema().arguments.get(place);
            formal.is_some_and(|formal| match &formal.ty {
                Type::Optional(inner) => **inner == Type::Device,
                other => *other == Type::Device,
            })
        };
        arguments.overloads.rows().iter().any(takes)
    };
    let mut placed = arguments.positional.iter().enumerate();
    let value = match by_name {
        Some((_, value)) => value,
        None => {
            placed
                .find(|(i, value)| value.is_instance_of::<PyString>() && is_device(*i))?
                .1
        }
    };
    let text: String = value.cast::<PyString>().ok()?.extract().ok()?;
    Device::parse(&text).err().map(errors::fault)
}

/// What is wrong with a call of a signature.
enum Complaint {
    /// The signature is not meant.
    Misfit(String),
    /// The signature is meant, as far as lists are looked into: their later elements do not do.
    Unpacked(String),
    /// The call ends here, whatever other signatures would say.
    Thrown(String),
}

impl Complaint {
    fn into_text(self) -> String {
        match self {
            Complaint::Misfit(text) | Complaint::Unpacked(text) | Complaint::Thrown(text) => text,
        }
    }
}

struct Refused<'a, 'py> {
    arguments: &'a Arguments<'a, 'py>,
    name: &'static str,
    positional: &'a [Bound<'py, PyAny>],
}

impl<'py> Refused<'_, 'py> {
    fn message(&self) -> String {
        let signatures = signatures(self.arguments);
        // Sizes that stand one by one are looked at only once the first has settled what is meant.
        let spread = signatures.iter().filter(|s| self.is_spread(s));
        if let Some(text) = spread
            .filter_map(|s| self.unpacked(&s.parameters[0], self.positional))
            .next()
        {
            return text;
        }
        if let [only] = signatures.as_slice()
            && self.takes_nothing(only)
            && !self.arguments.named.is_empty()
        {
            return format!("TensorBase.{}() takes no keyword arguments", self.name);
        }
        if self.is_variadic()
            && let Some(text) = self.known_to_none(&signatures)
        {
            return text;
        }
        if let Some(text) = signatures.iter().find_map(|s| self.decided(s)) {
            return text;
        }
        let old_form = self.arguments.overloads.any(|row| row.has_old_form);
        let meant = match signatures.as_slice() {
            [only] if !old_form => Some(only),
            all => {
                let count = self.positional.len() + self.arguments.named.len();
                let mut plausible = all.iter().filter(|s| s.may_take(count));
                plausible.next().filter(|_| plausible.next().is_none())
            }
        };
        meant
            .and_then(|signature| self.complaint(signature))
            .map_or_else(|| self.listing(&signatures), Complaint::into_text)
    }

    /// The complaint about a name that no signature has.
    fn known_to_none(&self, signatures: &[Signature<'_>]) -> Option<String> {
        let mut names = self
            .arguments
            .named
            .iter()
            .map(|(name, _)| name.to_string());
        let knows = |name: &str| {
            let mut parameters = signatures.iter().flat_map(|s| &s.parameters);
            parameters.any(|p| p.is_called(name) && !takes_tensors(p.formal))
        };
        let unknown = names.find(|name| !knows(name))?;
        Some(format!(
            "{}() got an unexpected keyword argument '{unknown}'",
            self.name
        ))
    }

    /// What a signature says that no other is asked after.
    fn decided(&self, signature: &Signature<'_>) -> Option<String> {
        match self.complaint(signature)? {
            Complaint::Misfit(_) => None,
            said => Some(said.into_text()),
        }
    }

    fn is_variadic(&self) -> bool {
        !self.arguments.by_schema && self.arguments.overloads.any(|row| row.is_variadic)
    }

    fn takes_nothing(&self, signature: &Signature<'_>) -> bool {
        signature.parameters.is_empty() && self.arguments.is_method
    }

    /// What is wrong with a call that means a signature; `None` when nothing shows.
    fn complaint(&self, signature: &Signature<'_>) -> Option<Complaint> {
        let most = signature.positional();
        let mut given = 0;
        let mut used = 0;
        let mut unpacked = None;
        let spread = self.is_spread(signature);
        let variadic = self.variadic(signature);
        if self.positional.len() > most && !spread && variadic.is_none() {
            return Some(Complaint::Misfit(self.too_many(signature)));
        }
        for (i, parameter) in signature.parameters.iter().enumerate() {
            let mut complaint = None;
            if given < self.positional.len() && !parameter.keyword_only {
                let rest = &self.positional[given..];
                if spread && i == 0 {
                    complaint = self.unpacked(parameter, rest).map(Complaint::Unpacked);
                    given = self.positional.len();
                } else if variadic == Some(i) {
                    complaint = self.no_tensor(parameter, rest, i);
                    given = self.positional.len();
                } else {
                    given += 1;
                    let place = format!(" (position {given})");
                    complaint = self.mismatch(parameter, &rest[0], i, &place);
                }
            } else if let Some(object) = self.named(parameter) {
                used += 1;
                complaint = self.mismatch(parameter, object, i, "");
            } else if parameter.default.is_none() {
                complaint = Some(Complaint::Misfit(self.missing(signature, given)));
            }
            match complaint {
                Some(Complaint::Unpacked(text)) => unpacked = unpacked.or(Some(text)),
                Some(other) => return Some(other),
                None => {}
            }
        }
        if used == self.arguments.named.len() {
            return unpacked.map(Complaint::Unpacked);
        }
        Some(Complaint::Misfit(self.misnamed(signature, given.min(most))))
    }

    /// What is wrong with the names of arguments, of which some are not those of parameters that are still free.
    fn misnamed(&self, signature: &Signature<'_>, given: usize) -> String {
        let name = self.name;
        let mut names = self.arguments.named.iter().map(|(n, _)| n.to_string());
        let unknown = names.find(|n| !signature.parameters.iter().any(|p| p.name == n));
        if let Some(keyword) = unknown {
            return format!("{name}() got an unexpected keyword argument '{keyword}'");
        }
        let mut placed = signature.parameters[..given].iter();
        let twice = placed.find(|p| self.named(p).is_some());
        let twice = twice.map_or("", |p| p.name);
        format!("{name}() got multiple values for argument '{twice}'")
    }

    /// The parameter whose tensors a call may give one by one.
    fn variadic(&self, signature: &Signature<'_>) -> Option<usize> {
        if !self.is_variadic() {
            return None;
        }
        let mut parameters = signature.parameters.iter();
        parameters.position(|p| p.kind == "tuple of Tensors")
    }

    fn named(&self, parameter: &Parameter<'_>) -> Option<&Bound<'py, PyAny>> {
        let named = self.arguments.named.iter();
        named
            .filter(|(name, _)| name.to_str().is_ok_and(|n| parameter.is_called(n)))
            .map(|(_, value)| value)
            .next()
    }

    /// Whether the positional arguments are the elements of the first parameter, a list of sizes.
    fn is_spread(&self, signature: &Signature<'_>) -> bool {
        let first = signature.parameters.first();
        first.is_some_and(|p| p.kind == "tuple of ints" && p.formal.list_size.is_none())
            && signature.positional() == 1
            && self.positional.first().is_some_and(|o| self.is_size(o))
    }

    fn is_size(&self, object: &Bound<'_, PyAny>) -> bool {
        accepts(object, &Argument::new("", Type::Int), true)
    }

    fn too_many(&self, signature: &Signature<'_>) -> String {
        let (name, count) = (self.name, self.positional.len());
        if self.takes_nothing(signature) {
            return format!("TensorBase.{name}() takes no arguments ({count} given)");
        }
        let (least, most) = (signature.required(), signature.positional());
        let were = match count {
            1 if least == most => "was",
            _ => "were",
        };
        let takes = match least == most {
            true => format!(
                "{most} positional argument{}",
                if most == 1 { "" } else { "s" }
            ),
            false => format!("from {least} to {most} positional arguments"),
        };
        format!("{name}() takes {takes} but {count} {were} given")
    }

    fn missing(&self, signature: &Signature<'_>, given: usize) -> String {
        // Those that follow and are given by name count as missing, too.
        let first = signature
            .parameters
            .iter()
            .enumerate()
            .position(|(i, p)| i >= given && p.default.is_none() && self.named(p).is_none());
        let rest = &signature.parameters[first.unwrap_or(given)..];
        let absent = rest.iter().filter(|p| p.default.is_none());
        let names: Vec<String> = absent.map(|p| format!("\"{}\"", p.name)).collect();
        // The plural stands where there is one, as in the reference.
        let plural = if names.len() == 1 { "s" } else { "" };
        format!(
            "{}() missing {} required positional argument{plural}: {}",
            self.name,
            names.len(),
            names.join(", ")
        )
    }

    /// What is wrong with one argument; `at` is the place of its parameter.
    fn mismatch(
        &self,
        parameter: &Parameter<'_>,
        object: &Bound<'_, PyAny>,
        at: usize,
        place: &str,
    ) -> Option<Complaint> {
        let (name, argument, kind) = (self.name, parameter.name, parameter.kind);
        if self.takes(parameter, object) {
            return None;
        }
        let items = elements(object).filter(|items| !items.is_empty());
        let Some(items) = items.filter(|_| kind.starts_with("tuple of")) else {
            let shown = shown_type(object);
            return Some(Complaint::Misfit(format!(
                "{name}(): argument '{argument}'{place} must be {kind}, not {shown}"
            )));
        };
        if kind == "tuple of Tensors" {
            return self.no_tensor(parameter, &items, at);
        }
        if !self.is_element(parameter, &items[0]) {
            let shown = shown_type(&items[0]);
            return Some(Complaint::Misfit(format!(
                "{name}(): argument '{argument}'{place} must be {kind}, but found element of type {shown} at pos 0"
            )));
        }
        self.unpacked(parameter, &items).map(Complaint::Unpacked)
    }

    /// The first of what should be tensors that is none.
    fn no_tensor(
        &self,
        parameter: &Parameter<'_>,
        items: &[Bound<'_, PyAny>],
        at: usize,
    ) -> Option<Complaint> {
        let wrong = items.iter().position(|o| !self.is_element(parameter, o))?;
        let shown = shown_type(&items[wrong]);
        Some(Complaint::Thrown(format!(
            "expected Tensor as element {wrong} in argument {at}, but got {shown}"
        )))
    }

    /// What is wrong with a later element of a list.
    fn unpacked(&self, parameter: &Parameter<'_>, items: &[Bound<'_, PyAny>]) -> Option<String> {
        // Of bools among integers only the first is one too many.
        let is_later_bool = |i: usize, o: &Bound<'_, PyAny>| i > 0 && o.is_instance_of::<PyBool>();
        let mut places = items.iter().enumerate();
        let wrong =
            places.position(|(i, o)| !is_later_bool(i, o) && !self.is_element(parameter, o))?;
        Some(format!(
            "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be {},but got {}\"",
            self.name,
            parameter.name,
            wrong + 1,
            parameter.kind,
            shown_type(&items[wrong])
        ))
    }

    fn is_element(&self, parameter: &Parameter<'_>, object: &Bound<'_, PyAny>) -> bool {
        let element = match parameter.kind {
            "tuple of ints" => Type::Int,
            "tuple of floats" => Type::Float,
            "tuple of bools" => Type::Bool,
            "tuple of Tensors" => match parameter.formal.ty.list_element() {
                Some(element) => element.clone(),
                None => Type::TENSOR,
            },
            _ => return true,
        };
        accepts(object, &Argument::new("", element), false)
    }

    fn takes(&self, parameter: &Parameter<'_>, object: &Bound<'_, PyAny>) -> bool {
        // Several results go into as many tensors.
        if parameter.kind == "tuple of Tensors" && parameter.formal.ty.is_tensor() {
            let items = elements(object).filter(|items| !items.is_empty());
            let is_tensor = |o: &Bound<'_, PyAny>| accepts(o, parameter.formal, false);
            return object.is_none() || items.is_some_and(|items| items.iter().all(is_tensor));
        }
        let numbers = self.arguments.overloads.take_numbers();
        accepts(
            object,
            parameter.formal,
            numbers || parameter.kind != "Tensor",
        )
    }
}

/// The elements of a list or tuple.
fn elements<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let sequence = object.cast::<PyTuple>().is_ok() || object.cast::<PyList>().is_ok();
    sequence.then(|| object.try_iter().ok().map(|i| i.flatten().collect()))?
}
