//! Lies in code: other types, other operators, casts of what is something else, numbers that lead out of bounds.

use crate::random::Random;

use super::pickled::NUMBERS;

const TYPES: &[&str] = &[
    "int",
    "float",
    "bool",
    "str",
    "complex",
    "number",
    "Tensor",
    "Device",
    "NoneType",
    "Any",
    "AnyList",
    "AnyTuple",
    "List[int]",
    "List[Tensor]",
    "List[List[int]]",
    "Dict[str, Tensor]",
    "Dict[int, int]",
    "Optional[Tensor]",
    "Optional[int]",
    "Tuple[int, str]",
    "Tuple[Tensor, Tensor]",
    "Future[Tensor]",
    "RRef[int]",
    "Generator",
    "Storage",
    "Union[int, str]",
    "__torch__.torch.classes.quantized.LinearPackedParamsBase",
];

/// Expressions of every type that code can write down, and names that it usually has.
const VALUES: &[&str] = &[
    "self",
    "x",
    "input",
    "1",
    "-1",
    "0",
    "9223372036854775807",
    "-9223372036854775808",
    "0.5",
    "inf",
    "True",
    "None",
    "\"a\"",
    "\"\"",
    "[]",
    "[1, 2]",
    "[0.5]",
    "[True]",
    "{}",
    "(1, 2)",
    "()",
    "CONSTANTS.c0",
    "CONSTANTS.c1",
    "CONSTANTS.c99",
    "torch.ones([2, 2])",
    "torch.zeros([0])",
    "torch.tensor(1)",
    "annotate(List[Tensor], [])",
    "annotate(Dict[str, Tensor], {})",
    "annotate(Optional[int], None)",
    "uninitialized(Tensor)",
    "uninitialized(int)",
    "torch.device(\"cpu\")",
];

/// Operators that the compiler emits and nobody writes, and those that take memory apart.
const CALLS: &[&str] = &[
    "torch.as_strided",
    "torch.set_",
    "torch.resize_",
    "torch.select",
    "torch.index_put_",
    "torch.embedding",
    "torch.unsqueeze",
    "torch.view",
    "torch.add_",
    "torch.append",
    "torch.__getitem__",
    "torch._set_item",
    "torch.len",
    "torch.format",
    "torch.percentFormat",
    "torch.copy",
    "torch.deepcopy",
    "torch.__contains__",
    "torch.list",
    "torch.sort",
    "torch.keys",
    "torch.pop",
    "torch.insert",
    "torch.extend",
    "torch.mul",
    "torch.wait",
    "torch.requires_grad_",
    "torch.backward",
    "torch.data",
    "torch.detach_",
    "torch.warn",
    "torch.to",
    "torch.quantize_per_tensor",
    "torch.dequantize",
    "torch.int_repr",
    "torch.from_file",
    "torch.lstm",
    "ops.prim.unchecked_unwrap_optional",
    "ops.prim.unchecked_cast",
    "ops.prim.TupleUnpack",
    "ops.prim.TupleIndex",
    "ops.prim.ListConstruct",
    "ops.prim.ListUnpack",
    "ops.prim.DictConstruct",
    "ops.prim.CreateObject",
    "ops.prim.GetAttr",
    "ops.prim.SetAttr",
    "ops.prim.CallMethod",
    "ops.prim.If",
    "ops.prim.Loop",
    "ops.prim.Constant",
    "ops.prim.RaiseException",
    "ops.prim.device",
    "ops.prim.dtype",
    "ops.prim.shape",
    "ops.prim.data",
    "ops.prim.layout",
    "ops.prim.NumToTensor",
    "ops.prim.AutogradZero",
    "ops.prim.rangelist",
    "ops.prim.isinstance",
    "ops.prim.tolist",
    "ops.prim.id",
    "ops.prim.rpc_async",
    "ops.prim.Print",
    "ops.prim.Uninitialized",
    "ops.aten.Int",
    "ops.aten.ScalarImplicit",
    "ops.quantized.linear",
    "ops.quantized.linear_unpack",
    "ops.quantized.conv2d_prepack",
    "ops.quantized.add",
    "getattr",
    "fork",
    "unchecked_cast",
    "annotate",
    "isinstance",
    "uninitialized",
    "print",
];

/// The code with one lie in it.
pub fn changed(code: &[u8], random: &mut Random) -> String {
    let text = String::from_utf8_lossy(code).into_owned();
    match random.below(10) {
        0 | 1 => types(&text, random),
        2 => numbers(text.as_bytes(), random),
        3 => cast(&text, random),
        4 | 5 => call(&text, random),
        6 | 7 => statement(&text, random),
        8 => lines(&text, random),
        _ => names(&text, random),
    }
}

/// Runs of letters, digits, underscores and points, with where they begin.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_part).map(|at| rest + at) {
        let length = text[start..].find(|c| !is_part(c));
        let end = length.map_or(text.len(), |length| start + length);
        found.push((start, &text[start..end]));
        rest = end;
    }
    found
}

/// One of the words that pass becomes something else.
fn replace(
    text: &str,
    random: &mut Random,
    passes: impl Fn(usize, &str) -> bool,
    new: impl Fn(&mut Random, &str) -> String,
) -> String {
    let mut all = words(text);
    all.retain(|(at, word)| passes(*at, word));
    match random.pick(&all) {
        Some((at, word)) => {
            let new = new(random, word);
            format!("{}{new}{}", &text[..*at], &text[at + word.len()..])
        }
        None => text.to_owned(),
    }
}

fn types(text: &str, random: &mut Random) -> String {
    let known = |word: &str| {
        let simple = [
            "Tensor", "int", "float", "bool", "str", "List", "Optional", "Dict",
        ];
        simple.contains(&word) || word.starts_with("__torch__.")
    };
    let classes: Vec<String> = words(text)
        .into_iter()
        .filter(|(_, word)| word.starts_with("__torch__."))
        .map(|(_, word)| word.to_owned())
        .collect();
    let new = |random: &mut Random, _: &str| match random.pick(&classes) {
        Some(class) if random.once_in(3) => class.clone(),
        _ => random.pick(TYPES).copied().unwrap_or("int").to_owned(),
    };
    replace(text, random, |_, word| known(word), new)
}

/// A number becomes another.
pub fn numbers(text: &[u8], random: &mut Random) -> String {
    let is_number = |_: usize, word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let new = |random: &mut Random, _: &str| {
        random
            .pick(NUMBERS)
            .map_or_else(String::new, i64::to_string)
    };
    replace(&String::from_utf8_lossy(text), random, is_number, new)
}

/// Whether what stands at a place is a name in an expression.
fn is_value(text: &str, at: usize, word: &str) -> bool {
    let before = text[..at].trim_end_matches(' ').chars().next_back();
    let after = text[at + word.len()..].chars().next();
    word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && !word.contains('.')
        && matches!(before, Some('(' | ',' | '=' | '['))
        && matches!(after, Some(')' | ',' | '\n' | ']'))
}

fn cast(text: &str, random: &mut Random) -> String {
    let new = |random: &mut Random, word: &str| {
        let form = *random.pick(&["unchecked_cast", "annotate"]).unwrap_or(&"");
        let ty = random.pick(TYPES).copied().unwrap_or("int");
        let value = match random.once_in(3) {
            true => random.pick(VALUES).copied().unwrap_or("self"),
            false => word,
        };
        format!("{form}({ty}, {value})")
    };
    replace(text, random, |at, word| is_value(text, at, word), new)
}

/// What is called becomes something else.
fn call(text: &str, random: &mut Random) -> String {
    let called = |at: usize, word: &str| {
        text[at + word.len()..].starts_with('(') && !text[..at].ends_with("def ")
    };
    let new = |random: &mut Random, _: &str| random.pick(CALLS).copied().unwrap_or("").to_owned();
    replace(text, random, called, new)
}

fn written_call(random: &mut Random) -> String {
    let count = random.below(5);
    let mut arguments = Vec::new();
    for _ in 0..count {
        arguments.push(random.pick(VALUES).copied().unwrap_or("self"));
    }
    let name = random.pick(CALLS).copied().unwrap_or("torch.add");
    if matches!(name, "unchecked_cast" | "annotate" | "uninitialized") {
        arguments.insert(0, random.pick(TYPES).copied().unwrap_or("int"));
    }
    format!("{name}({})", arguments.join(", "))
}

/// A statement more, where the body of a function begins.
fn statement(text: &str, random: &mut Random) -> String {
    let bodies: Vec<usize> = text
        .match_indices(":\n    ")
        .filter(|(at, _)| text[..*at].contains("def "))
        .map(|(at, _)| at + 2)
        .collect();
    let Some(&at) = random.pick(&bodies) else {
        return text.to_owned();
    };
    let attributes: Vec<&str> = words(text)
        .into_iter()
        .filter_map(|(_, word)| word.strip_prefix("self."))
        .filter(|name| !name.contains('.'))
        .collect();
    let name = random.pick(&attributes).copied().unwrap_or("training");
    let value = random.pick(VALUES).copied().unwrap_or("1");
    let line = match random.below(6) {
        0 => format!("self.{name} = {value}"),
        1 => format!(
            "_z = unchecked_cast({}, self.{name})",
            random.pick(TYPES).unwrap_or(&"int")
        ),
        2 => format!("_z = ({}).{name}", written_call(random)),
        3 => format!("self.{name} = {}", written_call(random)),
        4 => format!("print({})", written_call(random)),
        _ => format!("_z = {}", written_call(random)),
    };
    format!("{}    {line}\n{}", &text[..at], &text[at..])
}

/// A line goes away, comes twice or changes places.
fn lines(text: &str, random: &mut Random) -> String {
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    let (a, b) = (random.below(all.len()), random.below(all.len()));
    if all.is_empty() {
        return String::new();
    }
    match random.below(3) {
        0 => drop(all.remove(a)),
        1 => all.insert(a, all[b]),
        _ => all.swap(a, b),
    }
    all.concat()
}

/// A name becomes another that occurs.
fn names(text: &str, random: &mut Random) -> String {
    let all = words(text);
    let is_name = |_: usize, word: &str| !word.starts_with(|c: char| c.is_ascii_digit());
    let new = |random: &mut Random, word: &str| {
        random
            .pick(&all)
            .map_or(word, |(_, other)| other)
            .to_owned()
    };
    replace(text, random, is_name, new)
}
