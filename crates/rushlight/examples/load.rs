//! Loads archives and says what happened.
fn main() {
    for path in std::env::args().skip(1) {
        let start = std::time::Instant::now();
        match rushlight::load(&path) {
            Ok(module) => println!(
                "{path}: {} in {:?}; missing {}",
                module.object().class().name(),
                start.elapsed(),
                module
                    .loaded()
                    .missing
                    .iter()
                    .map(|(_, m)| m.message.lines().next().unwrap_or("").to_string())
                    .collect::<std::collections::BTreeSet<_>>()
                    .into_iter()
                    .collect::<Vec<_>>()
                    .join("; ")
            ),
            Err(error) => println!("{path}: FAILED {error}"),
        }
    }
}
