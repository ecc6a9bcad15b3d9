//! What scripts count under names that they choose.

use parking_lot::Mutex;
use std::collections::HashMap;

/// What becomes of the values that are added to a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregation {
    #[default]
    Sum,
    /// Their mean, rounded towards zero.
    Average,
}

#[derive(Default)]
struct Counter {
    sum: i64,
    added: i64,
    aggregation: Aggregation,
}

/// Counters by name, for all threads.
#[derive(Default)]
pub struct Counters(Mutex<HashMap<String, Counter>>);

impl Counters {
    /// Adds to a counter, which may be new.
    pub fn add(&self, name: &str, value: i64) {
        let mut counters = self.0.lock();
        let counter = counters.entry(name.to_string()).or_default();
        counter.sum = counter.sum.wrapping_add(value);
        counter.added += 1;
    }

    /// Says what becomes of the values of a counter.
    pub fn set_aggregation(&self, name: &str, aggregation: Aggregation) {
        let mut counters = self.0.lock();
        counters.entry(name.to_string()).or_default().aggregation = aggregation;
    }

    /// What a counter has come to; 0 for one that nobody has added to.
    pub fn value(&self, name: &str) -> i64 {
        match self.0.lock().get(name) {
            Some(counter) if counter.added > 0 => match counter.aggregation {
                Aggregation::Sum => counter.sum,
                Aggregation::Average => counter.sum / counter.added,
            },
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_or_have_a_mean() {
        let counters = Counters::default();
        assert_eq!(counters.value("steps"), 0);
        counters.add("steps", 3);
        counters.add("steps", 4);
        assert_eq!(counters.value("steps"), 7);
        counters.set_aggregation("steps", Aggregation::Average);
        assert_eq!(counters.value("steps"), 3);
    }
}
