//! Inputs of one shape as one batch, and the results of a batch as those of its inputs.
//!
//! Which inputs share a batch follows from their order alone, never from which was read first.

use crate::Done;
use rushlight::tensor::DType;
use rushlight::types::{Dict, Key};
use rushlight::{Context, Fault, Tensor, Value};

/// So many batches' worth of inputs may wait for others of their shape.
const WAITING: usize = 8;

/// An input and its place among all.
pub type Numbered = (usize, Tensor);

/// Inputs that wait for others of their shape and dtype, oldest first.
pub struct Waiting {
    size: usize,
    shapes: Vec<(Vec<usize>, DType, Vec<Numbered>)>,
}

impl Waiting {
    /// Nothing waits; batches have `size` inputs.
    pub fn new(size: usize) -> Waiting {
        Waiting {
            size,
            shapes: Vec::new(),
        }
    }

    /// Takes the next input, in order: the batch that is to run now, if any.
    pub fn add(&mut self, input: Numbered) -> Option<Vec<Numbered>> {
        let (sizes, dtype) = (input.1.sizes().to_vec(), input.1.dtype());
        let known = self
            .shapes
            .iter()
            .position(|s| s.0 == sizes && s.1 == dtype);
        let at = known.unwrap_or_else(|| {
            self.shapes.push((sizes, dtype, Vec::new()));
            self.shapes.len() - 1
        });
        self.shapes[at].2.push(input);
        if self.shapes[at].2.len() >= self.size {
            return Some(self.shapes.remove(at).2);
        }
        let waiting: usize = self.shapes.iter().map(|s| s.2.len()).sum();
        match waiting >= self.size.saturating_mul(WAITING) {
            true => self.oldest(),
            false => None,
        }
    }

    /// The inputs that have waited longest.
    pub fn oldest(&mut self) -> Option<Vec<Numbered>> {
        let first = |inputs: &[Numbered]| inputs.first().map(|i| i.0);
        let at = (0..self.shapes.len()).min_by_key(|i| first(&self.shapes[*i].2))?;
        Some(self.shapes.remove(at).2)
    }
}

/// How many inputs may be on their way at once, so that a batch can fill up.
pub fn room(size: usize, jobs: usize) -> usize {
    size.saturating_mul(WAITING + 2 * jobs)
}

/// Tensors of one shape with a dimension in front.
pub fn stacked(context: &Context, inputs: &[Numbered]) -> Result<Value, Fault> {
    let tensors = inputs.iter().map(|i| i.1.clone()).collect::<Vec<_>>();
    let stack = rushlight::table()
        .find("aten::stack")
        .ok_or_else(|| Fault::internal("there is no aten::stack"))?;
    let tensors = Value::list(
        &rushlight::Type::Tensor(None),
        tensors.into_iter().map(Value::Tensor).collect(),
    )?;
    let results = stack.call_vec(context, vec![tensors, Value::Int(0)])?;
    Ok(results.into_iter().next().unwrap_or(Value::None))
}

/// The results of the `count` inputs of a batch.
pub fn split(value: &Value, count: usize) -> Done<Vec<Value>> {
    (0..count).map(|i| part(value, count, i)).collect()
}

/// What of a result belongs to input `i` of `count`.
fn part(value: &Value, count: usize, i: usize) -> Done<Value> {
    let of_all = |what: String| {
        Err(format!("the result of a batch of {count} cannot be split: it has {what}").into())
    };
    match value {
        Value::None => Ok(Value::None),
        Value::Tensor(t) if t.rank() > 0 && t.size(0) == count => {
            Ok(Value::Tensor(t.select(0, i as i64)?))
        }
        Value::Tensor(t) => of_all(format!("a tensor of shape {:?}", t.sizes())),
        Value::Tuple(tuple) => {
            let items = tuple.items.iter().map(|item| part(item, count, i));
            Ok(Value::tuple(items.collect::<Done<_>>()?))
        }
        Value::Dict(dict) => {
            let parts = Dict::new(rushlight::Type::Any, rushlight::Type::Any);
            for (key, item) in dict.entries() {
                parts.insert(Key::new(key)?, part(&item, count, i)?);
            }
            Ok(Value::Dict(parts.into()))
        }
        list if list.is_list() => {
            let items = list.list_items()?;
            let are_batches = items.iter().all(|item| match item {
                Value::Tensor(t) => t.rank() > 0 && t.size(0) == count,
                _ => false,
            });
            if are_batches && !items.is_empty() {
                let parts = items.iter().map(|item| part(item, count, i));
                return Ok(Value::list(
                    &rushlight::Type::Tensor(None),
                    parts.collect::<Done<_>>()?,
                )?);
            }
            match items.len() == count {
                true => Ok(items[i].clone()),
                false => of_all(format!("a list of {}", items.len())),
            }
        }
        other => of_all(other.type_of().annotation().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(i: usize, sizes: &[usize]) -> Numbered {
        (i, Tensor::zeros(sizes, DType::F32).unwrap())
    }

    fn numbers(batch: Option<Vec<Numbered>>) -> Vec<usize> {
        batch.unwrap_or_default().iter().map(|i| i.0).collect()
    }

    #[test]
    fn equal_shapes_share_a_batch() {
        let mut waiting = Waiting::new(2);
        assert!(numbers(waiting.add(input(0, &[2]))).is_empty());
        assert!(numbers(waiting.add(input(1, &[3]))).is_empty());
        assert_eq!(numbers(waiting.add(input(2, &[2]))), [0, 2]);
        assert_eq!(numbers(waiting.oldest()), [1]);
        assert!(waiting.oldest().is_none());
    }

    #[test]
    fn no_input_waits_for_ever() {
        let mut waiting = Waiting::new(2);
        let batches = (0..17).map(|i| numbers(waiting.add(input(i, &[i]))));
        let first = batches.into_iter().find(|batch| !batch.is_empty());
        assert_eq!(first, Some(vec![0]));
    }

    #[test]
    fn results_are_split_or_refused() {
        let batch = Tensor::from_vec(vec![1i64, 2, 3, 4], &[2, 2]).unwrap();
        let value = Value::tuple(vec![Value::Tensor(batch.clone()), Value::None]);
        let parts = split(&value, 2).unwrap();
        let Value::Tuple(second) = &parts[1] else {
            panic!("{:?}", parts[1].type_of());
        };
        assert_eq!(second.items[0].as_tensor().unwrap().to_vec::<i64>(), [3, 4]);
        let error = split(&Value::Tensor(batch), 3).unwrap_err();
        assert!(error.0.contains("[2, 2]"), "{}", error.0);
        assert!(split(&Value::Int(1), 2).is_err());
    }
}
