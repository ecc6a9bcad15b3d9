//! Token soup: random and endlessly repeated tokens, on the stack of a worker thread.
//!
//! Seeds are fixed, so that a failure repeats; `cargo fuzz`-style drivers look further.

use rushlight_syntax::{
    Source, diagnostic, parse_expression, parse_function, parse_module, schema,
};

const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "\n",
    "\n  ",
    "\n    ",
    " if ",
    " else ",
    " elif ",
    " lambda ",
    " not ",
    " and ",
    " or ",
    "-",
    "+",
    "*",
    "**",
    ".",
    "a",
    "1",
    "=",
    ":=",
    "f'{",
    "}'",
    "'",
    "\"\"\"",
    "#",
    "# type: (",
    " for ",
    " in ",
    " async ",
    " await ",
    " def f(",
    " class C",
    " while ",
    " with ",
    " as ",
    " try:",
    " except",
    " match a:",
    " case ",
    "|",
    " return ",
    " yield ",
    " from ",
    " import ",
    "@",
    "->",
    "...",
    "\\\n",
    "é",
    "!",
    "t'{",
    " is ",
    "<",
    "~",
    " del ",
    " global ",
    "\t",
    " type X = ",
    "*a",
];

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn tokens(&mut self, most: usize) -> String {
        (0..self.below(most))
            .map(|_| TOKENS[self.below(TOKENS.len())])
            .collect()
    }
}

fn read_in_every_way(text: &str) {
    let source = Source::new("soup.py", text);
    let (module, diagnostics) = parse_module(&source);
    assert!(!format!("{module:?}").is_empty());
    let shown = &diagnostics[..diagnostics.len().min(10)];
    diagnostic::terminal::render(shown, false);
    assert!(
        shown
            .iter()
            .all(|diagnostic| !diagnostic.to_string().is_empty())
    );
    parse_expression(&source);
    parse_function(&source);
    let _ = (schema::parse_schema(text), schema::parse_type(text));
}

fn on_small_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(body)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn random_tokens_are_read_without_panic() {
    on_small_stack(|| {
        let mut random = Random(88_172_645_463_325_252);
        for _ in 0..500 {
            read_in_every_way(&random.tokens(120));
        }
    });
}

#[test]
fn repeated_tokens_are_read_without_overflow() {
    on_small_stack(|| {
        let mut random = Random(987_654_321);
        for _ in 0..60 {
            let unit = random.tokens(6);
            read_in_every_way(&(unit.repeat(4_000) + &random.tokens(4)));
        }
        for unit in [
            "-- if **\n",
            " yield  await  elif ,",
            "\n  {)",
            " lambda \n) type X =",
        ] {
            read_in_every_way(&unit.repeat(10_000));
        }
    });
}
