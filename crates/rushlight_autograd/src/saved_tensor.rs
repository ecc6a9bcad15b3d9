//! Tensors that derivatives read: as they were when they were saved, or refused where somebody has written them since.

use crate::anomaly;
use crate::history::{Edge, Meta, Node, Saved, SavedTensor, SavedValue, Within, version};
use crate::node::{attach, short};
use crate::record::check_saved;
use crate::rules::{Read, Rule};
use crate::saved;
use crate::view::refresh;
use rushlight_tensor::{Fault, History, Result, Tensor};
use rushlight_types::Value;
use std::sync::{Arc, Weak};

impl SavedTensor {
    pub fn new(tensor: &Tensor) -> SavedTensor {
        let writes = Meta::writes(tensor);
        SavedTensor {
            data: tensor.alias(),
            identity: tensor.id(),
            version: version(tensor, writes.as_ref()),
            writes,
            requires: tensor.requires_grad(),
            is_read: true,
            is_view: Meta::of(tensor).is_some_and(|m| {
                (m.state().view.as_ref()).is_some_and(|view| view.fixed.is_none())
            }),
            history: tensor.requires_grad().then(|| snapshot(tensor)),
            own: Meta::of(tensor).map_or_else(Weak::new, |own| Arc::downgrade(&own)),
            result: None,
            within: None,
            unpack: None,
        }
    }

    /// Gives the tensor to the program, where that keeps what is saved.
    pub fn given(mut self, tensor: &Tensor) -> Result<SavedTensor> {
        if let Some(unpack) = saved::pack(tensor)? {
            self.data = Tensor::empty(&[0], self.data.dtype())?;
            self.unpack = Some(unpack);
        }
        Ok(self)
    }

    /// A tensor of which only the history and the shape are read.
    pub fn unread(tensor: &Tensor) -> SavedTensor {
        SavedTensor {
            is_read: false,
            ..SavedTensor::new(tensor)
        }
    }

    /// A tensor that is about to be written: a copy, with the history of the tensor.
    pub fn before_write(tensor: &Tensor) -> SavedTensor {
        let data = tensor.contiguous_copy();
        SavedTensor {
            version: data.version(),
            data,
            writes: None,
            ..SavedTensor::new(tensor)
        }
    }

    pub fn of_result(tensor: &Tensor, index: usize) -> SavedTensor {
        let writes = Meta::writes(tensor);
        SavedTensor {
            data: tensor.alias(),
            identity: tensor.id(),
            version: version(tensor, writes.as_ref()),
            writes,
            requires: true,
            is_read: true,
            is_view: false,
            history: None,
            own: Weak::new(),
            result: Some(index),
            within: None,
            unpack: None,
        }
    }

    /// The node that the tensor is a result of by now, and which.
    fn writer(&self) -> Option<(usize, String)> {
        let history = self.own.upgrade().or_else(|| self.history.clone())?;
        self.history.as_ref()?;
        if self.is_view {
            return Some((0, "AsStridedBackward0".to_string()));
        }
        refresh(&self.data, &history);
        let state = history.state();
        let edge = state.source.as_ref()?;
        Some(match edge.node.last_writer(edge.index) {
            Some((name, index)) => (index, name.to_string()),
            None => (edge.index, edge.node.name().to_string()),
        })
    }

    /// Whether the tensor required gradients.
    pub fn requires(&self) -> bool {
        self.requires
    }

    /// The tensor again; with its history where a gradient of a gradient is asked for.
    pub fn restore(&self, node: &Arc<Node>, with_history: bool) -> Result<Tensor> {
        let tensor = match &self.unpack {
            Some(unpack) => unpack()?.alias(),
            None => self.unchanged(node)?,
        };
        if with_history && self.requires {
            match self.result {
                Some(index) => match self.within.as_ref().and_then(|within| within.node()) {
                    Some(view) => attach(&tensor, &view, 0),
                    None => attach(&tensor, node, index),
                },
                None => {
                    let history = self.history.clone();
                    tensor.set_history(history.map(|h| h as Arc<dyn History>));
                    tensor.set_requires_grad(true);
                }
            }
        }
        Ok(tensor)
    }

    /// The tensor, if nobody has written it since.
    fn unchanged(&self, node: &Arc<Node>) -> Result<Tensor> {
        self.check(self.result.map(|index| (index, node.name())))?;
        Ok(self.data.alias())
    }

    /// Refuses the tensor where somebody has written it since; `result` says of which call it is a result, if it was saved as one.
    fn check(&self, result: Option<(usize, &str)>) -> Result<()> {
        let now = version(&self.data, self.writes.as_ref());
        if now == self.version || !self.is_read {
            return Ok(());
        }
        let differentiable = self.data.dtype().is_float() || self.data.dtype().is_complex();
        let writer = match result {
            Some((index, name)) if differentiable => Some((index, name.to_string())),
            Some(_) => None,
            None => self.writer(),
        };
        let place = writer.map_or_else(String::new, |(index, name)| {
            format!(", which is output {index} of {},", short(&name))
        });
        Err(Fault::runtime(format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.{}Tensor {}]{place} is at version {}; expected version {} instead. Hint: {}",
            self.data.dtype().class_name(),
            rushlight_tensor::layout::list(self.data.sizes()),
            now,
            self.version,
            anomaly::hint()
        )))
    }
}

impl Saved {
    /// Refuses what is kept for that alone and has been written since.
    pub fn check_kept(&self, node: &Arc<Node>, rule: &Rule) -> Result<()> {
        for read in &rule.keeps {
            let kept = match read {
                Read::Argument(i) => match &self.arguments[*i].0 {
                    SavedValue::Tensor(t) => t,
                    _ => continue,
                },
                Read::Result(i) => match self.results.get(*i) {
                    Some(Some(t)) => t,
                    _ => continue,
                },
                _ => continue,
            };
            if kept.unpack.is_none() {
                kept.check(kept.result.map(|index| (index, node.name())))?;
            }
        }
        Ok(())
    }
}

/// A tensor that a program keeps for a derivative of its own.
pub struct Kept(SavedTensor);

impl Kept {
    /// Keeps a tensor.
    pub fn new(tensor: &Tensor) -> Result<Kept> {
        check_saved(&Value::Tensor(tensor.clone()))?;
        Ok(Kept(SavedTensor::new(tensor)))
    }

    /// Refuses the tensor where somebody has written it since; `result` says of which call it is a result, if it is one.
    pub fn check(&self, result: Option<(usize, &str)>) -> Result<()> {
        self.0.check(result)
    }
}

impl Within {
    /// The node of the view, made anew; none where the write is forgotten.
    fn node(&self) -> Option<Arc<Node>> {
        let node = self.whole.upgrade()?;
        let edge = (Edge { node, index: 0 }, self.whole_shape.clone());
        Some(self.geometry.clone().node(edge))
    }
}

/// The history of a tensor as it is now: leaves share theirs, others get one of their own, for a write in place changes
/// where the tensor comes from.
fn snapshot(tensor: &Tensor) -> Arc<Meta> {
    match Edge::source(tensor) {
        None => Meta::ensure(tensor),
        Some(edge) => {
            let meta = Meta::default();
            meta.state().source = Some(edge);
            Arc::new(meta)
        }
    }
}
