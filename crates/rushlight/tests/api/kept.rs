//! Tensors whose elements a host keeps, in scripts: calls that take one are the host's, those that only hold one are not.

use rushlight::tensor::{Layout, Tensor};
use rushlight::types::{Call, Fault, Keeper, KeptParts, Operator, Result, set_keeper};
use rushlight::{DType, Value};
use std::sync::Arc;

/// Keeps one number for a tensor, and adds such numbers.
struct Numbers;

fn number(tensor: &Tensor) -> Result<f64> {
    let kept = tensor.kept();
    let number = kept.as_ref().and_then(|kept| kept.downcast_ref::<f64>());
    number.copied().ok_or_else(|| Fault::runtime("not kept"))
}

fn tensor(number: f64) -> Tensor {
    let layout = Layout::contiguous(&[2, 3]);
    Tensor::kept_outside(&layout, DType::F32, Arc::new(number)).unwrap()
}

impl Keeper for Numbers {
    fn call(&self, operator: &Operator, call: &mut Call<'_>) -> Result<()> {
        if operator.name() != "aten::add" {
            return Err(Fault::runtime(format!(
                "no {} for kept tensors",
                operator.name()
            )));
        }
        let [Value::Tensor(a), Value::Tensor(b), ..] = call.inputs() else {
            return Err(Fault::runtime("two tensors are added"));
        };
        let sum = number(a)? + number(b)?;
        call.finish_many(vec![Value::Tensor(tensor(sum))])
    }

    fn parts(&self, tensor: &Tensor) -> Result<KeptParts> {
        Ok(KeptParts {
            layout: 1,
            size: vec![2, 3],
            tensors: vec![Tensor::scalar(number(tensor)?.into(), DType::F64)],
        })
    }

    fn whole(&self, parts: KeptParts) -> Result<Tensor> {
        match parts.tensors.as_slice() {
            [one] => Ok(tensor(one.item()?.to_f64())),
            _ => Err(Fault::runtime("one number is kept")),
        }
    }
}

const SOURCE: &str = "import torch
from typing import List, Optional

def total(a: torch.Tensor, b: Optional[torch.Tensor]) -> List[torch.Tensor]:
    kept = [a]
    if b is not None:
        for i in range(3):
            a = a + b
        kept.append(a)
    return kept

def sizes(a: torch.Tensor):
    return a.size(), a.dim(), a.numel(), a.dtype, len(a), str(a.device)

def sine(a: torch.Tensor):
    return a.sin()
";

#[test]
fn calls_that_take_a_kept_tensor_are_the_hosts() {
    set_keeper(Box::new(Numbers));
    let unit = rushlight::compile(SOURCE).unwrap();
    let module = unit.module(None).unwrap();
    let (a, b) = (tensor(1.0), tensor(10.0));
    let given = [Value::Tensor(a.clone()), Value::Tensor(b)];
    let Value::TensorList(list) = module.call("total", &given).unwrap() else {
        panic!("a list of tensors")
    };
    let numbers: Vec<f64> = list.lock().iter().map(|t| number(t).unwrap()).collect();
    assert_eq!(numbers, [1.0, 31.0]);
    let sizes = module.call("sizes", &[Value::Tensor(a.clone())]).unwrap();
    assert_eq!(format!("{sizes:?}"), r#"([2, 3], 2, 6, 6, 2, "cpu")"#);
    let refused = module.call("sine", &[Value::Tensor(a)]).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("no aten::sin for kept tensors"),
        "{refused}"
    );
}
