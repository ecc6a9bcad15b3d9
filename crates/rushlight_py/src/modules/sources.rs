//! Methods of module types as the compiler reads them.

use super::concrete::Concrete;
use super::value::ModuleValue;
use crate::definition::{defaults_of, parse_def, scope_of};
use crate::scope::PyResolver;
use crate::{errors, state};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::frontend::script::FunctionSource;
use rushlight::frontend::{Resolver, Sugared};
use rushlight::ir::{Function, ValueId};
use rushlight::syntax::tree::Def;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Names as the methods of a module see them: `self` is the module, the rest is the function's own scope.
pub struct MethodScope {
    pub scope: PyResolver,
    pub concrete: Rc<Concrete>,
    /// Whether the methods are those of a text.
    pub is_text: bool,
}

impl Resolver for MethodScope {
    fn outer(&self) -> Option<&dyn Resolver> {
        Some(&self.scope)
    }

    fn has_keyword_defaults(&self) -> bool {
        self.is_text
    }

    fn parameter(&self, index: usize, value: ValueId) -> Option<Sugared> {
        (index == 0).then(|| {
            Sugared::special(ModuleValue {
                value,
                concrete: self.concrete.clone(),
            })
        })
    }
}

/// Parsed definitions by the address of what they belong to, which is kept so that the address stays taken.
type Parsed = HashMap<usize, (Py<PyAny>, Rc<Def>)>;

thread_local! {
    /// The parsed definitions of Python functions, which many types share.
    static PARSED: RefCell<Parsed> = RefCell::default();
}

/// The definition of a described function, parsed once.
fn parsed(info: &Bound<'_, PyDict>) -> PyResult<Rc<Def>> {
    let key = info.get_item("key")?;
    let address = key.as_ref().map_or(0, |k| k.as_ptr() as usize);
    let is_observed = info
        .get_item("observed")?
        .is_some_and(|o| o.len().is_ok_and(|n| n > 0));
    if is_observed {
        return Ok(Rc::new(parse_def(info)?));
    }
    if let Some(known) = PARSED.with_borrow(|p| p.get(&address).map(|(_, def)| def.clone())) {
        return Ok(known);
    }
    let def = Rc::new(parse_def(info)?);
    if let Some(key) = key {
        PARSED.with_borrow_mut(|p| p.insert(address, (key.unbind(), def.clone())));
    }
    Ok(def)
}

/// Refuses what the language leaves out of a method.
pub fn read(concrete: &Rc<Concrete>, info: &Bound<'_, PyAny>) -> PyResult<()> {
    let source = source(concrete, info)?;
    (state::compiler().read(&source)).map_err(|e| errors::diagnostic(info.py(), &e))
}

/// A method of a type from the description of its function.
pub fn source(concrete: &Rc<Concrete>, info: &Bound<'_, PyAny>) -> PyResult<FunctionSource> {
    let info = info.cast::<PyDict>()?;
    let def = parsed(info)?;
    Ok(FunctionSource {
        defaults: defaults_of(info, &def)?,
        def,
        resolver: Rc::new(MethodScope {
            scope: PyResolver::new(scope_of(info)?),
            concrete: concrete.clone(),
            is_text: false,
        }),
        class: Some(concrete.class.clone()),
        parameter_types: Vec::new(),
    })
}

/// Declares a method: it is compiled when it is needed.
pub fn declare(concrete: &Rc<Concrete>, name: &str, source: FunctionSource) -> Arc<Function> {
    let qualified = format!("{}.{name}", concrete.class.name());
    state::compiler().declare(&qualified, source)
}

/// Declares a method from the description of its function.
pub fn declare_described(
    concrete: &Rc<Concrete>,
    name: &str,
    info: &Bound<'_, PyAny>,
) -> PyResult<Arc<Function>> {
    Ok(declare(concrete, name, source(concrete, info)?))
}
