//! From a function of the runtime to machine code that can be run.

use crate::layout::layout;
use crate::liveness::analyse;
use crate::run::Compiled;
use crate::translate::{signature, translate};
use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use parking_lot::Mutex;
use rushlight_runtime::code::{Code, Extended, Insn};
use rushlight_runtime::machine_code::{self, MachineCode};
use rushlight_types::ScalarOp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// When functions are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Once they have run for a while and there is something to be gained.
    Hot,
    /// All, at their first call: for tests.
    Always,
    /// All, in the middle of their first loops: for tests.
    Soon,
}

/// So many instructions of a function are interpreted before it is compiled, for every sixteen that it has: about what
/// compiling takes.
const PATIENCE: u32 = 20_000;

/// Functions longer than this are not compiled.
const LONGEST: usize = 4_000;

/// Nor are those with more numbers to write back, over all places where their code may be left.
const MOST_WRITTEN: usize = 40_000;

/// Makes machine code for the machine that this runs on; `None` where there is no machine code for it.
pub fn compiler(mode: Mode) -> Option<&'static dyn machine_code::Compiler> {
    static COMPILERS: [OnceLock<Option<Compiler>>; 3] = [const { OnceLock::new() }; 3];
    let compiler = COMPILERS[mode as usize].get_or_init(|| Compiler::new(mode));
    compiler.as_ref().map(|c| c as _)
}

struct Compiler {
    mode: Mode,
    isa: OwnedTargetIsa,
    /// Where functions have been made, to make others.
    desks: Mutex<Vec<Desk>>,
}

/// Memory that a function is made in.
struct Desk {
    context: Context,
    builder: FunctionBuilderContext,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
        }
    }
}

impl Compiler {
    fn new(mode: Mode) -> Option<Compiler> {
        layout()?;
        let mut flags = settings::builder();
        let settings = [
            // The middle end takes a third of the time and gains nothing: what it would find is translated well already.
            ("opt_level", "none"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            (
                "enable_verifier",
                if cfg!(debug_assertions) {
                    "true"
                } else {
                    "false"
                },
            ),
        ];
        for (name, value) in settings {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?;
        let isa = isa.finish(settings::Flags::new(flags)).ok()?;
        (isa.pointer_bits() == 64).then_some(Compiler {
            mode,
            isa,
            desks: Mutex::default(),
        })
    }

    fn make(&self, code: &Code) -> Option<Compiled> {
        let layout = layout()?;
        let live = analyse(code);
        let written = (0..code.insns.len()).map(|at| live.before(at).count());
        if written.sum::<usize>() > MOST_WRITTEN {
            return None;
        }
        let names = cranelift_module::default_libcall_names();
        let mut module = JITModule::new(JITBuilder::with_isa(self.isa.clone(), names));
        let mut desk = self.desks.lock().pop().unwrap_or_else(Desk::new);
        let Desk { context, builder } = &mut desk;
        context.func.signature.call_conv = self.isa.default_call_conv();
        signature(&mut context.func.signature);
        let config = self.isa.frontend_config();
        let translated = translate(code, live, layout, config, builder, &mut context.func);
        let id = define(&mut module, context)
            .inspect_err(|problem| debug_assert!(false, "{}: {problem}", code.name))
            .ok()?;
        context.clear();
        self.desks.lock().push(desk);
        let entry = module.get_finalized_function(id);
        let registers = code.registers as usize;
        // SAFETY: the function was just made by `translate` for this code.
        Some(unsafe { Compiled::new(module, entry, translated, registers) })
    }
}

/// Compiles the function of a context and makes it ready to run.
fn define(module: &mut JITModule, context: &mut Context) -> Result<FuncId, String> {
    let id = module
        .declare_function("f", Linkage::Local, &context.func.signature)
        .map_err(|e| e.to_string())?;
    module
        .define_function(id, context)
        .map_err(|e| format!("{e:?}"))?;
    module.finalize_definitions().map_err(|e| e.to_string())?;
    Ok(id)
}

impl machine_code::Compiler for Compiler {
    fn compile(&self, code: &Code) -> Option<Box<dyn MachineCode>> {
        let is_wanted = self.mode != Mode::Hot || is_worthwhile(code);
        if !is_wanted || code.insns.len() > LONGEST {
            return None;
        }
        // A mistake in the making is no reason for the program to fail: there is the interpreter.
        let made = catch_unwind(AssertUnwindSafe(|| self.make(code)));
        debug_assert!(made.is_ok(), "{} cannot be compiled", code.name);
        Some(Box::new(made.ok()??))
    }

    fn patience(&self) -> u32 {
        match self.mode {
            Mode::Hot => PATIENCE,
            Mode::Always => 0,
            Mode::Soon => 40,
        }
    }
}

/// Whether enough of a function is done by machine code itself.
fn is_worthwhile(code: &Code) -> bool {
    let (mut own, mut others) = (0, 0);
    let mut behind = 0;
    for (at, insn) in code.insns.iter().enumerate() {
        if at < behind {
            // What a group stands for.
            continue;
        }
        match insn {
            Insn::Group(_, to) => {
                own += 1;
                behind = *to as usize;
            }
            Insn::Operator(k) => {
                let operator = code.operators[*k as usize].operator;
                match (operator.scalar, operator.quick) {
                    // These are as fast either way.
                    (Some(ScalarOp::ComplexOf | ScalarOp::RealOf | ScalarOp::ImagOf), _)
                    | (None, Some(_)) => {}
                    (Some(_), _) => own += 1,
                    (None, None) => others += 1,
                }
            }
            Insn::Extended(k) => match code.extended[*k as usize] {
                Extended::GetAttr { .. } | Extended::SetAttr { .. } => own += 1,
                _ => others += 1,
            },
            Insn::Call(_) => others += 1,
            // These go along with all others.
            Insn::Move(..)
            | Insn::Copy(..)
            | Insn::Drop(_)
            | Insn::Constant(..)
            | Insn::Jump(_)
            | Insn::Return(_) => {}
            _ => own += 1,
        }
    }
    own >= others
}
