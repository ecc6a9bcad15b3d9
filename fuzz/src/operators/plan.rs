//! What to run, as the command line says it.

use std::path::PathBuf;
use std::time::Duration;

/// The option with which this program becomes the child; its value is the number of the first try.
pub const CHILD: &str = "--from";

/// What to run.
#[derive(Clone)]
pub struct Plan {
    /// Where the random streams start.
    pub seed: u64,
    /// The first try.
    pub first: u64,
    /// How long; `None` where the number of calls ends it.
    pub seconds: Option<u64>,
    /// How many calls.
    pub calls: u64,
    /// Full names of operators, with `*` for anything; several with commas between.
    pub operators: String,
    /// Full names to leave out, with commas between.
    pub skipped: Vec<String>,
    /// Full names of operators that get no huge tensors, with commas between.
    pub tame: Vec<String>,
    /// The processor time after which a call hangs.
    pub slow: Duration,
    /// The time limit in milliseconds that each call runs under; 0 for none.
    pub limit: u64,
    /// The most memory a child may ask for, in MiB.
    pub memory: u64,
    /// Where the corpora are.
    pub folders: Vec<PathBuf>,
    /// Where the findings are written.
    pub out: PathBuf,
    /// A file of calls to make instead.
    pub file: Option<PathBuf>,
    /// Whether this is the child.
    pub child: bool,
}

const HELP: &str = "\
rushlight_fuzz operators [--seconds N] [--calls N] [--seed N] [--operators GLOB,..] [--skip NAME,..] [--tame NAME,..]
                         [--slow SECONDS] [--limit-ms N] [--memory MIB] [--out DIR] [--corpus DIR]...
rushlight_fuzz operators [--operators GLOB] [--limit-ms N] FILE     makes the calls of a file, a line of JSON each
";

impl Plan {
    /// Reads the command line.
    pub fn read(args: &[String]) -> Result<Self, String> {
        // Without optimisation everything is slow.
        let patient = cfg!(debug_assertions);
        let mut plan = Self {
            seed: 1,
            first: 0,
            seconds: None,
            calls: u64::MAX,
            operators: "*".to_owned(),
            skipped: Vec::new(),
            tame: Vec::new(),
            slow: Duration::from_secs(if patient { 20 } else { 2 }),
            limit: 0,
            memory: if patient { 1 << 10 } else { 4 << 10 },
            folders: Vec::new(),
            out: PathBuf::from("target/fuzz/operators"),
            file: None,
            child: false,
        };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("`{arg}` needs a value"));
            match arg.as_str() {
                "--seconds" => plan.seconds = Some(number(value()?)?),
                "--calls" => plan.calls = number(value()?)?,
                "--seed" => plan.seed = number(value()?)?,
                "--operators" => plan.operators = value()?.clone(),
                "--skip" => plan.skipped = value()?.split(',').map(str::to_owned).collect(),
                "--tame" => plan.tame = value()?.split(',').map(str::to_owned).collect(),
                "--slow" => plan.slow = Duration::from_secs(number(value()?)?),
                "--limit-ms" => plan.limit = number(value()?)?,
                "--memory" => plan.memory = number(value()?)?,
                "--corpus" => plan.folders.push(PathBuf::from(value()?)),
                "--out" => plan.out = PathBuf::from(value()?),
                CHILD => (plan.child, plan.first) = (true, number(value()?)?),
                _ if arg.starts_with('-') => {
                    return Err(format!("unknown option `{arg}`\n\n{HELP}"));
                }
                _ => plan.file = Some(PathBuf::from(arg)),
            }
        }
        if plan.seconds.is_none() && plan.calls == u64::MAX {
            plan.seconds = Some(10);
        }
        Ok(plan)
    }

    /// The options with which a child makes `calls` calls of this plan from `first` on.
    pub fn of_child(&self, first: u64, calls: u64) -> Vec<String> {
        let mut args = vec![
            "operators".to_owned(),
            CHILD.to_owned(),
            first.to_string(),
            "--seed".to_owned(),
            self.seed.to_string(),
            "--calls".to_owned(),
            calls.to_string(),
            "--operators".to_owned(),
            self.operators.clone(),
            "--out".to_owned(),
            self.out.display().to_string(),
            "--limit-ms".to_owned(),
            self.limit.to_string(),
        ];
        if !self.skipped.is_empty() {
            args.extend(["--skip".to_owned(), self.skipped.join(",")]);
        }
        if !self.tame.is_empty() {
            args.extend(["--tame".to_owned(), self.tame.join(",")]);
        }
        args
    }

    /// Where the children read the recorded calls.
    pub fn calls_file(&self) -> PathBuf {
        self.out.join("calls.jsonl")
    }

    /// Where a child says which try it begins.
    pub fn progress_file(&self) -> PathBuf {
        self.out.join("progress")
    }

    /// Whether an operator is to be called.
    pub fn chooses(&self, full_name: &str) -> bool {
        self.operators
            .split(',')
            .any(|glob| matches(glob, full_name))
            && !self.skipped.iter().any(|name| name == full_name)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// Whether a name matches a pattern in which `*` stands for anything.
fn matches(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        None => glob == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices()
                .map(|(at, _)| at)
                .chain([name.len()])
                .any(|at| matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("*", "aten::add.Tensor"));
        assert!(matches("aten::add*", "aten::add.Tensor"));
        assert!(matches("*conv*d*", "aten::conv2d.padding"));
        assert!(matches("*.out", "aten::add.out"));
        assert!(!matches("aten::add", "aten::add.Tensor"));
        assert!(!matches("*.out", "aten::add.out_x"));
    }
}
