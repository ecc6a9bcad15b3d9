//! `cargo xtask web`: Rushlight as one page, `target/web/index.html`, that needs no server and no other file.
//!
//! The module is built with SIMD128, packed, and put into the page beside its styles, its scripts and an example. The
//! page's own files are in `web/`. [`browser`] drives a browser, [`drive`] what is tried in it.

mod browser;
mod drive;

pub use drive::step;

use std::path::{Path, PathBuf};

use crate::arguments::refuse_options;
use crate::steps::{capture, wasm};
use crate::workspace::{cargo, root, target};

/// What the whole page may weigh when it is sent compressed.
const MOST: usize = 8 << 20;

/// The page, built.
pub struct Built {
    page: PathBuf,
    module: usize,
    packed: usize,
}

impl Built {
    fn tell(&self) -> String {
        let megabytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        let sizes = format!(
            "module {:.1} MB, compressed {:.2} MB",
            megabytes(self.module),
            megabytes(self.packed)
        );
        let page = self.page.strip_prefix(root()).unwrap_or(&self.page);
        format!("{}: {sizes}", page.display())
    }
}

/// `cargo xtask web`.
pub fn run(args: Vec<String>) -> Result<(), String> {
    refuse_options(&args)?;
    println!("{}", build()?.tell());
    Ok(())
}

/// What the page is made of besides the module: the place for it, and the file.
const PAYLOADS: &[(&str, &str)] = &[
    ("example-digits", "examples/digits/digits.pt"),
    ("example-seven", "examples/digits/seven.png"),
];

/// Builds the page.
fn build() -> Result<Built, String> {
    let module = read(&module()?)?;
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&module, 9);
    let text = |name: &str| -> Result<String, String> {
        String::from_utf8(read(&root().join("web").join(name))?).map_err(|e| format!("{name}: {e}"))
    };
    let mut payloads = String::new();
    let mut put = |id: &str, content: &str| -> Result<(), String> {
        if content.contains("</script") {
            return Err(format!("{id} would end the script element that it is in"));
        }
        payloads.push_str(&format!(
            "<script type=\"text/plain\" id=\"{id}\">{content}</script>\n"
        ));
        Ok(())
    };
    put("rushlight-worker", &text("worker.js")?)?;
    for (id, path) in PAYLOADS {
        put(id, &base64(&read(&root().join(path))?))?;
    }
    put("rushlight-module", &base64(&packed))?;
    let style = format!("<style>\n{}</style>", text("page.css")?);
    let script = format!("<script>\n{}</script>", text("page.js")?);
    let page = [
        ("<!-- page.css -->", style),
        ("<!-- payloads -->", payloads),
        ("<!-- page.js -->", script),
    ]
    .iter()
    .try_fold(text("index.html")?, |page, (mark, content)| {
        match page.split_once(mark) {
            Some((before, after)) => Ok(format!("{before}{content}{after}")),
            None => Err(format!("web/index.html has no place for {mark}")),
        }
    })?;
    let folder = target().join("web");
    let path = folder.join("index.html");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, &page))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    // What is packed does not pack again, but for the quarter that base64 adds.
    let rest = page.len() - base64(&packed).len();
    let built = Built {
        page: path,
        module: module.len(),
        packed: packed.len() + rest,
    };
    match built.packed {
        0..=MOST => Ok(built),
        _ => Err(format!("{}, more than {} MB", built.tell(), MOST >> 20)),
    }
}

/// Builds the module; gives its path.
fn module() -> Result<PathBuf, String> {
    if !wasm::can_build() {
        return Err(format!(
            "there is no standard library for {0}: rustup target add {0}",
            wasm::TARGET
        ));
    }
    let mut command = cargo();
    command.args(["build", "--release", "--package", "rushlight_wasm", "--lib"]);
    wasm::aim(&mut command);
    command
        .env("RUSTFLAGS", "-C target-feature=+simd128")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    match capture(&mut command)? {
        (true, _) => Ok(target()
            .join(wasm::TARGET)
            .join("release/rushlight_wasm.wasm")),
        (false, output) => Err(output),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Bytes as base64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let number = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let known = digit <= group.len();
            let place = (number >> (18 - 6 * digit) & 63) as usize;
            out.push(if known { DIGITS[place] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_become_base64() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
