//! Models as files: what is written reads back as the format says, node by node.

use rushlight_ir::Graph;
use rushlight_ir::parse::Lookup;
use rushlight_onnx::{Input, Options, Program, export};
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{Context, Value};
use std::collections::HashSet;

/// A field of a message: its number, and what it holds.
#[derive(Clone, Debug)]
enum Field {
    Number(u64),
    Bytes(Vec<u8>),
    Word,
}

/// The fields of a message in protobuf's wire format.
fn fields(bytes: &[u8]) -> Vec<(u64, Field)> {
    let mut at = 0;
    let varint = |at: &mut usize| {
        let mut number = 0_u64;
        for shift in (0..).step_by(7) {
            let byte = bytes[*at];
            *at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    };
    let mut out = Vec::new();
    while at < bytes.len() {
        let key = varint(&mut at);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut at)),
            2 => {
                let length = varint(&mut at) as usize;
                at += length;
                Field::Bytes(bytes[at - length..at].to_vec())
            }
            5 => {
                at += 4;
                Field::Word
            }
            wire => panic!("wire type {wire}"),
        };
        out.push((key >> 3, field));
    }
    out
}

fn all(message: &[u8], number: u64) -> Vec<Vec<u8>> {
    let wanted = fields(message).into_iter().filter(|(n, _)| *n == number);
    wanted
        .map(|(_, field)| match field {
            Field::Bytes(bytes) => bytes,
            other => panic!("field {number} is {other:?}"),
        })
        .collect()
}

fn texts(message: &[u8], number: u64) -> Vec<String> {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    all(message, number).into_iter().map(text).collect()
}

fn number(message: &[u8], wanted: u64) -> Option<u64> {
    fields(message)
        .into_iter()
        .find_map(|(n, field)| match field {
            Field::Number(number) if n == wanted => Some(number),
            _ => None,
        })
}

/// Nodes as `Kind(inputs)`, subgraphs indented; every value is defined before it is used.
fn listing(graph: &[u8], known: &HashSet<String>, indent: &str, out: &mut Vec<String>) {
    let mut known = known.clone();
    known.extend(all(graph, 11).iter().flat_map(|input| texts(input, 1)));
    known.extend(all(graph, 5).iter().flat_map(|weight| texts(weight, 8)));
    for node in all(graph, 1) {
        let inputs = texts(&node, 1);
        for input in inputs.iter().filter(|input| !input.is_empty()) {
            assert!(
                known.contains(input),
                "{input} is used before it is defined"
            );
        }
        let kind = texts(&node, 4).remove(0);
        out.push(format!("{indent}{kind}"));
        for attribute in all(&node, 5) {
            assert_eq!(texts(&attribute, 1).len(), 1, "attributes have a name");
            assert!(number(&attribute, 20).is_some(), "attributes have a type");
            for inner in all(&attribute, 6) {
                listing(&inner, &known, &format!("{indent}  "), out);
            }
        }
        for output in texts(&node, 2) {
            assert!(known.insert(output.clone()), "{output} is defined twice");
        }
    }
    for output in all(graph, 12) {
        assert!(known.contains(&texts(&output, 1)[0]));
    }
}

fn options() -> Options {
    Options {
        opset: 17,
        fold: true,
        export_params: true,
        initializers_as_inputs: false,
        inference: true,
        input_names: Vec::new(),
        output_names: vec!["y".into()],
        dynamic_axes: Vec::new(),
        custom_opsets: Vec::new(),
    }
}

/// The model of a graph that is given as text.
fn model(text: &str, inputs: Vec<Input>, options: &Options) -> Result<Vec<u8>, String> {
    let table = rushlight_nn::table();
    let lookup = Lookup::operators(table);
    let graph = Graph::parse_loosely(text.trim(), &lookup).map_err(|problem| problem.message)?;
    let context = Context::silent();
    let program = Program {
        graph: &graph,
        inputs,
        unit: None,
        context: &context,
        table,
    };
    let model = export(&program, options).map_err(|fault| fault.message().to_string())?;
    Ok(model.encode())
}

fn lines(model: &[u8]) -> Vec<String> {
    let graph = all(model, 7).remove(0);
    let mut out = Vec::new();
    listing(&graph, &HashSet::new(), "", &mut out);
    out
}

fn ones(sizes: &[usize]) -> Tensor {
    Tensor::full(sizes, Scalar::Float(1.0), DType::F32).expect("it is small")
}

fn argument(sizes: &[usize]) -> Input {
    Input::Argument(Value::Tensor(ones(sizes)))
}

const LINEAR: &str = "graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %z : Tensor = aten::relu(%y)
  return (%z)
";

#[test]
fn a_layer_is_a_node_and_weights_are_initializers() {
    let weight = |name: &str, sizes: &[usize]| Input::Parameter(name.into(), ones(sizes));
    let inputs = || {
        vec![
            argument(&[2, 3]),
            weight("fc.weight", &[4, 3]),
            weight("fc.bias", &[4]),
        ]
    };
    let bytes = model(LINEAR, inputs(), &options()).expect("it can be exported");
    assert_eq!(number(&bytes, 1), Some(8), "the version of the format");
    let sets = all(&bytes, 8);
    assert_eq!(
        number(&sets[0], 2),
        Some(17),
        "the version of the operators"
    );
    assert_eq!(lines(&bytes), ["Gemm", "Relu"]);
    let graph = all(&bytes, 7).remove(0);
    let names: Vec<String> = all(&graph, 5).iter().flat_map(|w| texts(w, 8)).collect();
    assert_eq!(names, ["fc.weight", "fc.bias"]);
    let weight = &all(&graph, 5)[1];
    assert_eq!(number(weight, 1), Some(4), "its size");
    assert_eq!(number(weight, 2), Some(1), "its dtype");
    assert_eq!(all(weight, 9), [1.0_f32.to_le_bytes().repeat(4)]);
    assert_eq!(texts(&all(&graph, 12)[0], 1), ["y"]);
    assert_eq!(all(&graph, 11).len(), 1);
    let asked = Options {
        initializers_as_inputs: true,
        ..options()
    };
    let bytes = model(LINEAR, inputs(), &asked).expect("it can be exported");
    let graph = all(&bytes, 7).remove(0);
    assert_eq!(all(&graph, 11).len(), 3);
}

const SIZES: &str = "graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %rest : int = prim::Constant[value=-1]()
  %n : int = aten::size(%x, %zero)
  %sizes : int[] = prim::ListConstruct(%n, %rest)
  %y : Tensor = aten::view(%x, %sizes)
  return (%y)
";

#[test]
fn sizes_are_constants_unless_they_vary() {
    let bytes = model(SIZES, vec![argument(&[2, 3, 4])], &options()).expect("it can be exported");
    assert_eq!(lines(&bytes), ["Constant", "Reshape"]);
    let varying = Options {
        input_names: vec!["x".into()],
        dynamic_axes: vec![("x".into(), vec![(0, Some("batch".into()))])],
        ..options()
    };
    let bytes = model(SIZES, vec![argument(&[2, 3, 4])], &varying).expect("it can be exported");
    let kinds = lines(&bytes);
    assert!(kinds.contains(&"Shape".to_string()), "{kinds:?}");
    let graph = all(&bytes, 7).remove(0);
    for declared in [all(&graph, 11).remove(0), all(&graph, 12).remove(0)] {
        let ty = all(&declared, 2).remove(0);
        let tensor = all(&ty, 1).remove(0);
        let dims = all(&all(&tensor, 2)[0], 1);
        assert_eq!(texts(&dims[0], 2), ["batch"]);
        assert!(number(&dims[1], 1).is_some());
    }
}

const TEXTS: &str = "graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %zero : int = prim::Constant[value=0]()
  %text : str = prim::Constant[value=\"size {} of {}\"]()
  %n : int = aten::size(%x, %zero)
  %told : str = aten::format(%text, %n, %half)
  %length : int = aten::len(%told)
  %y : Tensor = aten::relu(%x)
  %z : Tensor = aten::dropout_(%y, %half, %no)
  return (%z)
";

#[test]
fn texts_are_made_while_exporting_and_dropout_in_place_is_nothing() {
    let bytes = model(TEXTS, vec![argument(&[2])], &options()).expect("it can be exported");
    let kinds = lines(&bytes);
    assert!(
        kinds.contains(&"Relu".to_string()) && !kinds.iter().any(|k| k.contains("Drop")),
        "{kinds:?}"
    );
}

const BRANCHES: &str = "graph(%x : Tensor, %n : int):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %go : bool = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %a : Tensor):
      %none : NoneType = prim::Constant()
      %sum : Tensor = aten::sum(%a, %none)
      %above : Tensor = aten::gt(%sum, %zero)
      %is : bool = aten::Bool(%above)
      %b : Tensor = prim::If(%is)
        block0():
          %c : Tensor = aten::add(%a, %i, %one)
          -> (%c)
        block1():
          -> (%a)
      -> (%go, %b)
  return (%y)
";

#[test]
fn branches_and_loops_are_graphs_of_their_own() {
    let inputs = vec![argument(&[2]), Input::Argument(Value::Int(3))];
    let bytes = model(BRANCHES, inputs, &options()).expect("it can be exported");
    let kinds = lines(&bytes);
    let place = |kind: &str| kinds.iter().position(|line| line == kind);
    assert!(place("Loop") < place("  If"), "{kinds:?}");
    assert!(
        place("    Add").is_some() && place("    Identity").is_some(),
        "{kinds:?}"
    );
}

const WRITES: &str = "graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::mul(%x, %x)
  %row : Tensor = aten::select(%y, %zero, %one)
  %written : Tensor = aten::relu_(%row)
  %z : Tensor = aten::neg(%y)
  return (%z)
";

#[test]
fn writes_through_views_are_seen_by_the_whole() {
    let bytes = model(WRITES, vec![argument(&[2, 3])], &options()).expect("it can be exported");
    let kinds = lines(&bytes);
    let place = |kind: &str| kinds.iter().position(|line| line == kind);
    assert!(place("Relu") < place("ScatterElements"), "{kinds:?}");
    assert!(place("ScatterElements") < place("Neg"), "{kinds:?}");
}

const OUTSIDE: &str = "graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::mul(%x, %x)
  %is : bool = aten::Bool(%x)
  %z : Tensor = prim::If(%is)
    block0():
      %written : Tensor = aten::fill_(%y, %one)
      -> (%written)
    block1():
      -> (%y)
  return (%y)
";

#[test]
fn branches_do_not_write_to_what_is_outside() {
    let refusal = model(OUTSIDE, vec![argument(&[1])], &options()).expect_err("it cannot be told");
    assert!(refusal.contains("made outside of it"), "{refusal}");
}

#[test]
fn what_onnx_lacks_is_refused_by_name() {
    let text = "graph(%x : Tensor):\n  %y : Tensor = aten::erfinv(%x)\n  return (%y)\n";
    let refusal = model(text, vec![argument(&[2])], &options()).expect_err("ONNX lacks it");
    assert_eq!(
        refusal,
        "Exporting the operator 'aten::erfinv' to ONNX opset version 17 is not supported"
    );
    let late = Options {
        opset: 99,
        ..options()
    };
    let refusal = model(text, vec![argument(&[2])], &late).expect_err("there is no such version");
    assert_eq!(refusal, "Unsupported onnx_opset_version: 99");
}

#[test]
fn rows_of_the_table_name_operators() {
    let table = rushlight_nn::table();
    let names = rushlight_onnx::operator_names();
    assert!(names.is_sorted());
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "an operator has two rows");
    }
    for name in names {
        let writes = format!("{name}_");
        let known = !table.overloads(name).is_empty() || !table.overloads(&writes).is_empty();
        assert!(known, "there is no operator {name}");
    }
}
