//! The server as an editor sees it: messages in, messages out.

use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::thread::JoinHandle;

const URI: &str = "file:///project/net.py";

/// An editor with one open file. `|` in a text is where the cursor is.
struct Editor {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    asked: i32,
    text: String,
    cursor: (usize, usize),
}

impl Editor {
    fn open(marked: &str) -> Editor {
        let (connection, other) = Connection::memory();
        let server = std::thread::spawn(move || rushlight_lsp::serve(&other).unwrap());
        let mut editor = Editor {
            connection,
            server: Some(server),
            asked: 0,
            text: String::new(),
            cursor: (0, 0),
        };
        editor.request("initialize", json!({ "capabilities": {} }));
        editor.tell("initialized", json!({}));
        editor.cursor_at(marked);
        let document =
            json!({ "uri": URI, "languageId": "python", "version": 1, "text": editor.text });
        editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
        editor
    }

    fn cursor_at(&mut self, marked: &str) {
        let at = marked.find('|').unwrap_or(0);
        self.text = marked.replacen('|', "", 1);
        let before = &self.text[..at];
        let line = before.matches('\n').count();
        self.cursor = (
            line,
            before.rsplit('\n').next().unwrap_or("").chars().count(),
        );
    }

    fn change(&mut self, marked: &str) {
        self.cursor_at(marked);
        let document = json!({ "uri": URI, "version": 2 });
        let changes = json!([{ "text": self.text }]);
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    fn tell(&self, method: &str, params: Json) {
        let message = Notification::new(method.to_string(), params);
        self.connection
            .sender
            .send(Message::Notification(message))
            .unwrap();
    }

    fn receive(&self) -> Message {
        let patience = std::time::Duration::from_secs(60);
        self.connection
            .receiver
            .recv_timeout(patience)
            .expect("an answer")
    }

    /// The answer to a request; notifications on the way are passed over.
    fn try_request(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.asked += 1;
        let request = Request::new(self.asked.into(), method.to_string(), params);
        self.connection
            .sender
            .send(Message::Request(request))
            .unwrap();
        loop {
            if let Message::Response(response) = self.receive() {
                assert_eq!(response.id, self.asked.into());
                return match response.error {
                    Some(error) => Err(error.message),
                    None => Ok(response.result.unwrap_or(Json::Null)),
                };
            }
        }
    }

    fn request(&mut self, method: &str, params: Json) -> Json {
        self.try_request(method, params).unwrap()
    }

    /// The answer to a request about the place of the cursor.
    fn at_cursor(&mut self, method: &str, more: Json) -> Json {
        let mut params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": self.cursor.0, "character": self.cursor.1 },
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.request(&format!("textDocument/{method}"), params)
    }

    /// The next problems that the server tells of.
    fn problems(&mut self) -> Vec<Json> {
        loop {
            if let Message::Notification(notification) = self.receive()
                && notification.method == "textDocument/publishDiagnostics"
            {
                return notification.params["diagnostics"]
                    .as_array()
                    .unwrap()
                    .clone();
            }
        }
    }

    fn hover(&mut self) -> String {
        let answer = self.at_cursor("hover", json!({}));
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    fn completions(&mut self) -> Vec<String> {
        let answer = self.at_cursor("completion", json!({}));
        let items = answer.as_array().unwrap().iter();
        items
            .map(|item| item["label"].as_str().unwrap().to_string())
            .collect()
    }

    /// The text of ranges in an answer.
    fn texts(&self, places: &Json) -> Vec<String> {
        let all = match places {
            Json::Array(places) => places.clone(),
            Json::Null => Vec::new(),
            one => vec![one.clone()],
        };
        all.iter()
            .map(|place| {
                let at =
                    |end: &str, part: &str| place["range"][end][part].as_u64().unwrap() as usize;
                let line = self.text.lines().nth(at("start", "line")).unwrap();
                let text = &line[at("start", "character")..at("end", "character")];
                format!("{}:{text}", at("start", "line") + 1)
            })
            .collect()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.request("shutdown", Json::Null);
        self.tell("exit", Json::Null);
        self.server.take().unwrap().join().unwrap();
    }
}

const PROGRAM: &str = "\
import torch
from typing import List

class Point:
    \"\"\"A place.\"\"\"
    def __init__(self, x: float):
        self.x = x

    def double(self) -> float:
        return self.x * 2

def scale(points: List[Point], factor: float = 2.0):
    \"\"\"All places, further out.\"\"\"
    total = torch.zeros(3)
    for point in points:
        total = total + point.x * factor
    return total.relu()

def use():
    return scale([Point(1.0)], factor=3.0)
";

/// The program with the cursor behind the n-th time that a text stands in it.
fn with_cursor(text: &str, nth: usize) -> String {
    let (at, _) = PROGRAM.match_indices(text).nth(nth).unwrap();
    let (before, after) = PROGRAM.split_at(at + text.len());
    format!("{before}|{after}")
}

#[test]
fn problems_come_and_go_with_the_text() {
    let mut editor =
        Editor::open("def f(x: int) -> int:\n    return y\n\ndef g() -> str:\n    return 1\n");
    let problems = editor.problems();
    let lines: Vec<u64> = problems
        .iter()
        .map(|p| p["range"]["start"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 4]);
    assert_eq!(problems[0]["code"], "undefined-name");
    assert!(
        problems[1]["message"]
            .as_str()
            .unwrap()
            .contains("hint: convert it (`str(x)`)")
    );
    editor.change("def f(x: int) -> int:\n    return x\n");
    assert!(editor.problems().is_empty());
}

#[test]
fn hover_shows_types_schemas_and_headers() {
    let mut editor = Editor::open(&with_cursor("total", 0));
    assert_eq!(editor.hover(), "```python\ntotal: Tensor\n```");
    editor.change(&with_cursor("torch.zer", 0));
    assert!(
        editor.hover().contains("aten::zeros(SymInt[] size"),
        "{}",
        editor.hover()
    );
    editor.change(&with_cursor("point.x", 0));
    assert_eq!(editor.hover(), "```python\npoint.x: float\n```");
    editor.change(&with_cursor("return scale", 0));
    let shown = editor.hover();
    assert!(
        shown.contains("def scale(points: List[Point], factor: float = 2.0) -> Tensor"),
        "{shown}"
    );
    assert!(shown.ends_with("All places, further out."), "{shown}");
}

#[test]
fn names_lead_to_their_definitions_and_uses() {
    let mut editor = Editor::open(&with_cursor("return scale", 0));
    let place = editor.at_cursor("definition", json!({}));
    assert_eq!(editor.texts(&place), ["12:scale"]);
    let all = json!({ "context": { "includeDeclaration": true } });
    editor.change(&with_cursor("total", 1));
    let places = editor.at_cursor("references", all.clone());
    assert_eq!(
        editor.texts(&places),
        ["14:total", "16:total", "16:total", "17:total"]
    );
    // Attributes of objects, and keywords of calls.
    editor.change(&with_cursor("point.x", 0));
    let places = editor.at_cursor("references", all.clone());
    assert_eq!(editor.texts(&places), ["7:x", "10:x", "16:x"]);
    editor.change(&with_cursor("factor", 2));
    let places = editor.at_cursor("references", all);
    assert_eq!(
        editor.texts(&places),
        ["12:factor", "16:factor", "20:factor"]
    );
}

#[test]
fn renaming_changes_all_places_or_says_why_not() {
    let mut editor = Editor::open(&with_cursor("factor", 0));
    let edit = editor.at_cursor("rename", json!({ "newName": "by" }));
    assert_eq!(edit["changes"][URI].as_array().unwrap().len(), 3);
    let params = json!({
        "textDocument": { "uri": URI }, "position": { "line": 11, "character": 35 }, "newName": "for",
    });
    let refused = editor.try_request("textDocument/rename", params);
    assert_eq!(refused, Err("'for' is no name".to_string()));
}

#[test]
fn completion_knows_what_stands_before_the_dot() {
    let mut editor =
        Editor::open("import torch\n\ndef f(x: torch.Tensor):\n    y = x + 1\n    return y.|\n");
    let names = editor.completions();
    for wanted in ["relu", "shape", "dtype", "sum"] {
        assert!(names.iter().any(|n| n == wanted), "{wanted} in {names:?}");
    }
    assert!(!names.iter().any(|n| n == "append" || n.starts_with('_')));
    editor.change("def f(x: str):\n    for part in x.sp|\n        pass\n");
    let names = editor.completions();
    assert!(
        names.iter().any(|n| n == "split") && !names.iter().any(|n| n == "relu"),
        "{names:?}"
    );
    editor.change("import torch\nimport math\ndef f(x: float):\n    return math.|\n");
    let names = editor.completions();
    assert!(
        names.iter().any(|n| n == "sqrt") && names.iter().any(|n| n == "pi"),
        "{names:?}"
    );
    editor.change("import torch.nn.functional as F\ndef f(x):\n    return F.|\n");
    assert!(
        editor
            .completions()
            .iter()
            .any(|n| n == "gelu" || n == "interpolate")
    );
    let marked = PROGRAM.replace("point.x", "point.|");
    editor.change(&marked);
    assert_eq!(editor.completions(), ["__init__", "double", "x"]);
}

#[test]
fn completion_knows_what_modules_have_and_what_calls_take() {
    let text = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\nclass Net(nn.Module):\n    \
                def __init__(self, width: int):\n        super().__init__()\n        self.head = nn.Linear(width, 2)\n        \
                self.rate = 0.5\n\n    def part(self, x, scale: float = 1.0):\n        return x * scale\n\n    \
                def forward(self, x):\n        return HERE\n";
    let mut editor = Editor::open(&text.replace("HERE", "self.|"));
    let names = editor.completions();
    for name in ["head", "rate", "part", "training", "forward"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    for (call, keyword) in [
        ("self.part(x, |)", "scale="),
        ("self.part(x, |", "scale="),
        ("F.dropout(x, |)", "training="),
        ("torch.sum(x, |", "dim="),
    ] {
        editor.change(&text.replace("HERE", call));
        let names = editor.completions();
        assert!(names.iter().any(|n| n == keyword), "{call}: {names:?}");
    }
    let text = "class P:\n    def __init__(self, size: int):\n        self.size = size\n\ndef f(n: int):\n    return P(|)\n";
    editor.change(text);
    assert!(editor.completions().iter().any(|n| n == "size="));
}

#[test]
fn completion_offers_what_python_has() {
    let head = "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nfrom typing import *\n\n";
    let layers = format!(
        "{head}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.|\n"
    );
    let mut editor = Editor::open(&layers);
    let names = editor.completions();
    for name in ["Linear", "Conv2d", "ModuleList", "functional"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    editor.change(&format!("{head}def f(x: torch.Te|):\n    return x\n"));
    assert!(editor.completions().iter().any(|n| n == "Tensor"));
    editor.change(&format!("{head}def f(x: |):\n    return x\n"));
    let names = editor.completions();
    assert!(names.iter().any(|n| n == "List") && !names.iter().any(|n| n == "*"));
    for (before, none) in [
        ("math", ["Bool", "add", "len"]),
        ("F", ["add_", "Bool", "append"]),
        ("xs", ["Delete", "add_", "len"]),
    ] {
        editor.change(&format!(
            "{head}def f(xs: List[int]):\n    return {before}.|\n"
        ));
        let names = editor.completions();
        let odd = none.iter().find(|name| names.iter().any(|n| n == *name));
        assert!(odd.is_none() && !names.is_empty(), "{before}: {odd:?}");
    }
}

#[test]
fn hover_in_init_tells_of_the_name_and_of_the_layer() {
    let text = "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n    def __init__(self, width: int):\n        \
                super().__init__()\n        self.fc = nn.Linear(wi|dth, 2)\n\n    def forward(self, x):\n        return self.fc(x)\n";
    let mut editor = Editor::open(text);
    let shown = editor.hover();
    assert!(
        shown.contains("width: int") && !shown.contains("nn.Linear"),
        "{shown}"
    );
    editor.change(
        &text
            .replace("wi|dth", "width")
            .replace("return self.fc", "return self.f|c"),
    );
    let shown = editor.hover();
    assert!(shown.contains("self.fc: Linear"), "{shown}");
}

#[test]
fn completion_offers_names_and_keyword_arguments() {
    let mut editor = Editor::open(&PROGRAM.replace("total.relu()", "to|"));
    let names = editor.completions();
    for wanted in [
        "total", "points", "factor", "Point", "scale", "len", "return",
    ] {
        assert!(names.iter().any(|n| n == wanted), "{wanted} in {names:?}");
    }
    editor.change(&PROGRAM.replace("factor=3.0)", "fac|)"));
    let names = editor.completions();
    assert!(names.iter().any(|n| n == "factor="), "{names:?}");
}

#[test]
fn calls_show_how_they_are_called() {
    let mut editor = Editor::open(&PROGRAM.replace("factor=3.0)", "|)"));
    let help = editor.at_cursor("signatureHelp", json!({}));
    assert_eq!(help["activeParameter"], 1);
    let label = help["signatures"][0]["label"].as_str().unwrap();
    assert!(
        label.starts_with("scale(Point[] points, float factor=2."),
        "{label}"
    );
}

#[test]
fn inlay_hints_show_the_types_that_are_not_written() {
    let mut editor = Editor::open(PROGRAM);
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    let hints = editor.request("textDocument/inlayHint", params);
    let shown: Vec<(u64, &str)> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|h| {
            (
                h["position"]["line"].as_u64().unwrap() + 1,
                h["label"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [(12, " -> Tensor"), (14, ": Tensor"), (19, " -> Tensor")]
    );
}

#[test]
fn hints_that_a_machine_can_follow_are_offered_as_changes() {
    let mut editor =
        Editor::open("def f(value: int) -> int:\n    return vlaue + torch.|numel(value)\n");
    let range =
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 40 } });
    let params =
        json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.request("textDocument/codeAction", params);
    let action = &actions[0];
    assert_eq!(action["title"], "Change `vlaue` to `value`");
    assert_eq!(action["edit"]["changes"][URI][0]["newText"], "value");
}

#[test]
fn the_outline_lists_definitions() {
    let mut editor = Editor::open(PROGRAM);
    let symbols = editor.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": URI } }),
    );
    let names: Vec<&str> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Point", "scale", "use"]);
    assert_eq!(symbols[0]["children"][1]["name"], "double");
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    let mut editor = Editor::open("x = 1\n");
    let unknown = editor.try_request("textDocument/nonsense", json!({}));
    assert_eq!(
        unknown,
        Err("there is no textDocument/nonsense here".to_string())
    );
    let params = json!({ "textDocument": { "uri": "file:///other.py" }, "position": { "line": 0, "character": 0 } });
    let closed = editor.try_request("textDocument/hover", params);
    assert_eq!(closed, Err("file:///other.py is not open".to_string()));
    // Broken text, and places far outside of it.
    editor.change("def f(:\n  return (((|\n\u{1f600}");
    editor.cursor = (10_000, 10_000);
    assert_eq!(editor.at_cursor("hover", json!({})), Json::Null);
    editor.completions();
    editor.at_cursor("signatureHelp", json!({}));
}
