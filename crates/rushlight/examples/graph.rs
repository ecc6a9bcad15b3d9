//! Prints the graphs of a source file, and every problem found in it.

use rushlight::frontend::script::Compiler;
use rushlight::frontend::source_file;

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let source = rushlight::Source::new(path.as_str(), text);
        let unit = rushlight::ir::Unit::new();
        let compiler = Compiler::new(unit, rushlight::table());
        let source_file::Checked {
            loaded, problems, ..
        } = source_file::check(
            &compiler,
            &source,
            "__torch__",
            None,
            source_file::Scope::All,
        );
        for (_, function) in &loaded.functions {
            if let Some(graph) = function.graph() {
                println!("{graph}");
            }
        }
        for problem in problems {
            println!(
                "{}",
                rushlight::syntax::diagnostic::highlight::render(&problem)
            );
        }
    }
}
