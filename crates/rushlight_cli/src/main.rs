//! The `rushlight` command.

fn main() -> std::process::ExitCode {
    let code = rushlight_cli::run_command(
        std::env::args_os(),
        &mut std::io::stdout(),
        &mut std::io::stderr(),
    );
    std::process::ExitCode::from(code as u8)
}
