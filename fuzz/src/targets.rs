//! The readers of foreign bytes, one target each.
//!
//! A target must come back from any input: an error is an answer, a panic or a hang is not. Where a reader
//! promises more (what prints reads back), the target holds it to that.

use std::sync::Arc;

use rushlight::archive::bytes::Bytes;
use rushlight::archive::identify::identify;
use rushlight::archive::pickle::{self, PickleLimits};
use rushlight::archive::zip::{Archive, Limits, Writer};
use rushlight::ir::Graph;
use rushlight::ir::parse::Lookup;
use rushlight::syntax::diagnostic::{highlight, terminal};
use rushlight::syntax::{Diagnostic, Source as Text, parse_expression, parse_module};
use rushlight::types::Schema;
use rushlight::{Context, Limits as Bounds};

use crate::change::Materials;
use crate::corpus::{Source, whole};
use crate::lies;
use crate::random::Random;

/// One reader.
pub struct Target {
    /// The name on the command line.
    pub name: &'static str,
    /// What its inputs are made from.
    pub source: Source,
    /// Makes an input from those.
    pub make: fn(&mut Random, &Materials<'_>) -> Vec<u8>,
    /// Words that mean something to it.
    pub words: &'static [&'static [u8]],
    /// Reads an input; panics when a promise is broken.
    pub run: fn(&[u8]),
}

/// The target called `name`.
pub fn find(name: &str) -> Option<&'static Target> {
    ALL.iter().find(|target| target.name == name)
}

/// Every target.
pub const ALL: &[Target] = &[
    Target {
        name: "parser",
        source: Source {
            extensions: &[".py"],
            extract: whole,
        },
        make: crate::change::make,
        words: PYTHON,
        run: parser,
    },
    Target {
        name: "expression",
        source: Source {
            extensions: &[".py"],
            extract: lines,
        },
        make: crate::change::make,
        words: PYTHON,
        run: expression,
    },
    Target {
        name: "schema",
        source: Source {
            extensions: &["schemas.txt", "schemas_other.txt", ".jsonl"],
            extract: schemas,
        },
        make: crate::change::make,
        words: &[
            b"(a!)",
            b"(a -> *)",
            b"?",
            b"[]",
            b"[2]",
            b"Tensor",
            b" -> ",
            b"*, ",
            b"=",
            b"Dict(",
            b"...",
            b"Future(",
        ],
        run: schema,
    },
    Target {
        name: "pickle",
        source: Source {
            extensions: &[".pt", ".ptl", ".jit", ".dat", ".pkl", ".pth"],
            extract: pickles,
        },
        make: crate::change::make,
        words: &[
            b"\x80\x02",
            b"(",
            b"t",
            b"R",
            b"b",
            b"c__torch__\nX\n",
            b"\x8a\x08",
            b"X\xff\xff\xff\xff",
            b"q\x00",
            b"h\x00",
            b"]",
            b"e",
            b"}",
            b"u",
            b".",
            b"Q",
        ],
        run: read_pickle,
    },
    Target {
        name: "zip",
        source: Source {
            extensions: ARCHIVES,
            extract: whole,
        },
        make: crate::change::make,
        words: &[
            b"PK\x01\x02",
            b"PK\x03\x04",
            b"PK\x05\x06",
            b"PK\x06\x06",
            b"PK\x06\x07",
            b"\x01\x00\x18\x00",
            b"FB",
            b"../",
        ],
        run: zip,
    },
    Target {
        name: "identify",
        source: Source {
            extensions: ARCHIVES,
            extract: whole,
        },
        make: crate::change::make,
        words: &[
            b"PK\x03\x04",
            b"\x80\x02",
            b"<html>",
            b"version https://git-lfs",
            b"\x93NUMPY",
            b"PTMF",
            b"GGUF",
        ],
        run: kind,
    },
    Target {
        name: "ir",
        source: Source {
            extensions: &[".ir", ".md", ".out"],
            extract: graphs,
        },
        make: crate::change::make,
        words: &[
            b"graph(",
            b"%0 : Tensor",
            b" = prim::If(",
            b"block0():\n",
            b"  -> (",
            b"return (",
            b"prim::Loop(",
            b"prim::Constant[value=",
            b"aten::add(",
            b" : int",
            b"Float(2, 3, strides=[3, 1])",
            b"]()",
            b"prim::CallMethod[name=\"f\"](",
            b" # x.py:1:1",
        ],
        run: ir,
    },
    Target {
        name: "compile",
        source: Source {
            extensions: &[".py"],
            extract: definitions,
        },
        make: crate::change::make,
        words: PYTHON,
        run: compile,
    },
    Target {
        name: "loader",
        source: Source {
            extensions: ARCHIVES,
            extract: records,
        },
        make: crate::change::make,
        words: &[
            b"\x1ecode/__torch__.py\x1f",
            b"\x1edata.pkl\x1f",
            b"\x1eversion\x1f",
            b"\x80\x02",
            b"R",
            b"b",
            b"Q",
            b"CONSTANTS.c0",
            b"ops.prim.",
            b"torch.",
            b"def forward(self: __torch__.M) -> Tensor:\n  ",
            b"annotate(List[int], [])",
            b"__annotations__[\"x\"] = int\n",
            b"uninitialized(int)",
            b"unchecked_cast(Tensor, x)",
        ],
        run: load,
    },
    Target {
        name: "flatbuffer",
        source: Source {
            extensions: &[".ff"],
            extract: whole,
        },
        make: crate::change::make,
        words: &[
            b"PTMF",
            b"\x04\0\0\0",
            b"\xff\xff\xff\xff",
            b"\0\0\0\x80",
            b"\x0c\0\0\0\x04\0",
            b"__torch__.",
            b"List[Tensor]",
        ],
        run: flatbuffer,
    },
    Target {
        name: "lies",
        source: Source {
            extensions: &[".pt", ".ptl", ".ff", ".jit"],
            extract: whole,
        },
        make: lies::make,
        words: &[],
        run: lies::play,
    },
];

const ARCHIVES: &[&str] = &[
    ".pt", ".ptl", ".ff", ".jit", ".dat", ".pt2", ".npz", ".npy", ".pth",
];

const PYTHON: &[&[u8]] = &[
    b"def f(x: int) -> int:\n    ",
    b"class A:\n    ",
    b"if x:\n    ",
    b"while True:\n    ",
    b"for i in range(3):\n    ",
    b"return ",
    b"lambda x: ",
    b"# type: (int) -> int\n",
    b"# type: List[int]\n",
    b"f\"{x!r:>{w}}\"",
    b"\"\"\"",
    b"\\\n",
    b"not ",
    b" if x else ",
    b" for x in y",
    b" := ",
    b"**",
    b"...",
    b"@",
    b"-> ",
    b"Optional[",
    b"\xef\xbb\xbf",
    b"\r",
    b"\x0c",
    b"1e999",
    b"0x",
    b"99999999999999999999",
    b"try:\n    pass\nexcept:\n    pass\n",
    b"async ",
    b"match x:\n    case _: pass\n",
];

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn parser(bytes: &[u8]) {
    let source = Text::new("fuzz.py", text(bytes).into_owned());
    let (_, diagnostics) = parse_module(&source);
    show(&diagnostics);
}

fn expression(bytes: &[u8]) {
    let source = Text::new("fuzz.py", text(bytes).into_owned());
    let (_, diagnostics) = parse_expression(&source);
    show(&diagnostics);
}

/// Both ways of showing a problem must bear any span.
fn show(diagnostics: &[Diagnostic]) {
    if let Some(first) = diagnostics.first() {
        highlight::render(first);
        terminal::render(diagnostics, false);
    }
}

fn schema(bytes: &[u8]) {
    if let Ok(schema) = Schema::parse(&text(bytes)) {
        let printed = schema.to_string();
        let again = Schema::parse(&printed).map(|again| again.to_string());
        assert_eq!(
            again.as_ref(),
            Ok(&printed),
            "what prints does not read back"
        );
    }
}

fn read_pickle(bytes: &[u8]) {
    let limits = PickleLimits {
        max_nodes: 1 << 16,
        max_expanded: 1 << 18,
        ..PickleLimits::default()
    };
    if let Err(error) = pickle::read(bytes, &limits) {
        error.to_string();
    }
}

fn zip(bytes: &[u8]) {
    let archive = match Archive::open(Bytes::from(bytes.to_vec()), &Limits::default()) {
        Ok(archive) => archive,
        Err(error) => {
            error.to_string();
            return;
        }
    };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    for name in names.iter().take(64) {
        if let Err(error) = archive.read(name) {
            error.to_string();
        }
    }
}

fn kind(bytes: &[u8]) {
    let kind = identify(&Bytes::from(bytes.to_vec()));
    kind.describe();
    kind.advice();
}

fn ir(bytes: &[u8]) {
    let lookup = Lookup::operators(rushlight::table());
    if let Ok(graph) = Graph::parse(&text(bytes), &lookup) {
        let printed = graph.to_string();
        let again = Graph::parse(&printed, &lookup).map(|again| again.to_string());
        assert_eq!(
            again.ok().as_ref(),
            Some(&printed),
            "what prints does not read back"
        );
    }
}

/// Each printed graph within a text, from `graph(` to the line that returns.
fn graphs(bytes: &[u8]) -> Vec<Vec<u8>> {
    let text = text(bytes);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("graph(") {
        let mut graph = String::new();
        for line in text[at..].split_inclusive('\n') {
            graph.push_str(line);
            if line.trim_start().starts_with("return (") {
                found.push(graph.into_bytes());
                break;
            }
        }
    }
    found
}

/// Compiles the definitions of a file and prints what compiled, as graphs and as code; nothing runs.
fn compile(bytes: &[u8]) {
    let source = text(bytes);
    match rushlight::compile(&source) {
        Ok(script) => {
            for function in script.functions() {
                if let Some(graph) = function.function().graph() {
                    graph.to_text(true);
                }
                // Some code has no form in source; that is an answer too.
                let _ = rushlight::archive::code::function_code(function.function());
            }
        }
        Err(error) => {
            error.to_string();
        }
    }
}

/// The imports and definitions of a program, without the statements that run them.
fn definitions(bytes: &[u8]) -> Vec<Vec<u8>> {
    let source = text(bytes);
    let mut kept = String::new();
    let mut inside = false;
    for line in source.lines() {
        if !line.starts_with(' ') && !line.trim().is_empty() {
            let starts = ["def ", "class ", "@", "import ", "from "];
            inside = starts.iter().any(|start| line.starts_with(start));
        }
        if inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    vec![kept.into_bytes()]
}

/// Puts the records into an archive that the zip reader accepts, so that what reads the records sees them.
fn load(bytes: &[u8]) {
    let mut archive = Writer::new("archive");
    for record in bytes.split(|byte| *byte == RECORD).skip(1) {
        let mut parts = record.splitn(2, |byte| *byte == NAME_END);
        let (Some(name), Some(data)) = (parts.next(), parts.next()) else {
            continue;
        };
        // A name that the writer refuses makes no archive; the others do.
        let _ = archive.add_stored(&text(name), data);
    }
    load_bounded(archive.finish());
}

/// Loads a mobile module in a flatbuffer.
fn flatbuffer(bytes: &[u8]) {
    if bytes.get(4..8) == Some(b"PTMF") {
        load_bounded(bytes.to_vec());
    }
}

/// Loads a file with little time and memory for its code.
fn load_bounded(bytes: Vec<u8>) {
    let context = Context::silent();
    context.set_limits(Bounds {
        instructions: 1 << 20,
        bytes: 1 << 28,
        depth: 100,
        millis: 2000,
    });
    if let Err(error) = rushlight::load_bytes(Bytes::from(bytes), Arc::new(context)) {
        error.to_string();
    }
}

const RECORD: u8 = 0x1e;
const NAME_END: u8 = 0x1f;

/// The records of an archive one after the other, each as a mark, its name, another mark and its content.
fn records(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(archive) = Archive::open(Bytes::from(bytes.to_vec()), &Limits::default()) else {
        return Vec::new();
    };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    let mut all = Vec::new();
    for name in names {
        if let Ok(data) = archive.read(&name) {
            all.push(RECORD);
            all.extend(name.as_bytes());
            all.push(NAME_END);
            all.extend(data.iter());
        }
    }
    vec![all]
}

/// Each line that holds more than a word or two.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines
        .filter(|line| line.len() > 8)
        .map(<[u8]>::to_vec)
        .collect()
}

/// Lines of schemas, and what stands behind `"schema":` in records.
fn schemas(bytes: &[u8]) -> Vec<Vec<u8>> {
    let text = text(bytes);
    let of_record = |line: &str| {
        let (_, rest) = line.split_once("\"schema\":\"")?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let lines = text.lines().filter_map(|line| match line.starts_with('{') {
        true => of_record(line),
        false => Some(line.split('\t').next().unwrap_or(line).to_owned()),
    });
    lines.map(String::into_bytes).collect()
}

/// The pickles within an archive, or the file itself where it is none.
fn pickles(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(archive) = Archive::open(Bytes::from(bytes.to_vec()), &Limits::default()) else {
        return vec![bytes.to_vec()];
    };
    let names: Vec<String> = archive
        .names()
        .filter(|name| name.ends_with(".pkl"))
        .map(str::to_owned)
        .collect();
    names
        .iter()
        .filter_map(|name| Some(archive.read(name).ok()?.to_vec()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `findings/TARGET/` holds inputs that once broke a promise.
    #[test]
    fn past_findings_stay_mended() {
        let findings = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("findings");
        for target in ALL {
            for entry in std::fs::read_dir(findings.join(target.name))
                .into_iter()
                .flatten()
                .flatten()
            {
                (target.run)(&std::fs::read(entry.path()).expect("a finding can be read"));
            }
        }
    }
}
