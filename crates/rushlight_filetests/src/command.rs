//! The command line of the corpus runners: reads the arguments, runs one kind, reports, keeps the ledger.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ledger::{Findings, Ledger, Style};
use crate::report::{Case, Report, Wording};
use crate::{archives, ops, programs};

const HELP: &str = "\
cargo xtask conformance KIND DIR... [options]

KIND
  programs   AREA/NAME.py with AREA/NAME.out: run by a command, standard output compared
  ops        *.jsonl with operator calls and their results
  archives   expected.json with calls on the archives beside it

Options
  --filter S        only cases whose file or name has S in it
  --min PERCENT     exit 1 when fewer match (programs: in the relaxed grade)
  --json OUT        write everything that was found
  --show N          show the first N failures (10)
  -j N              run so many at once (2)
  --limit SECONDS   the longest a program (60) or an operator call (10) may take
  --cmd COMMAND     programs: what runs a program (the wheel's `python -m rushlight`)
  --ledger FILE     exit 1 when a failure is not listed in FILE or a listed case matches
  --update-ledger   rewrite FILE; only takes away, unless with
  --allow-growth    may add
";

/// What the arguments ask for.
struct Request {
    kind: String,
    dirs: Vec<PathBuf>,
    filter: String,
    min: Option<f64>,
    json: Option<PathBuf>,
    show: usize,
    jobs: usize,
    limit: Option<Duration>,
    command: Option<String>,
    ledger: Option<PathBuf>,
    update: bool,
    growth: bool,
}

/// Runs the command; whether everything asked for holds.
pub fn run(args: Vec<String>) -> Result<bool, String> {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{HELP}");
        return Ok(true);
    }
    let request = Request::read(args)?;
    let kind = CorpusKind::of(&request.kind)?;
    let report = Report::new(&kind.wording, (kind.run)(&request)?);
    print!("{}", report.table());
    print!("{}", columns("reasons", report.reasons()));
    print!("{}", columns("most failures", report.worst_groups()));
    print!("{}", report.failures(request.show));
    if let Some(path) = &request.json {
        let text =
            serde_json::to_string_pretty(&report.json()).map_err(|error| error.to_string())?;
        write(path, &text)?;
    }
    let ledger_holds = match &request.ledger {
        Some(path) => keep_ledger(path, kind, &report, &request)?,
        None => true,
    };
    println!("{}", report.last_line());
    Ok(ledger_holds && request.min.is_none_or(|min| report.percent() >= min))
}

/// The first few of a list of names with counts.
fn columns(title: &str, list: Vec<(String, usize)>) -> String {
    const MOST: usize = 12;
    let lines = list
        .iter()
        .take(MOST)
        .map(|(name, count)| format!("{count:>7}  {name}\n"));
    let text: String = lines.collect();
    if text.is_empty() {
        text
    } else {
        format!("{title}\n{text}")
    }
}

impl Request {
    fn read(args: Vec<String>) -> Result<Self, String> {
        let mut request = Self {
            kind: String::new(),
            dirs: Vec::new(),
            filter: String::new(),
            min: None,
            json: None,
            show: 10,
            jobs: 2,
            limit: None,
            command: None,
            ledger: None,
            update: false,
            growth: false,
        };
        let mut rest = args.into_iter();
        while let Some(arg) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--filter" => request.filter = value()?,
                "--min" => request.min = Some(number(&arg, &value()?)?),
                "--json" => request.json = Some(value()?.into()),
                "--show" => request.show = number(&arg, &value()?)?,
                "-j" => request.jobs = number(&arg, &value()?)?,
                "--limit" => request.limit = Some(Duration::from_secs(number(&arg, &value()?)?)),
                "--cmd" => request.command = Some(value()?),
                "--ledger" => request.ledger = Some(value()?.into()),
                "--update-ledger" => request.update = true,
                "--allow-growth" => request.growth = true,
                _ if arg.starts_with('-') => {
                    return Err(format!("unknown option `{arg}`\n\n{HELP}"));
                }
                _ if request.kind.is_empty() => request.kind = arg,
                _ => request.dirs.push(arg.into()),
            }
        }
        if request.dirs.is_empty() {
            return Err(HELP.to_owned());
        }
        Ok(request)
    }
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("`{option}` needs a number, not `{text}`"))
}

/// One kind of corpus.
struct CorpusKind {
    name: &'static str,
    wording: Wording,
    run: fn(&Request) -> Result<Vec<Case>, String>,
    style: Style,
    /// Whether a reason in the ledger was written by the runner and not by somebody.
    is_automatic: fn(&str) -> bool,
}

const KINDS: &[CorpusKind] = &[
    CorpusKind {
        name: "programs",
        wording: Wording {
            group: "area",
            cases: "programs",
            exact: "exact",
            matching: "relaxed",
            whole_groups: false,
        },
        run: run_programs,
        style: Style {
            head: "# Programs that do not match yet (relaxed grade), with the reason.\n\
                   # `cargo xtask ledger` rewrites this file; it keeps reasons that somebody wrote.",
            together: false,
        },
        is_automatic: programs::is_automatic_reason,
    },
    CorpusKind {
        name: "ops",
        wording: Wording {
            group: "family",
            cases: "records",
            exact: "strides",
            matching: "match",
            whole_groups: false,
        },
        run: run_ops,
        style: Style {
            head: "# Operators whose records do not match yet: all of them (*) or those named by the first half of\n\
                   # their id, with the reason.\n\
                   # `cargo xtask ledger` rewrites this file; it keeps reasons that somebody wrote.",
            together: true,
        },
        is_automatic: ops::is_automatic_reason,
    },
    CorpusKind {
        name: "archives",
        wording: Wording {
            group: "archive",
            cases: "calls",
            exact: "strides",
            matching: "match",
            whole_groups: true,
        },
        run: run_archives,
        style: Style {
            head: "# Archives of which calls do not match yet: all of them (*) or those with these numbers, with the\n\
                   # reason.\n\
                   # `cargo xtask ledger` rewrites this file; it keeps reasons that somebody wrote.",
            together: true,
        },
        is_automatic: archives::is_automatic_reason,
    },
];

impl CorpusKind {
    fn of(name: &str) -> Result<&'static Self, String> {
        KINDS
            .iter()
            .find(|kind| kind.name == name)
            .ok_or_else(|| format!("unknown kind `{name}`\n\n{HELP}"))
    }
}

fn run_programs(request: &Request) -> Result<Vec<Case>, String> {
    let found = programs::find(&request.dirs, &request.filter)?;
    let options = programs::Options {
        command: programs::command(request.command.as_deref())?,
        limit: request.limit.unwrap_or(Duration::from_secs(60)),
        jobs: request.jobs,
    };
    programs::run(&found, &options)
}

fn run_ops(request: &Request) -> Result<Vec<Case>, String> {
    let options = ops::Options {
        filter: request.filter.clone(),
        jobs: request.jobs,
        limit: request.limit.unwrap_or(Duration::from_secs(10)),
    };
    ops::run(&ops::find(&request.dirs)?, &options)
}

fn run_archives(request: &Request) -> Result<Vec<Case>, String> {
    let found = archives::find(&request.dirs, &request.filter)?;
    let mut cases = archives::run(&found, archives::load);
    cases.extend(archives::run_saved(&found));
    Ok(cases)
}

/// Checks the ledger or rewrites it; whether it holds.
fn keep_ledger(
    path: &Path,
    kind: &CorpusKind,
    report: &Report,
    request: &Request,
) -> Result<bool, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let ledger =
        Ledger::parse(&text).map_err(|message| format!("{}: {message}", path.display()))?;
    if request.update {
        return match ledger.updated(report.cases(), kind.is_automatic, request.growth) {
            Ok(updated) => write(path, &updated.print(kind.style)).map(|()| true),
            Err(findings) => {
                show(&findings, path);
                Ok(false)
            }
        };
    }
    let findings = ledger.check(report.cases());
    show(&findings, path);
    Ok(findings == Findings::default())
}

fn show(findings: &Findings, path: &Path) {
    const MOST: usize = 40;
    let lists = [
        ("matches now; take it out of", &findings.stale),
        ("fails and is not in", &findings.unlisted),
    ];
    for (what, list) in lists {
        for line in list.iter().take(MOST) {
            println!("{what} {}: {line}", path.display());
        }
        if list.len() > MOST {
            println!("... and {} more", list.len() - MOST);
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
