//! Counting tests from what the test runners print.

/// Tests passed and failed according to the summary lines in `output`.
///
/// Understands nextest (`Summary [..] 3 tests run: 2 passed, 1 failed`), `cargo test`
/// (`test result: ok. 2 passed; 1 failed; ...`) and Python's unittest (`Ran 3 tests in ..`, then `OK` or
/// `FAILED (failures=1, errors=1)`).
pub fn tests(output: &str) -> (usize, usize) {
    let mut passed = 0;
    let mut failed = 0;
    let mut python_ran = 0;
    for line in output.lines().map(str::trim) {
        if line.starts_with("Summary [") || line.starts_with("test result:") {
            passed += number_before(line, "passed");
            failed += number_before(line, "failed");
        } else if let Some(rest) = line.strip_prefix("Ran ") {
            python_ran = rest
                .split(' ')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(0);
        } else if python_ran > 0 && (line == "OK" || line.starts_with("OK (")) {
            passed += std::mem::take(&mut python_ran) - number_after(line, "skipped=");
        } else if python_ran > 0 && line.starts_with("FAILED (") {
            let bad = number_after(line, "failures=") + number_after(line, "errors=");
            let other = bad + number_after(line, "skipped=");
            passed += std::mem::take(&mut python_ran).saturating_sub(other);
            failed += bad;
        }
    }
    (passed, failed)
}

fn number_before(line: &str, word: &str) -> usize {
    let Some(at) = line.find(&format!(" {word}")) else {
        return 0;
    };
    let digits: String = line[..at]
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .collect();
    digits
        .chars()
        .rev()
        .collect::<String>()
        .parse()
        .unwrap_or(0)
}

fn number_after(line: &str, key: &str) -> usize {
    let Some(at) = line.find(key) else { return 0 };
    let digits: String = line[at + key.len()..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::tests;

    #[test]
    fn nextest_summaries_count() {
        let text = "   Summary [   0.012s] 12 tests run: 10 passed (1 slow), 2 failed, 1 skipped";
        assert_eq!(tests(text), (10, 2));
    }

    #[test]
    fn cargo_test_summaries_add_up() {
        let text = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\
                    test result: FAILED. 4 passed; 1 failed; 0 ignored";
        assert_eq!(tests(text), (7, 1));
    }

    #[test]
    fn unittest_summaries_count() {
        assert_eq!(tests("Ran 5 tests in 0.1s\n\nOK (skipped=1)"), (4, 0));
        assert_eq!(
            tests("Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)"),
            (3, 2)
        );
    }
}
