//! Every operator of the table, called with arguments changed towards the hostile.
//!
//! The calls are made in a child process with bounded memory. It marks each before it begins, so that the parent knows
//! which one brought it down; a call depends on nothing but corpus, seed and number. What must not happen: a panic, an
//! internal error, the end of the process, a call that takes long or does not hear that its time is over, a result that
//! lies outside its storage or is of another kind than the schema says.

mod arg;
mod build;
mod check;
mod child;
mod findings;
mod hostile;
mod parent;
mod plan;
mod synthesise;
mod tensors;
mod tries;

use std::path::Path;

use arg::Call;
use child::{Outcome, Wrong};
use plan::Plan;

/// The name on the command line.
pub const NAME: &str = "operators";

/// Runs what the arguments ask for; whether nothing was found.
pub fn run(args: &[String]) -> Result<bool, String> {
    let plan = Plan::read(args)?;
    match &plan.file {
        Some(file) => {
            child::keep_panics();
            replay(&plan, file)
        }
        None if plan.child => child::run(&plan),
        None => parent::run(&plan),
    }
}

/// Makes the calls of a file in this very process; whether all of them went well.
fn replay(plan: &Plan, file: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut fine = true;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let json: serde_json::Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let call = Call::read(&json)?;
        if !plan.chooses(&call.operator) {
            continue;
        }
        let ending = match try_one(&call, plan.limit)? {
            Outcome::Returned => "returns".to_owned(),
            Outcome::Refused => "refuses".to_owned(),
            Outcome::Unmade => {
                fine = false;
                "cannot be made".to_owned()
            }
            Outcome::Wrong(wrong) => {
                fine = false;
                let Wrong {
                    kind,
                    place,
                    message,
                } = wrong;
                format!("{kind} at {place}: {message}")
            }
        };
        println!("{}: {ending}", call.write());
    }
    Ok(fine)
}

fn try_one(call: &Call, limit: u64) -> Result<Outcome, String> {
    let table = rushlight::table();
    let operator = table
        .find(&call.operator)
        .ok_or_else(|| format!("no operator `{}`", call.operator))?;
    Ok(child::try_call(table, operator, call, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `findings/operators/` holds calls that once went wrong.
    #[test]
    fn past_findings_stay_mended() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings/operators");
        let plan = Plan::read(&["--limit-ms".to_owned(), "3000".to_owned()]).expect("a plan");
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let fine = replay(&plan, &entry.path()).expect("calls");
            assert!(fine, "{}", entry.path().display());
        }
    }
}
