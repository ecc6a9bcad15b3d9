//! What a page has open, and the requests that it answers.

use crate::answer::{Outcome, Trouble, result};
use crate::question::{arguments, text};
use rushlight::archive::bytes::Bytes;
use rushlight::archive::code::function_code;
use rushlight::archive::identify::identify;
use rushlight::ir::Function;
use rushlight::types::{Callable, Object};
use rushlight::{Context, LoadOptions, Module, Restore, Script, Source, Value};
use rushlight_view::diagram::Picture;
use rushlight_view::{chart, contents, expression, problem, value};
use serde_json::{Value as Json, json};
use std::io::Write;
use std::sync::Arc;

/// Where what scripts print goes, piece by piece.
pub type Print = fn(&str);

/// What a page has open: an archive, and the source that was compiled last.
pub struct Desk {
    print: Print,
    archive: Option<Archive>,
    script: Option<(String, Script)>,
}

struct Archive {
    name: String,
    bytes: Bytes,
    module: Module,
}

/// A request: the fields it came with, the byte arrays beside it, and those of the answer.
struct Request<'r> {
    fields: &'r Json,
    given: Vec<Vec<u8>>,
    parts: &'r mut Vec<Vec<u8>>,
}

/// A request by its name.
type Handler = fn(&mut Desk, Request<'_>) -> Outcome;

/// Everything that can be asked.
const REQUESTS: &[(&str, Handler)] = &[
    ("open", Desk::open),
    ("code", Desk::code),
    ("graph", Desk::graph),
    ("run", Desk::run),
    ("value", Desk::value),
    ("check", Desk::check),
    ("compile", Desk::compile),
];

/// A function ready to be looked at or called.
struct DeskFunction {
    function: Arc<Function>,
    root: Option<Arc<Object>>,
    context: Arc<Context>,
}

impl Desk {
    /// An empty desk.
    pub fn new(print: Print) -> Desk {
        Desk {
            print,
            archive: None,
            script: None,
        }
    }

    /// Answers a request: the first of `parts` is its JSON, `do` in it says what is wanted; the first of the result is the
    /// JSON of the answer, which has a field `error` where something went wrong.
    pub fn ask(&mut self, mut parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let first = match parts.is_empty() {
            true => Vec::new(),
            false => parts.remove(0),
        };
        let mut answers = Vec::new();
        let outcome = self.answer(&first, parts, &mut answers);
        let json = outcome.unwrap_or_else(|trouble| trouble.json());
        answers.insert(0, json.to_string().into_bytes());
        answers
    }

    fn answer(&mut self, json: &[u8], given: Vec<Vec<u8>>, parts: &mut Vec<Vec<u8>>) -> Outcome {
        let fields: Json = serde_json::from_slice(json)
            .map_err(|e| Trouble::new(format!("the request is no JSON: {e}")))?;
        let wanted = text(&fields, "do");
        let Some((_, handler)) = REQUESTS.iter().find(|(name, _)| *name == wanted) else {
            let names: Vec<&str> = REQUESTS.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            return Err(Trouble::new(format!(
                "nobody knows the request '{wanted}'; these are known: {names}"
            )));
        };
        let request = Request {
            fields: &fields,
            given,
            parts,
        };
        handler(self, request)
    }

    /// Surroundings that print to the page.
    fn context(&self) -> Arc<Context> {
        let print = self.print;
        let context = Context::new(Box::new(Sink(print)));
        context.set_warning_sink(Some(Box::new(move |message| {
            print(&format!("UserWarning: {message}\n"));
        })));
        context.shared()
    }

    /// `name` and a file: what it is, and for archives all that it holds.
    fn open(&mut self, mut request: Request<'_>) -> Outcome {
        let name = text(request.fields, "name").to_string();
        let bytes = request
            .given
            .pop()
            .ok_or_else(|| Trouble::new("no file was given"))?;
        self.archive = None;
        let bytes = Bytes::from(bytes);
        let kind = identify(&bytes);
        let mut answer = json!({
            "name": name,
            "kind": kind.describe(),
            "bytes": bytes.len(),
            "loadable": kind.is_loadable(),
        });
        if !kind.is_loadable() {
            answer["advice"] = kind.advice().into();
            return Ok(answer);
        }
        let module = match rushlight::load_bytes(bytes.clone(), self.context()) {
            Ok(module) => module,
            Err(why) => {
                // What cannot run can still be looked at.
                answer["unfit"] = why.to_string().into();
                let options = LoadOptions {
                    restore: Restore::Keep,
                    ..LoadOptions::default()
                };
                rushlight::load_with(bytes.clone(), self.context(), &options)
                    .map_err(|e| Trouble::new(e.to_string()))?
            }
        };
        let parameters: usize = module.parameters().iter().map(|(_, t)| t.numel()).sum();
        answer["parameters"] = parameters.into();
        if let Some(fields) = answer.as_object_mut() {
            fields.extend(contents::fields(&module));
        }
        let methods = module.methods();
        let methods = methods.iter().map(|method| signature(method.function(), 1));
        answer["methods"] = methods.collect();
        answer["classes"] = json!(chart::labels(&module));
        self.archive = Some(Archive {
            name,
            bytes,
            module,
        });
        Ok(answer)
    }

    fn archive(&self) -> Result<&Archive, Trouble> {
        let archive = self.archive.as_ref();
        archive.ok_or_else(|| Trouble::new("no archive is open"))
    }

    /// The code of the open archive, file by file; of one without source, function by function.
    fn code(&mut self, _request: Request<'_>) -> Outcome {
        let archive = self.archive()?;
        let records = rushlight::archive::module::records(archive.bytes.clone())
            .map_err(|e| Trouble::new(e.to_string()))?;
        let mut files = Vec::new();
        for name in records.names() {
            let is_code = name.starts_with("code/") || name.starts_with("libs/");
            if is_code && name.ends_with(".py") {
                let text = records
                    .read_text(name)
                    .map_err(|e| Trouble::new(e.to_string()))?;
                files.push(json!({"name": name, "text": text}));
            }
        }
        if files.is_empty() {
            for function in archive.module.loaded().unit.functions() {
                let (text, _) =
                    function_code(&function).map_err(|e| Trouble::new(e.to_string()))?;
                files.push(json!({"name": function.qualified_name().to_string(), "text": text}));
            }
        }
        Ok(json!({"files": files}))
    }

    /// The function that a request is about: `method` of the archive, or `function` of `source`.
    fn target(&mut self, fields: &Json) -> Result<DeskFunction, Trouble> {
        if let Some(source) = fields["source"].as_str() {
            let name = text(fields, "function");
            let script = self.compiled(source)?;
            let found = script.get(name);
            let found = found
                .ok_or_else(|| Trouble::new(format!("the source defines no function '{name}'")))?;
            return Ok(DeskFunction {
                function: found.function().clone(),
                root: None,
                context: script.context().clone(),
            });
        }
        let module = &self.archive()?.module;
        Ok(DeskFunction {
            function: module.method(text(fields, "method"))?,
            root: Some(module.object().clone()),
            context: module.context().clone(),
        })
    }

    /// Compiled source; that which was compiled last is kept.
    fn compiled(&mut self, source: &str) -> Result<&Script, Trouble> {
        let known = matches!(&self.script, Some((text, _)) if text == source);
        if !known {
            self.script = None;
            let script = rushlight::compile_source(&Source::new(NAME, source))
                .map_err(|e| Trouble::new(e.to_string()))?
                .with_context(self.context());
            self.script = Some((source.to_string(), script));
        }
        match &self.script {
            Some((_, script)) => Ok(script),
            None => Err(Trouble::new("the source was not compiled")),
        }
    }

    /// The graph of a function: as a page to be put into a frame (`html`), as a picture (`svg`) or in words.
    fn graph(&mut self, request: Request<'_>) -> Outcome {
        let fields = request.fields;
        let DeskFunction { function, root, .. } = self.target(fields)?;
        let name = function.basename();
        let graph = function
            .graph()
            .ok_or_else(|| Trouble::new(format!("{name} has no graph")))?;
        let graph = match fields["inlined"].as_bool() {
            Some(false) => graph,
            _ => rushlight::inlined(&graph, function.unit().as_ref()),
        };
        let form = text(fields, "form");
        if form == "words" {
            return Ok(json!({"text": graph.to_text(true)}));
        }
        let title = match (&root, &self.archive) {
            (Some(_), Some(archive)) => format!("{}: {name}", archive.name),
            _ => name.to_string(),
        };
        let all = fields["all"].as_bool().unwrap_or(false);
        let picture = Picture::of(&title, &graph, root.as_ref(), &[], all);
        let text = match form {
            "svg" => picture.svg(),
            _ => picture.html(),
        };
        Ok(json!({"text": text, "left_out": picture.left_out()}))
    }

    /// Calls a function with arguments by name.
    fn run(&mut self, request: Request<'_>) -> Outcome {
        let named = arguments(request.fields, &request.given)?;
        let target = self.target(request.fields)?;
        let receiver = target.root.into_iter().map(Value::Object).collect();
        let function = &*target.function;
        let value = rushlight::runtime::invoke::call(function, &target.context, receiver, named)?;
        Ok(result(&value, request.parts))
    }

    /// What an argument that was written down comes to.
    fn value(&mut self, request: Request<'_>) -> Outcome {
        let value = expression::value(text(request.fields, "text")).map_err(Trouble::new)?;
        Ok(result(&value, request.parts))
    }

    /// The problems of a source, and the functions that it defines.
    fn check(&mut self, request: Request<'_>) -> Outcome {
        let source = Source::new(NAME, text(request.fields, "source"));
        let checked = rushlight::check(&source);
        let problems: Vec<Json> = checked.problems.iter().map(problem::json).collect();
        let compiled = checked
            .functions
            .iter()
            .filter(|(_, f)| f.graph().is_some());
        let functions: Vec<Json> = compiled.map(|(_, f)| signature(f, 0)).collect();
        Ok(json!({"problems": problems, "functions": functions}))
    }

    /// An archive of the functions of a source.
    fn compile(&mut self, request: Request<'_>) -> Outcome {
        let script = self.compiled(text(request.fields, "source"))?;
        let module = script.module(None);
        let module = module.ok_or_else(|| Trouble::new("the source defines no function"))?;
        let saved = module.to_bytes(&Default::default());
        let saved = saved.map_err(|e| Trouble::new(e.to_string()))?;
        let answer = json!({"part": request.parts.len(), "bytes": saved.len()});
        request.parts.push(saved);
        Ok(answer)
    }
}

/// What the source in the page's editor is called in messages.
const NAME: &str = "source.py";

/// How a function is called: its schema, and each argument after the first few with its type and its default.
fn signature(function: &Function, skipped: usize) -> Json {
    let schema = function.schema();
    let arguments = schema.arguments.iter().skip(skipped).map(|argument| {
        json!({
            "name": &*argument.name,
            "type": argument.ty.annotation(),
            "default": argument.default.as_ref().map(value::repr),
        })
    });
    json!({
        "name": function.basename(),
        "schema": schema.to_string(),
        "arguments": arguments.collect::<Vec<_>>(),
    })
}

/// A writer that prints to the page.
struct Sink(Print);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        (self.0)(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
