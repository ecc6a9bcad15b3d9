//! Innermost loops of kernels keep their sums in registers.
//!
//! A compiler that no longer unrolls a loop over an array of sums stores all of them to the stack in every round, which
//! costs two thirds of the speed and shows in no result. This step reads the release build of the kernels, as `objdump`
//! (binutils) shows it, and fails where an innermost loop stores about as many vectors to the stack as it does fused
//! multiply-adds.

mod scan;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Outcome, Verdict};
use crate::workspace::release_build;
use scan::{Loop, Scan};

/// The crates whose code has loops that are written for vectors.
const CRATES: &[&str] = &[
    "rushlight_kernels",
    "rushlight_quantized",
    "rushlight_nn",
    "rushlight_ops",
    "rushlight_tensor",
    "gemm_f32",
    "gemm_f64",
];

/// From how many fused multiply-adds on a loop is looked at.
const LEAST_FUSED: usize = 8;

/// How many stores to the stack there may be for a fused multiply-add, exclusive.
const MOST_STORED: f64 = 0.75;

/// A loop that may store more.
struct Allowed {
    /// What the names of its function begin with.
    function: &'static str,
    /// What it may store for a fused multiply-add, exclusive.
    most: f64,
    /// Why.
    why: &'static str,
}

const ALLOWED: &[Allowed] = &[
    Allowed {
        function: "rushlight_kernels::nn::conv::winograd::tiles::avx2",
        most: 1.5,
        why: "a tile of 6 x 6 has more values than AVX2 has registers; loads and stores are what the transform is",
    },
    Allowed {
        function: "rushlight_kernels::nn::conv::winograd::tiles::avx512",
        most: 1.0,
        why: "half-changed sums and the pixels of a tile are more than AVX-512 has registers; the product beside them stores none",
    },
    Allowed {
        function: "rushlight_tensor::random::normal::blocks_f32",
        most: 2.5,
        why: "the numbers of sixteen blocks go from stage to stage through arrays, which are what is stored",
    },
];

pub fn step() -> Outcome {
    let objdump = |arguments: &[&str]| {
        let mut command = Command::new("objdump");
        command.args(arguments);
        command
    };
    if !objdump(&["--version"])
        .output()
        .is_ok_and(|output| output.status.success())
    {
        return Outcome::skipped("not checked: there is no objdump (binutils)");
    }
    let check = || -> Result<String, String> {
        let mut loops = Vec::new();
        for library in libraries()? {
            let mut command = objdump(&["-d", "-C", "--no-show-raw-insn"]);
            loops.extend(read(command.arg(library))?);
        }
        judge(&loops)
    };
    match check() {
        Ok(note) => Outcome::new(Verdict::Passed, note, ""),
        Err(complaints) => Outcome::new(Verdict::Failed, "", complaints),
    }
}

/// The libraries of [`CRATES`] of which the command is linked.
fn libraries() -> Result<Vec<PathBuf>, String> {
    let built = release_build()?;
    let mut found = Vec::new();
    for name in CRATES {
        let of_name = built.iter().filter(|artifact| artifact.name == *name);
        let mut files = of_name.flat_map(|artifact| &artifact.files);
        let library = files.find(|file| file.extension().is_some_and(|e| e == "rlib"));
        found.push(library.cloned().ok_or_else(|| {
            format!(
                "the command is built without `{name}`: mend the table of xtask/src/steps/spills.rs"
            )
        })?);
    }
    Ok(found)
}

/// The innermost loops with at least [`LEAST_FUSED`] fused multiply-adds in what `command` prints.
fn read(command: &mut Command) -> Result<Vec<Loop>, String> {
    let failed = |error: std::io::Error| format!("objdump: {error}");
    let mut process = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut scan = Scan::new(LEAST_FUSED);
    if let Some(output) = process.stdout.take() {
        for line in BufReader::new(output).lines() {
            scan.line(&line.map_err(failed)?);
        }
    }
    match process.wait().map_err(failed)?.success() {
        true => Ok(scan.finish()),
        false => Err("objdump failed".to_owned()),
    }
}

/// A note on loops that are as they should be, or what is said of the others.
fn judge(loops: &[Loop]) -> Result<String, String> {
    if loops.is_empty() {
        return Err(format!(
            "no loop has {LEAST_FUSED} fused multiply-adds, which the kernels' do: is the listing not understood?"
        ));
    }
    let mut complaints = String::new();
    let mut by_table = 0;
    for found in loops {
        let ratio = found.stored as f64 / found.fused as f64;
        if ratio < MOST_STORED {
            continue;
        }
        let allowed = ALLOWED
            .iter()
            .find(|allowed| found.function.starts_with(allowed.function));
        if allowed.is_some_and(|allowed| ratio < allowed.most) {
            by_table += 1;
            continue;
        }
        complaints.push_str(&format!(
            "{} +{:#x}..{:#x}: {} vectors are stored to the stack in a round of {} fused multiply-adds\n",
            found.function, found.from, found.to, found.stored, found.fused
        ));
        if let Some(allowed) = allowed {
            let Allowed { most, why, .. } = allowed;
            complaints.push_str(&format!("    up to {most} for one were allowed: {why}\n"));
        }
    }
    match complaints.is_empty() {
        true => Ok(format!(
            "{} loops, {by_table} of them store sums and may",
            loops.len()
        )),
        false => Err(complaints),
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST_FUSED, judge, scan::Scan};

    fn loops(text: &str) -> Vec<super::Loop> {
        let mut scan = Scan::new(LEAST_FUSED);
        text.lines().for_each(|line| scan.line(line));
        scan.finish()
    }

    #[test]
    fn sums_in_registers_pass_and_sums_on_the_stack_fail() {
        let listing = include_str!("spills/x86_64.txt");
        let found = loops(listing);
        let told: Vec<_> = found
            .iter()
            .map(|l| (l.function.as_str(), l.from, l.to, l.fused, l.stored))
            .collect();
        assert_eq!(
            told,
            [
                ("kernels::in_registers", 0x20, 0x5b, 8, 0),
                ("kernels::on_the_stack", 0x10, 0x7a, 8, 8),
                ("kernels::in_memory", 0x8, 0x60, 8, 0),
            ]
        );
        let complaints = judge(&found).expect_err("sums are on the stack");
        assert_eq!(
            complaints,
            "kernels::on_the_stack +0x10..0x7a: 8 vectors are stored to the stack in a round of 8 fused multiply-adds\n"
        );
        let renamed = loops(&listing.replace("on_the_stack", "in_registers"));
        assert!(judge(&renamed).is_err_and(|text| text.starts_with("kernels::in_registers")));
    }

    #[test]
    fn the_table_allows_up_to_a_number() {
        let listing = include_str!("spills/x86_64.txt");
        let allowed = "rushlight_kernels::nn::conv::winograd::tiles::avx2";
        let of_tiles = listing.replace("kernels::on_the_stack", allowed);
        assert!(judge(&loops(&of_tiles)).is_ok_and(|note| note.starts_with("3 loops, 1 of them")));
    }

    #[test]
    fn arm_is_read_too() {
        let found = loops(include_str!("spills/aarch64.txt"));
        let told: Vec<_> = found
            .iter()
            .map(|l| (l.function.as_str(), l.fused, l.stored))
            .collect();
        assert_eq!(
            told,
            [
                ("kernels::in_registers", 8, 0),
                ("kernels::on_the_stack", 8, 8)
            ]
        );
    }

    #[test]
    fn a_listing_that_is_not_understood_fails() {
        assert!(judge(&loops("nothing of the kind")).is_err());
    }
}
