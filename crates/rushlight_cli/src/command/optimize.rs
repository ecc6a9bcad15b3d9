//! `rushlight optimize`: an archive for inference, with its attributes as constants and its batch norms folded away.

use super::inspect::human;
use super::verify;
use super::{about, load};
use crate::argument::Reader;
use crate::compare::{Tolerance, Verdict, short_number};
use crate::limits::Guard;
use crate::program::{Making, Program};
use crate::{Done, Failure};
use clap::Args;
use rushlight::ir::freeze::{FreezeOptions, freeze};
use rushlight::ir::{Function, Graph};
use rushlight::types::{Object, PlainCopies, deep_copy};
use rushlight::{Context, Module, SaveOptions, Value};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What stands below the options in the help.
pub const HELP: &str = "\
The module is put into evaluation mode, its calls are inlined, attributes that no method writes become constants, what
follows from constants is computed, and batch norms and other factors are folded into the layers before them.
With arguments the old and the new module run on them, and nothing is written where their results differ.

Examples:
  rushlight optimize model.pt -o fast.pt
  rushlight optimize model.pt @x.npy -o fast.pt             and compares the results for x
  rushlight optimize model.pt -o fast.pt --keep encode      another method than forward";

/// Folding changes the last digits.
const TOLERANCE: (f64, f64) = (1e-3, 1e-4);

/// What to optimize, and what to check it with.
#[derive(Args)]
pub struct Options {
    /// FILE.pt
    pub file: PathBuf,
    /// Arguments to compare results with: expressions, or @FILE
    pub arguments: Vec<String>,
    /// The archive to write
    #[arg(short, long)]
    pub out: PathBuf,
    /// Keep a method besides forward, or an attribute that programs read; may be given several times
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// Fold nothing that changes results in their last digits
    #[arg(long)]
    pub exact: bool,
    /// Relative difference that is allowed [default: 1e-3, or 0 with --exact]
    #[arg(long, value_parser = crate::compare::tolerance)]
    pub rtol: Option<f64>,
    /// Absolute difference that is allowed [default: 1e-4, or 0 with --exact]
    #[arg(long, value_parser = crate::compare::tolerance)]
    pub atol: Option<f64>,
}

/// Optimizes, checks and writes.
pub fn run(options: &Options, guard: &Guard, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let file = &options.file;
    let module = load(file, guard.trusts())?;
    if module.object().get("training").is_none() && module.object().class().attribute_count() == 0 {
        return Err(about(
            file,
            "this module is optimized already: it has no attributes left",
        ));
    }
    let methods = module.object().class().methods();
    let is_kept = |name: &str| name == "forward" || options.keep.iter().any(|kept| kept == name);
    if !methods.iter().any(|method| is_kept(&method.name)) {
        let names: Vec<&str> = methods.iter().map(|method| &*method.name).collect();
        return Err(about(
            file,
            format!(
                "this module has no method forward; say with --keep which to keep, of: {}",
                names.join(", ")
            ),
        ));
    }
    evaluating(module.object());
    let before = size(&module, "forward");
    let checked = match options.arguments.is_empty() {
        true => None,
        false => Some(Reader::new(None, None).values(&options.arguments)?),
    };
    let expected = match &checked {
        Some(arguments) => {
            // An instance of its own, for a run may change attributes.
            let old = load(file, guard.trusts())?;
            evaluating(old.object());
            Some(result(&old, arguments, errors)?)
        }
        None => None,
    };
    let freezing = FreezeOptions {
        preserved: &options.keep,
        numerics: !options.exact,
        interfaces: true,
        keep_parameters: false,
        keep_dropouts: false,
    };
    let unit = &module.loaded().unit;
    let frozen = freeze(module.object(), unit, rushlight::table(), &freezing)
        .map_err(|fault| about(file, fault.message()))?;
    let frozen = Module::from_object(frozen, unit.clone(), module.context().clone());
    let saving = SaveOptions {
        folder: rushlight::archive_folder(&options.out),
        extra: module.loaded().extra.clone(),
        ..SaveOptions::default()
    };
    let bytes = frozen.to_bytes(&saving).map_err(|e| about(file, e))?;
    let mut told = String::new();
    if let (Some(arguments), Some(expected)) = (&checked, &expected) {
        // What is compared is what will be read from the file.
        let context = Context::new(Box::new(std::io::stdout())).into();
        let again = rushlight::load_bytes(bytes.clone().into(), context)?;
        let actual = result(&again, arguments, errors)?;
        let rows = verify::same(expected, &actual, options.tolerance())
            .map_err(|why| Failure(format!("nothing was written: {}", why.0)))?;
        let largest = rows.iter().fold(0.0, |most: f64, row| match &row.verdict {
            Verdict::Numbers(difference) => most.max(difference.max_abs),
            Verdict::Equal | Verdict::Unlike(_) => most,
        });
        told = format!(
            "the results agree; largest difference {}\n",
            short_number(largest)
        );
    }
    rushlight::write_file(&options.out, &bytes).map_err(|e| about(&options.out, e))?;
    let old = std::fs::metadata(file).map_or(0, |found| found.len());
    let sizes = [usize::try_from(old).unwrap_or(usize::MAX), bytes.len()].map(human);
    writeln!(
        out,
        "{}: {} -> {}",
        options.out.display(),
        sizes[0],
        sizes[1]
    )?;
    writeln!(
        out,
        "forward: {before} -> {} nodes",
        size(&frozen, "forward")
    )?;
    let lost = lost(&module, &frozen);
    if !lost.is_empty() {
        writeln!(
            out,
            "methods left out: {} (--keep NAME keeps one)",
            lost.join(", ")
        )?;
    }
    write!(out, "{told}")?;
    Ok(())
}

impl Options {
    fn tolerance(&self) -> Tolerance {
        let (rtol, atol) = match self.exact {
            true => (0.0, 0.0),
            false => TOLERANCE,
        };
        Tolerance {
            rtol: Some(self.rtol.unwrap_or(rtol)),
            atol: Some(self.atol.unwrap_or(atol)),
        }
    }
}

/// What `forward` gives for copies of the arguments.
fn result(module: &Module, arguments: &[Value], errors: &mut dyn Write) -> Done<Value> {
    let copies = arguments.iter().map(|v| deep_copy(v, &PlainCopies));
    let copies = copies.collect::<Result<Vec<_>, _>>()?;
    let target = super::Opened::Archive(module.clone());
    let program = Program::of(target, "forward", &Making::default())?;
    program.restart_random(program.context());
    program.run(&copies, errors)
}

/// Puts a module and all in it into evaluation mode.
fn evaluating(root: &Arc<Object>) {
    let mut seen = HashSet::new();
    let mut pending = vec![root.clone()];
    while let Some(object) = pending.pop() {
        if !seen.insert(Arc::as_ptr(&object) as usize) || !object.class().is_module() {
            continue;
        }
        if let Some(Value::Bool(true)) = object.get("training") {
            object.set("training", Value::Bool(false));
        }
        let slots = 0..object.class().attribute_count();
        pending.extend(slots.filter_map(|slot| match object.slot(slot) {
            Value::Object(inner) => Some(inner),
            _ => None,
        }));
    }
}

/// The nodes that a call of a method runs through, calls inlined; constants do not count.
fn size(module: &Module, method: &str) -> usize {
    let nodes = |function: &Function| {
        let graph = rushlight::inlined(&*function.graph()?, function.unit().as_ref());
        let counts = |graph: &Graph| {
            let is_counted = |id: &rushlight::ir::NodeId| {
                let node = graph.node(*id);
                !node.is(rushlight::ir::Prim::Constant) && !node.is(rushlight::ir::Prim::GetAttr)
            };
            graph.all_nodes().into_iter().filter(is_counted).count()
        };
        Some(counts(&graph))
    };
    let function = module.method(method).ok();
    function.and_then(|f| nodes(&f)).unwrap_or(0)
}

/// The methods that only the first module has.
fn lost(old: &Module, new: &Module) -> Vec<String> {
    let names = old
        .object()
        .class()
        .methods()
        .into_iter()
        .map(|m| m.name.to_string());
    names
        .filter(|name| new.object().class().method(name).is_none())
        .collect()
}
