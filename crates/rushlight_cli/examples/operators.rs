//! Prints the schema of every built-in operator with what it does besides computing: a line each, sorted, for the
//! documentation site.

use rushlight::types::Effect;

fn main() {
    for operator in rushlight::table().all() {
        let effect = match operator.effect {
            Effect::Pure => "",
            Effect::Random => "random",
            Effect::SideEffect => "side effect",
        };
        println!("{}\t{effect}", operator.text);
    }
}
