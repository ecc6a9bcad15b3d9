//! A headless Chromium, driven over its debugging pipe: JSON messages that end with a zero byte, in file descriptor 3, out
//! of 4.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// What the program may be called.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// How it is started. The microphone is a recording of beeps.
const OPTIONS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--window-size=1280,860",
    "about:blank",
];

/// The program, where this machine has it: what `CHROMIUM` names, or the first of its names that is found.
pub fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    commands: ChildStdin,
    events: BufReader<ChildStdout>,
    session: String,
    asked: u64,
    /// What the page wrote to its console as errors, and what it threw.
    pub complaints: Vec<String>,
    /// Addresses that were asked for.
    pub requests: Vec<String>,
}

impl Browser {
    /// Starts a browser whose settings are in `folder`, and opens an empty page in it.
    pub fn start(program: &Path, folder: &Path) -> Result<Browser, String> {
        let redirected = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut process = Command::new("sh")
            .args(["-c", redirected])
            .arg(program)
            .arg(format!("--user-data-dir={}", folder.display()))
            .args(OPTIONS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (commands, events) = pipes.ok_or("the browser has no pipes")?;
        let mut browser = Browser {
            process,
            commands,
            events: BufReader::new(events),
            session: String::new(),
            asked: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
        };
        let page = browser.ask("Target.createTarget", json!({"url": "about:blank"}))?;
        let target = json!({"targetId": page["targetId"], "flatten": true});
        let attached = browser.ask("Target.attachToTarget", target)?;
        browser.session = attached["sessionId"].as_str().unwrap_or_default().into();
        for domain in [
            "Page.enable",
            "Runtime.enable",
            "Network.enable",
            "DOM.enable",
        ] {
            browser.ask(domain, json!({}))?;
        }
        Ok(browser)
    }

    /// Sends a command and waits for its result.
    pub fn ask(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let sent = self
            .commands
            .write_all(&bytes)
            .and_then(|()| self.commands.flush());
        sent.map_err(|e| format!("{method}: the browser is gone: {e}"))?;
        loop {
            let mut answer = Vec::new();
            let read = self.events.read_until(0, &mut answer);
            if read.map_err(|e| format!("{method}: {e}"))? == 0 {
                return Err(format!("{method}: the browser has ended"));
            }
            answer.pop();
            let answer: Json = serde_json::from_slice(&answer).map_err(|e| e.to_string())?;
            if answer["id"] != self.asked {
                self.note(&answer);
            } else if let Some(error) = answer.get("error") {
                return Err(format!("{method}: {error}"));
            } else {
                return Ok(answer["result"].clone());
            }
        }
    }

    fn note(&mut self, event: &Json) {
        let about = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(about["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") if about["type"] == "error" => {
                self.complaints.push(about["args"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let address = about["request"]["url"].as_str().unwrap_or_default();
                self.requests.push(address.chars().take(200).collect());
            }
            _ => {}
        }
    }

    /// Opens a file.
    pub fn open(&mut self, file: &Path) -> Result<(), String> {
        let address = format!("file://{}", file.display());
        self.ask("Page.navigate", json!({"url": address}))?;
        Ok(())
    }

    /// The value of an expression; promises are waited for.
    pub fn value(&mut self, expression: &str) -> Result<Json, String> {
        let wanted = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let answer = self.ask("Runtime.evaluate", wanted)?;
        match answer.get("exceptionDetails") {
            Some(thrown) => {
                let told = thrown["exception"]["description"].as_str();
                Err(told.map_or_else(|| thrown.to_string(), str::to_owned))
            }
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Chooses a file in the element that a selector finds, as a person would.
    pub fn choose(&mut self, selector: &str, file: &Path) -> Result<(), String> {
        let document = self.ask("DOM.getDocument", json!({}))?;
        let wanted = json!({"nodeId": document["root"]["nodeId"], "selector": selector});
        let found = self.ask("DOM.querySelector", wanted)?;
        let files = json!({"nodeId": found["nodeId"], "files": [file.display().to_string()]});
        self.ask("DOM.setFileInputFiles", files)?;
        Ok(())
    }

    /// What the page looks like, as a PNG file in base64.
    pub fn picture(&mut self, dark: bool) -> Result<String, String> {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.ask("Emulation.setEmulatedMedia", json!({"features": features}))?;
        std::thread::sleep(Duration::from_millis(150));
        let taken = self.ask("Page.captureScreenshot", json!({"format": "png"}))?;
        Ok(taken["data"].as_str().unwrap_or_default().to_owned())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Where it does not go by itself it is ended.
        let _ = self.ask("Browser.close", json!({}));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
