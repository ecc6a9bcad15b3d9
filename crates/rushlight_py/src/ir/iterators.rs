//! What goes over the nodes, values and blocks of graphs in Python.

use super::objects::{PyBlock, PyNode, PyValue};
use pyo3::prelude::*;

macro_rules! sequence {
    ($name:ident, $python:literal, $item:ty, $doc:literal) => {
        #[doc = $doc]
        #[pyclass(name = $python, module = "torch._C")]
        pub struct $name {
            items: std::vec::IntoIter<$item>,
        }

        impl $name {
            pub(super) fn new(items: Vec<$item>) -> $name {
                $name {
                    items: items.into_iter(),
                }
            }
        }

        #[pymethods]
        impl $name {
            fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
                this
            }

            fn __next__(&mut self) -> Option<$item> {
                self.items.next()
            }
        }
    };
}

sequence!(PyNodes, "NodeIterator", PyNode, "Goes over nodes once.");
sequence!(PyValues, "ValueIterator", PyValue, "Goes over values once.");
sequence!(PyBlocks, "BlockIterator", PyBlock, "Goes over blocks once.");
