//! Runs the pass cases in `tests/ir`: a graph, the passes, and the graph that they must leave.
//!
//! A file holds cases separated by lines of `---`. A case is a comment that says what it shows, a line `passes: a, b`, a
//! graph, a line `becomes:`, and a graph. With `RECORD=1` in the environment both graphs are written as they print now;
//! look at the difference before keeping it.

use rushlight::frontend::script::Compiler;
use rushlight::frontend::source_file;
use rushlight::ir::Graph;
use rushlight::ir::parse::Lookup;
use rushlight::ir::passes::PassRun;
use rushlight::ir::pipeline::Pipeline;
use std::path::{Path, PathBuf};

struct Case {
    comment: String,
    passes: String,
    input: String,
    expected: String,
}

fn cases(text: &str) -> Vec<Case> {
    text.split("\n---\n").map(case).collect()
}

fn case(text: &str) -> Case {
    let (head, rest) = text.split_once("passes:").expect("a case names its passes");
    let (passes, rest) = rest.split_once('\n').expect("a graph follows the passes");
    let (input, expected) = rest
        .split_once("becomes:\n")
        .expect("`becomes:` stands between the graphs");
    Case {
        comment: head.trim().to_string(),
        passes: passes.trim().to_string(),
        input: input.trim().to_string() + "\n",
        expected: expected.trim().to_string() + "\n",
    }
}

fn parse(text: &str, path: &Path) -> Graph {
    let lookup = Lookup::operators(rushlight::table());
    match Graph::parse(text, &lookup) {
        Ok(graph) => graph,
        Err(error) => panic!("{}: {error}\n{text}", path.display()),
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let entries = std::fs::read_dir(folder).expect("the folder of cases");
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("a readable entry").path())
        .collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "ir"));
    files.sort();
    files
}

fn run(case: &Case, path: &Path) -> String {
    let mut graph = parse(&case.input, path);
    let names: Vec<&str> = case.passes.split(", ").filter(|n| !n.is_empty()).collect();
    let pipeline = Pipeline::named(&names).expect("the passes exist");
    pipeline.run(&mut graph, &mut PassRun::new(rushlight::table()));
    graph.copy().to_text(false)
}

fn record(path: &Path, cases: &[Case]) {
    let texts: Vec<String> = cases
        .iter()
        .map(|case| {
            let input = parse(&case.input, path).copy().to_text(false);
            let result = run(case, path);
            format!(
                "{}\npasses: {}\n{input}becomes:\n{result}",
                case.comment, case.passes
            )
        })
        .collect();
    std::fs::write(path, texts.join("---\n")).expect("a writable case");
}

#[test]
fn passes_leave_the_graphs_that_the_cases_show() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let cases = cases(&text);
        if std::env::var_os("RECORD").is_some() {
            record(&path, &cases);
            continue;
        }
        for case in cases {
            let result = run(&case, &path);
            assert_eq!(
                result,
                case.expected,
                "{}\n{}",
                path.display(),
                case.comment
            );
        }
    }
}

#[test]
fn printed_graphs_read_back_to_themselves() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        for case in cases(&text) {
            for graph in [&case.input, &case.expected] {
                let printed = parse(graph, &path).copy().to_text(false);
                assert_eq!(printed, *graph, "{}\n{}", path.display(), case.comment);
            }
        }
    }
}

#[test]
fn a_pass_stops_when_its_fuel_is_spent() {
    let text = "graph(%a.1 : int):\n  %0 : int = aten::add(%a.1, %a.1)\n  %1 : int = aten::mul(%a.1, %a.1)\n  return (%a.1)\n";
    let mut graph = parse(text, Path::new("fuel"));
    let mut run = PassRun::new(rushlight::table());
    run.fuel = Some(1);
    let pipeline = Pipeline::named(&["dead_code"]).expect("the pass exists");
    let records = pipeline.run_recorded(&mut graph, &mut run);
    assert_eq!(records[0].changes, 1);
    assert_eq!(graph.nodes(graph.top()).len(), 1);
}

#[test]
fn lists_of_pairs_that_are_walked_through_are_two_lists() {
    let walked = |uses: &str| {
        let text = format!(
            "graph(%d.1 : Dict(str, int), %i.1 : int):
  %0 : int = prim::Constant[value=1]()
  %1 : (str, int)[] = aten::items(%d.1)
  %2 : int = aten::len(%1)
  %3 : (str, int) = aten::__getitem__(%1, %i.1)
{uses}  return (%2)
"
        );
        let graph = parse(&text, Path::new("pairs"));
        rushlight::ir::passes::pairs::with_pairs_apart(&graph).map(|g| g.to_text(false))
    };
    let apart = walked(
        "  %4 : str, %5 : int = prim::TupleUnpack(%3)\n  %6 : int = prim::TupleIndex(%3, %0)\n",
    );
    let apart = apart.expect("the pairs are taken apart");
    for kept in ["aten::keys(%d.1)", "aten::values(%d.1)"] {
        assert!(apart.contains(kept), "{apart}");
    }
    assert!(
        !apart.contains("aten::items") && !apart.contains("Tuple"),
        "{apart}"
    );
    assert!(walked("  %4 : (str, int)[] = aten::list(%1)\n").is_none());
    assert!(walked("  %4 : (str, int)[] = prim::ListConstruct(%3)\n").is_none());
}

#[test]
fn attributes_are_read_before_chains() {
    let first = |between: &str| {
        let text = format!(
            "graph(%self : Any, %x.1 : Tensor):
  %0 : int = prim::Constant[value=1]()
  %1 : Tensor = aten::tanh(%x.1)
{between}  %g : Tensor = prim::GetAttr[name=\"g\"](%self)
  %3 : Tensor = aten::mul(%1, %g)
  return (%3)
"
        );
        let graph = parse(&text, Path::new("attributes"));
        let moved = rushlight::ir::passes::attributes_first::with_attributes_first(&graph);
        moved.map(|g| g.to_text(false))
    };
    let moved = first("").expect("the attribute is read within");
    let at = |what: &str| moved.find(what).expect("all nodes stay");
    assert!(at("GetAttr") < at("aten::tanh"), "{moved}");
    // Nothing else may stand between.
    assert!(first("  %2 : Tensor = aten::linear(%x.1, %x.1, %x.1)\n").is_none());
}

#[test]
fn what_only_the_last_round_is_asked_for_is_computed_behind_the_loop() {
    let late = |body: &str, results: &str| {
        let text = format!(
            "graph(%x.1 : Tensor, %n.1 : int):
  %0 : bool = prim::Constant[value=1]()
  %1 : int = prim::Constant[value=3]()
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = prim::Loop(%n.1, %0, %x.1)
    block0(%i.1 : int, %y.1 : Tensor):
{body}      -> (%0, {results})
  return (%y)
"
        );
        let graph = parse(&text, Path::new("last round"));
        rushlight::ir::passes::last_round::with_last_rounds_only(&graph).map(|g| g.to_text(false))
    };
    let made = "      %2 : int = aten::add(%i.1, %1)
      %4 : Tensor = aten::tensor(%2, %none, %none, %no)\n";
    let moved = late(made, "%4").expect("the tensor is made once");
    let (within, after) = moved.split_once("prim::If").expect("where no round ran");
    assert!(
        within.contains("aten::add") && !within.contains("aten::tensor"),
        "{moved}"
    );
    assert!(after.contains("aten::tensor"), "{moved}");
    // What fails for some numbers stays where it fails.
    let zeros = "      %2 : int = aten::add(%i.1, %1)
      %3 : int[] = prim::ListConstruct(%2)
      %4 : Tensor = aten::zeros(%3, %none, %none, %none, %none)\n";
    assert!(late(zeros, "%4").is_none());
    // Not so where the numbers are seen to be small.
    let few = zeros.replace("aten::add(%i.1, %1)", "aten::__and__(%i.1, %1)");
    assert!(late(&few, "%4").is_some());
    // What is read, printed or written to stays.
    let sum = "      %4 : Tensor = aten::relu(%y.1)\n";
    assert!(late(sum, "%4").is_none());
    let printed = format!("{made}       = prim::Print(%i.1)\n");
    assert!(late(&printed, "%4").is_none());
    let written = "      %3 : Tensor = aten::relu_(%x.1)\n      %4 : Tensor = aten::slice(%x.1, %1, %1, %i.1, %1)\n";
    assert!(late(written, "%4").is_none());
}

#[test]
fn text_that_is_no_graph_is_refused_with_its_line() {
    let error = |text: &str| {
        let lookup = Lookup::operators(rushlight::table());
        Graph::parse(text, &lookup)
            .expect_err("no graph")
            .to_string()
    };
    assert_eq!(
        error("graph(%x : int)"),
        "line 1: expected : but found 'eof' here"
    );
    assert_eq!(
        error("graph(%x : int):\n  %1 : int = aten::add(%x, %y)\n  return (%1)\n"),
        "line 2: Cannot find a variable with name 'y'"
    );
    assert_eq!(
        error("graph(%x : str):\n  %1 : str = aten::neg(%x)\n  return (%1)\n"),
        "line 2: no overload of aten::neg takes (str)"
    );
    assert_eq!(
        error("graph():\n  %1 : int = aten::nothing()\n  return (%1)\n"),
        "line 2: there is no operator aten::nothing"
    );
    assert_eq!(
        error("graph():\n  %1 : Tensor = prim::Constant[value=<Tensor>]()\n  return (%1)\n"),
        "line 2: the text does not hold the elements of <Tensor>"
    );
    let deep = format!(
        "graph(%c : bool):\n{}",
        "  = prim::If(%c)\nblock0():\n".repeat(100_000)
    );
    assert!(error(&deep).ends_with("blocks are nested too deeply"));
}

#[test]
fn errors_mark_their_place_as_the_reference_does() {
    let lookup = Lookup::operators(rushlight::table());
    let error = |text: &str| match Graph::parse_loosely(text, &lookup) {
        Ok(graph) => graph.to_text(false),
        Err(error) => error.marked(text),
    };
    assert_eq!(
        error("graph(%a : Tensor:\n  return (%a)"),
        "expected ) but found ':' here:\ngraph(%a : Tensor:\n                 ~ <--- HERE\n  return (%a)"
    );
    assert_eq!(
        error("graph(%a : Tensor):\n  %b = nothing::here(%zz)\n  return (%b)\n"),
        "\nCannot find a variable with name 'zz':\ngraph(%a : Tensor):\n  %b = nothing::here(%zz)\n                     ~ <--- HERE\n  return (%b)\n"
    );
    // Types may be left out, and nobody need know the operator.
    assert_eq!(
        error("graph(%a):\n  %b = foo::bar(%a)\n  return (%b)\n"),
        "graph(%a : Tensor):\n  %b : Tensor = foo::bar(%a)\n  return (%b)\n"
    );
}

#[test]
fn inlined_nodes_remember_their_calls() {
    let text = "def inner(x: int):\n    return x * 2\n\ndef outer(x: int):\n    return inner(x) + inner(x)\n\ndef top(x: int):\n    return outer(x + 1)\n";
    let source = rushlight::Source::new("calls.py", text);
    let unit = rushlight::ir::Unit::new();
    let compiler = Compiler::new(unit.clone(), rushlight::table());
    let problems = source_file::check(
        &compiler,
        &source,
        "__torch__",
        None,
        source_file::Scope::All,
    )
    .problems;
    assert!(problems.is_empty());
    let function = unit.function("__torch__.top").expect("the function");
    let mut graph = (*function.graph().expect("its graph")).clone();
    let mut run = PassRun::new(rushlight::table());
    run.unit = Some(&unit);
    Pipeline::named(&["inline", "dead_code"])
        .expect("the passes exist")
        .run(&mut graph, &mut run);
    assert_eq!(
        graph.copy().to_text(false),
        "graph(%x.1 : int):\n  %1 : int = prim::Constant[value=1]()\n  %2 : int = aten::add(%x.1, %1)\n  %3 : int = prim::Constant[value=2]()\n  %4 : int = aten::mul(%2, %3)\n  %5 : int = aten::mul(%2, %3)\n  %6 : int = aten::add(%4, %5)\n  return (%6)\n"
    );
    let product = graph
        .all_nodes()
        .into_iter()
        .find(|n| graph.node(*n).is_op("aten::mul"));
    let site = graph
        .node(product.expect("a product"))
        .call_site
        .clone()
        .expect("its call");
    assert_eq!(&*site.function, "__torch__.inner");
    assert_eq!(site.span.as_ref().map(|s| s.line()), Some(5));
    let outer = site.caller.clone().expect("the call around it");
    assert_eq!(&*outer.function, "__torch__.outer");
    assert_eq!(outer.span.as_ref().map(|s| s.line()), Some(8));
    assert!(outer.caller.is_none());
}
