//! The `rushlight` command.

use rushlight::Fault;
use rushlight::tensor::memory::{Accounting, quiet_panics};
use rushlight::tensor::watch::{self, Supervisor};
use rushlight::types::ErrorClass;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[global_allocator]
static ALLOCATOR: Accounting = Accounting;

/// How often Ctrl-C was pressed.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// Stops the command with an error, so that a script's traceback shows where it was; a second Ctrl-C does not wait.
struct Interrupt;

impl Supervisor for Interrupt {
    fn look(&self) -> Result<(), Fault> {
        match INTERRUPTS.load(Ordering::Relaxed) {
            0 => Ok(()),
            _ => Err(Fault::new(ErrorClass::Interrupt, "interrupted")),
        }
    }

    fn needs_ticks(&self) -> bool {
        false
    }
}

fn main() -> std::process::ExitCode {
    quiet_panics();
    // Without a handler Ctrl-C ends the process as ever.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTS.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(INTERRUPTED);
        }
        watch::attention();
    });
    let code = rushlight_cli::run_command(
        std::env::args_os(),
        &mut std::io::stdout(),
        &mut std::io::stderr(),
        Some(Arc::new(Interrupt)),
    );
    let code = match INTERRUPTS.load(Ordering::Relaxed) {
        0 => code,
        _ => INTERRUPTED,
    };
    std::process::ExitCode::from(code as u8)
}

/// The exit status of a command that Ctrl-C has ended, as shells have it.
const INTERRUPTED: i32 = 130;
