//! What is tried in a browser: `web/test.js` in the page itself, with files chosen as a person chooses them.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::browser::{self, Browser};
use super::{Built, build};
use crate::steps::{Outcome, wasm};
use crate::workspace::{root, shared, target};

/// All of it takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(600);

/// Builds the page and tries it.
pub fn step() -> Outcome {
    if !wasm::can_build() {
        return Outcome::skipped(format!("no standard library for {}", wasm::TARGET));
    }
    let built = match build() {
        Ok(built) => built,
        Err(output) => return Outcome::from_result(Err(output)),
    };
    let Some(program) = browser::program() else {
        return Outcome::skipped(format!("built, not tried: no Chromium; {}", built.tell()));
    };
    // A browser that says nothing must not hold up everything.
    let (tell, told) = mpsc::channel();
    let note = built.tell();
    std::thread::spawn(move || {
        // Nobody listens after the time is over.
        let _ = tell.send(tried(&program, &built));
    });
    let outcome = told.recv_timeout(PATIENCE);
    let outcome = outcome.unwrap_or_else(|_| Err("the browser did not answer in time".into()));
    Outcome::from_result(outcome.map(|figures| format!("{note}; {figures}")))
}

/// One thing that is tried: the function of `web/test.js`, the file that is chosen before it, and the name of the picture
/// that is taken after it.
struct Try {
    test: &'static str,
    chosen: Option<(&'static str, PathBuf)>,
    picture: Option<&'static str>,
}

fn tries() -> Vec<Try> {
    let digits = |name: &str| root().join("examples/digits").join(name);
    let plain = |test, picture| Try {
        test,
        chosen: None,
        picture,
    };
    let with = |test, selector, file, picture| Try {
        test,
        chosen: Some((selector, file)),
        picture,
    };
    let mut all = vec![
        plain("starts", Some("start")),
        with("opens", "#picker", digits("digits.pt"), Some("model")),
        plain("takesPictures", None),
        with(
            "seesSeven",
            "#view-run input[type=file]",
            digits("seven.png"),
            Some("run"),
        ),
        plain("readsCode", Some("code")),
        plain("drawsGraph", Some("graph")),
        plain("opensExample", None),
        plain("tellsProblems", Some("problems")),
        plain("runsSource", Some("source")),
        plain("survivesTraps", None),
        plain("stops", None),
        with(
            "tellsOfOthers",
            "#picker",
            root().join("web/page.css"),
            None,
        ),
        plain("reachesNobody", None),
    ];
    if let Some(silero) = shared().map(|shared| shared.join("assets/silero_vad.jit"))
        && silero.is_file()
    {
        all.push(with("hears", "#picker", silero, Some("sound")));
    }
    all
}

fn tried(program: &Path, built: &Built) -> Result<String, String> {
    let folder = target().join("web");
    let mut browser = Browser::start(program, &folder.join("browser"))?;
    browser.open(&built.page)?;
    let script = root().join("web/test.js");
    let script =
        std::fs::read_to_string(&script).map_err(|e| format!("{}: {e}", script.display()))?;
    let expected = root().join("examples/digits/expected.json");
    let expected = std::fs::read_to_string(&expected).map_err(|e| e.to_string())?;
    browser.value(&format!("{script}\ntest.expected = {expected}; 0"))?;
    let mut figures = Vec::new();
    for Try {
        test,
        chosen,
        picture,
    } in tries()
    {
        if let Some((selector, file)) = chosen {
            browser.choose(selector, &file)?;
        }
        let outcome = browser.value(&format!("test.{test}()"));
        let name = match (&outcome, picture) {
            (Err(_), _) => Some("failed"),
            (Ok(_), picture) => picture,
        };
        if let Some(name) = name {
            for (dark, suffix) in [(false, ""), (true, "-dark")] {
                let taken = browser.picture(dark)?;
                let path = folder.join(format!("{name}{suffix}.png"));
                std::fs::write(&path, decoded(&taken)).map_err(|e| e.to_string())?;
            }
        }
        let told = outcome
            .map_err(|why| format!("{test}: {why}\n(failed.png beside the page shows it)"))?;
        figures.extend(told.as_str().map(str::to_owned));
    }
    let strangers: Vec<&String> = browser
        .requests
        .iter()
        .filter(|address| {
            !["file:", "blob:", "data:", "about:"]
                .iter()
                .any(|own| address.starts_with(own))
        })
        .collect();
    if !strangers.is_empty() {
        return Err(format!("the page asked for {strangers:?}"));
    }
    if !browser.complaints.is_empty() {
        return Err(format!("the page complained: {:#?}", browser.complaints));
    }
    Ok(figures.join("; "))
}

/// The bytes of base64.
fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
