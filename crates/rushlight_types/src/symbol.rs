//! Interned names: operator kinds, attribute names, type variables. A symbol is four bytes and compares as a number.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// An interned string. Equal text gives the equal symbol for the life of the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    numbers: HashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

fn interner() -> &'static RwLock<Interner> {
    static INTERNER: OnceLock<RwLock<Interner>> = OnceLock::new();
    INTERNER.get_or_init(RwLock::default)
}

impl Symbol {
    /// The symbol of a text.
    pub fn new(text: &str) -> Symbol {
        if let Some(&number) = interner().read().numbers.get(text) {
            return Symbol(number);
        }
        let mut interner = interner().write();
        if let Some(&number) = interner.numbers.get(text) {
            return Symbol(number);
        }
        let text: &'static str = Box::leak(text.into());
        let number = interner.names.len() as u32;
        interner.names.push(text);
        interner.numbers.insert(text, number);
        Symbol(number)
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        interner().read().names[self.0 as usize]
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Symbol {
        Symbol::new(text)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// By text, so that nothing sorted by symbol depends on the order of interning.
impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Symbol) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Symbol {
    fn cmp(&self, other: &Symbol) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}
