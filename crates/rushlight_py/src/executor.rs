//! What programs see of how a function runs: its graph and the one plan that it runs by.

use crate::ir::PyGraph;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::ir::Function;
use std::sync::Arc;

/// What asking for the state of a function that has no code raises.
const NO_CODE: &str = "INTERNAL ASSERT FAILED: the function has not run since its code was dropped";

/// `torch._C.GraphExecutorState`: the graph that runs.
#[pyclass(name = "GraphExecutorState", module = "torch", frozen)]
pub struct ExecutorState {
    #[pyo3(get)]
    graph: PyGraph,
}

impl ExecutorState {
    /// That of a function that has run.
    pub fn of(function: &Arc<Function>) -> PyResult<ExecutorState> {
        if function.code().is_none() {
            return Err(PyRuntimeError::new_err(NO_CODE));
        }
        let graph = crate::ir::executed(function)?;
        Ok(ExecutorState { graph })
    }

    /// Drops the code that was made of a function's graph; the next call makes it anew.
    pub fn flush(function: &Function) {
        if let Some(graph) = function.graph() {
            function.set_graph((*graph).clone());
        }
    }
}

#[pymethods]
impl ExecutorState {
    /// The plans by the arguments that they are for: one, which is for all.
    #[getter]
    fn execution_plans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let plans = PyDict::new(py);
        let plan = ExecutionPlan {
            graph: self.graph.clone(),
        };
        plans.set_item(Py::new(py, ArgumentSpec)?, Py::new(py, plan)?)?;
        Ok(plans)
    }
}

/// What arguments a plan is for.
#[pyclass(name = "ArgumentSpec", module = "torch", frozen)]
struct ArgumentSpec;

/// How a function runs.
#[pyclass(name = "ExecutionPlan", module = "torch", frozen)]
struct ExecutionPlan {
    #[pyo3(get)]
    graph: PyGraph,
}

#[pymethods]
impl ExecutionPlan {
    #[getter]
    fn code(&self) -> PlanCode {
        PlanCode
    }
}

/// The code of a plan. It rests on nothing that was seen in earlier runs, so there is nothing to fall back from.
#[pyclass(name = "Code", module = "torch", frozen)]
struct PlanCode;

#[pymethods]
impl PlanCode {
    /// How many places there are at which a run may fall back.
    fn num_bailouts(&self) -> usize {
        0
    }

    /// The states of executors of gradients: none, gradients are recorded as calls are made.
    fn grad_executor_states(&self) -> Vec<ExecutorState> {
        Vec::new()
    }

    /// The states of executors of graphs inside that have gradients of their own: none.
    fn differentiable_op_executor_states(&self) -> Vec<ExecutorState> {
        Vec::new()
    }
}
