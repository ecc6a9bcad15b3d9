//! Source to callable functions.

use crate::machine_code;
use rushlight_ir::{Function, Graph, Unit};
use rushlight_runtime::code::Code;
use rushlight_runtime::{Options, Runtime};
use rushlight_syntax::{Diagnostic, Source};
use rushlight_types::{Context, Fault, Schema, Value};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A unit whose functions can run.
pub fn new_unit() -> Arc<Unit> {
    let unit = Unit::new();
    unit.set_executor(Arc::new(runtime()));
    unit
}

fn runtime() -> Runtime {
    Runtime::new(Options {
        compiler: machine_code::compiler(),
        cast: crate::table().find("aten::to.dtype"),
        operators: Some(crate::table()),
        layers: Some(crate::table()),
        numbers: Some(crate::table()),
        ..Options::default()
    })
}

/// The register code that a function runs as; it prints as a listing. A function that has no body is refused.
pub fn register_code(function: &Function) -> Result<Arc<Code>, Fault> {
    runtime().code(function)
}

#[cfg(feature = "autograd")]
/// A gradient engine for [`Context::set_gradients`].
pub fn gradients() -> Arc<dyn rushlight_types::Gradients> {
    Arc::new(rushlight_autograd::Engine::new(|| {
        (crate::table(), new_unit())
    }))
}

/// Compiled source: functions by name.
pub struct Script {
    unit: Arc<Unit>,
    context: Arc<Context>,
    functions: Vec<(Arc<str>, Arc<Function>)>,
}

/// The problems of a source, all of them.
#[derive(Debug)]
pub struct CompileError(pub Vec<Diagnostic>);

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(rushlight_syntax::diagnostic::terminal::render(&self.0, false).trim_end())
    }
}

impl std::error::Error for CompileError {}

/// Compiles TorchScript source. The error lists every problem.
///
/// ```
/// let script = rushlight::compile("def twice(x: int) -> int:\n    return 2 * x\n").unwrap();
/// let result = script.get("twice").unwrap().call(&[21i64.into()]).unwrap();
/// assert_eq!(result.as_int().unwrap(), 42);
/// ```
pub fn compile(source: &str) -> Result<Script, CompileError> {
    compile_source(&Source::new("<string>", source))
}

/// As [`compile`], of a named source.
pub fn compile_source(source: &Arc<Source>) -> Result<Script, CompileError> {
    Script::of(crate::check::check_all(source))
}

/// As [`compile_source`], of the text of a file at a path: what it imports from the files around it is compiled, too.
pub fn compile_file(source: &Arc<Source>, path: &Path) -> Result<Script, CompileError> {
    Script::of(crate::check::check_file_for(source, path, None))
}

/// As [`compile_source`], of the functions with these names and what they need; the error lists their problems, and those of
/// a text that cannot be read.
///
/// ```
/// let source = rushlight::Source::new("f.py", "def f(x: int):\n    return x\n\ndef g():\n    return z\n");
/// assert!(rushlight::compile_only(&source, &["f"]).unwrap().get("f").is_some());
/// assert!(rushlight::compile_source(&source).is_err());
/// ```
pub fn compile_only(source: &Arc<Source>, names: &[&str]) -> Result<Script, CompileError> {
    let names = names.iter().map(|name| name.to_string()).collect();
    Script::of(crate::check::check_only(source, names))
}

/// As [`compile_file`], of the functions with these names and what they need.
pub fn compile_file_only(
    source: &Arc<Source>,
    path: &Path,
    names: &[&str],
) -> Result<Script, CompileError> {
    let names = names.iter().map(|name| name.to_string()).collect();
    Script::of(crate::check::check_file_for(source, path, Some(names)))
}

impl Script {
    /// What was compiled; the error lists the problems that there were.
    fn of(checked: crate::Checked) -> Result<Script, CompileError> {
        if !checked.problems.is_empty() {
            return Err(CompileError(checked.problems));
        }
        let functions = checked.functions.into_iter();
        Ok(Script {
            unit: checked.unit,
            context: Arc::new(Context::new(Box::new(std::io::stdout()))),
            functions: functions.filter(|(_, f)| f.graph().is_some()).collect(),
        })
    }

    /// A function by name.
    pub fn get(&self, name: &str) -> Option<ScriptFunction> {
        let (_, function) = self.functions.iter().find(|(n, _)| &**n == name)?;
        Some(self.handle(function))
    }

    fn handle(&self, function: &Arc<Function>) -> ScriptFunction {
        ScriptFunction {
            function: function.clone(),
            unit: self.unit.clone(),
            context: self.context.clone(),
        }
    }

    /// Calls a function by name. The error lists the functions that there are.
    pub fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
        let found = self.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.functions.iter().map(|(name, _)| &**name).collect();
            Fault::new(
                rushlight_types::ErrorClass::Attribute,
                format!(
                    "the source defines no function '{name}'; it defines: {}",
                    names.join(", ")
                ),
            )
        })?;
        found.call(arguments)
    }

    /// The same functions in another context: other limits, another sink, cancelled on their own.
    pub fn with_context(&self, context: Arc<Context>) -> Script {
        Script {
            unit: self.unit.clone(),
            context,
            functions: self.functions.clone(),
        }
    }

    /// The functions in order of definition.
    pub fn functions(&self) -> Vec<ScriptFunction> {
        self.functions
            .iter()
            .map(|(_, function)| self.handle(function))
            .collect()
    }

    /// The functions as the methods of a module, which can be saved. `forward` is the function named here, else the one
    /// called `forward` or `main`, else the only one; `None` where no function has that name.
    pub fn module(&self, forward: Option<&str>) -> Option<crate::Module> {
        let find = |name: &str| self.functions.iter().find(|(n, _)| &**n == name);
        let entry = match forward {
            Some(name) => Some(find(name)?),
            None => find("forward")
                .or_else(|| find("main"))
                .or(match &*self.functions {
                    [one] => Some(one),
                    _ => None,
                }),
        };
        let mut methods: Vec<(&str, Arc<Function>)> = Vec::new();
        if let Some((_, function)) = entry {
            methods.push(("forward", function.clone()));
        }
        let others = self
            .functions
            .iter()
            .filter(|(name, _)| &**name != "forward");
        methods.extend(others.map(|(name, function)| (&**name, function.clone())));
        let root = rushlight_archive::module_of(&self.unit, &methods);
        Some(crate::Module::from_object(
            root,
            self.unit.clone(),
            self.context.clone(),
        ))
    }

    /// The unit that owns the functions and types.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    /// The context of calls.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

/// A function that can be called.
#[derive(Clone)]
pub struct ScriptFunction {
    function: Arc<Function>,
    unit: Arc<Unit>,
    context: Arc<Context>,
}

impl ScriptFunction {
    /// The name.
    pub fn name(&self) -> &str {
        self.function.basename()
    }

    /// How it is called.
    pub fn schema(&self) -> Arc<Schema> {
        use rushlight_types::Callable;
        self.function.schema()
    }

    /// The function in its unit.
    pub fn function(&self) -> &Arc<Function> {
        &self.function
    }

    /// The unit.
    pub fn unit(&self) -> &Arc<Unit> {
        &self.unit
    }

    /// Calls the function; arguments are checked against the schema and defaults filled in.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, Fault> {
        self.call_with(arguments, &[])
    }

    /// As [`ScriptFunction::call`], with keyword arguments.
    pub fn call_with(
        &self,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value, Fault> {
        let named = keywords
            .iter()
            .map(|(n, v)| (n.to_string(), v.clone()))
            .collect();
        let mut all = rushlight_runtime::spare_arguments();
        all.extend_from_slice(arguments);
        rushlight_runtime::invoke::call(&*self.function, &self.context, all, named)
    }
}

/// The names of the functions.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.functions.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

/// The schema.
impl fmt::Debug for ScriptFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.schema())
    }
}

/// The graph with the calls of functions and methods replaced by their bodies. Methods are looked up in the unit.
pub fn inlined(graph: &Graph, unit: Option<&Arc<Unit>>) -> Arc<Graph> {
    Arc::new(rushlight_ir::passes::inline::inlined(
        graph,
        unit,
        crate::table(),
    ))
}
