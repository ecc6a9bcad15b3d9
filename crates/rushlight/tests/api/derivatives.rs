//! The tables of derivatives.

use rushlight::autograd::Engine;

#[test]
fn every_derivative_names_an_operator_and_compiles() {
    let engine = Engine::new(|| (rushlight::table(), rushlight::new_unit()));
    let problems = engine.check();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
