//! Sizes, strides and shapes that somebody chose to do harm, in scripts: every call ends with an error or a tensor that
//! lies inside its storage, in the time and memory that the host allows.

use rushlight::types::ErrorClass;
use rushlight::{Fault, Limits, Script, Value};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: rushlight::tensor::memory::Accounting = rushlight::tensor::memory::Accounting;

fn script(source: &str) -> Script {
    rushlight::compile(source).unwrap_or_else(|error| panic!("{source}\n{error}"))
}

/// What `f()` answers, whose body is one expression.
fn value(expression: &str) -> Result<Value, Fault> {
    let source = format!(
        "import torch\nimport torch.nn.functional as F\nfrom typing import Any\n\ndef f() -> Any:\n    return {expression}\n"
    );
    let script = script(&source);
    script.context().set_limits(Limits {
        millis: 10_000,
        bytes: 1 << 30,
        ..Limits::default()
    });
    script.get("f").expect("is defined").call(&[])
}

#[test]
fn sizes_whose_product_overflows_are_refused() {
    let one = "torch.ones(1, 1)";
    for call in [
        "F.adaptive_avg_pool1d(torch.ones(1, 4, 3), [1 << 62])[0, 0, 1 << 40]".to_string(),
        "F.adaptive_avg_pool2d(torch.ones(1, 4, 3, 3), [1 << 62, 1])[0, 0, 5, 0]".into(),
        "F.adaptive_avg_pool3d(torch.ones(1, 4, 3, 3, 3), [1 << 31, 1 << 31, 4])[0, 0, 5, 0, 0]".into(),
        "F.adaptive_max_pool2d(torch.ones(1, 4, 3, 3), [1 << 62, 1])[0, 0, 5, 0]".into(),
        format!("torch.mm({one}.expand(1 << 32, 1), {one}.expand(1, 1 << 32))[1, 5]"),
        format!("torch.mm({one}.expand(1 << 32, 1)[:, :0], {one}.expand(1, 1 << 32)[:0])[1, 5]"),
        "torch.bmm(torch.ones(1, 1, 1).expand(2, 1 << 32, 1), torch.ones(1, 1, 1).expand(2, 1, 1 << 31))[0, 1, 5]".into(),
        "torch.as_strided(torch.ones(274177), [274177, 67280421310721], [1, 0]).sum()".into(),
        "torch.as_strided(torch.ones(274177), [274177, 67280421310721], [1, 0]).sort()".into(),
        "str(torch.as_strided(torch.ones(274177), [274177, 67280421310721], [1, 0]))".into(),
        "F.conv2d(torch.ones(1, 1, 8, 8), torch.ones(1, 1, 4, 1), None, [1, 1], [0, 0], [6148914691236517206, 1], 1)".into(),
        "torch.squeeze_copy(torch.as_strided(torch.ones(1), [5, 1, 5, 1 << 33, 1 << 33, 1], [0, 0, 0, 0, 0, 0]))".into(),
        "torch.tensor(1j).expand(1 << 61)".into(),
        "torch.ones(1).expand(1 << 40).topk(5)".into(),
        "torch.ones(1).expand(1 << 40).sort()".into(),
        "torch.zeros(1 << 62)".into(),
        "torch.zeros(1 << 40)".into(),
        "torch.zeros(3, 0, 1 << 40, 1 << 40)".into(),
        "torch.ones(3).repeat(1 << 40)".into(),
    ] {
        let fault = match value(&call) {
            Ok(_) => panic!("{call} was accepted"),
            Err(fault) => fault,
        };
        assert_ne!(fault.class(), ErrorClass::Internal, "{call}: {fault:?}");
    }
}

#[test]
fn numbers_out_of_range_are_no_panic() {
    for call in [
        "torch.tensor(1.).topk(0)",
        "torch.ones(3, dtype=torch.uint8).remainder_(2147483648)",
        "torch.ones(3).sum(dtype=torch.qint32)",
        "torch.ones(3).unfold(0, 1, 1 << 62)",
        "[1] * (1 << 62)",
        "'ab'.rjust(1 << 62)",
        "torch.arange(0, 1 << 62)",
        "torch.linspace(0, 1, 1 << 50)",
        "torch.eye(1 << 40)",
    ] {
        if let Err(fault) = value(call) {
            assert_ne!(fault.class(), ErrorClass::Internal, "{call}: {fault:?}");
        }
    }
}

#[test]
fn time_holds_inside_kernels() {
    let source = "import torch\n\ndef f():\n    x = torch.ones(3000, 3000, dtype=torch.float64)\n    return torch.linalg.svd(x)\n\ndef g():\n    x = torch.ones(4000, 4000, dtype=torch.float64)\n    for i in range(100):\n        x = torch.mm(x, x)\n    return x\n\ndef h():\n    return torch.ones(1, dtype=torch.int64).expand(2000, 2000).mm(torch.ones(1, dtype=torch.int64).expand(2000, 2000))\n";
    let script = script(source);
    script.context().set_limits(Limits {
        millis: 300,
        ..Limits::default()
    });
    for name in ["f", "g", "h"] {
        let start = Instant::now();
        let outcome = script.get(name).expect("is defined").call(&[]);
        let took = start.elapsed();
        if let Err(fault) = outcome {
            assert_eq!(fault.message(), "the program was stopped after 300 ms");
        }
        assert!(took < Duration::from_secs(3), "{name} took {took:?}");
    }
}

#[test]
fn memory_holds_for_tensors_lists_and_strings() {
    let source = "import torch\nfrom typing import List, Dict\n\ndef tensors():\n    l: List[torch.Tensor] = []\n    for i in range(100000):\n        l.append(torch.ones(100000))\n    return len(l)\n\ndef lists():\n    l = [1, 2, 3]\n    while True:\n        l = l + l\n\ndef appended():\n    l: List[str] = []\n    for i in range(1 << 40):\n        l.append('a' + str(i))\n    return len(l)\n\ndef strings():\n    s = 'abc'\n    while True:\n        s = s + s\n\ndef dicts():\n    d: Dict[int, str] = {}\n    for i in range(1 << 40):\n        d[i] = 'x'\n    return len(d)\n";
    let script = script(source);
    script.context().set_limits(Limits {
        bytes: 50 << 20,
        millis: 60_000,
        ..Limits::default()
    });
    for name in ["tensors", "lists", "appended", "strings", "dicts"] {
        let fault = script.get(name).expect("is defined").call(&[]).unwrap_err();
        assert_eq!(fault.class(), ErrorClass::Memory, "{name}: {fault:?}");
    }
}

#[test]
fn calls_stop_when_they_are_asked_to() {
    let source = "import torch\n\ndef f():\n    x = torch.ones(4000, 4000, dtype=torch.float64)\n    while True:\n        x = torch.linalg.svd(x)[0]\n";
    let script = script(source);
    let context = script.context().clone();
    let asker = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        context.cancel(true);
        Instant::now()
    });
    let fault = script.get("f").expect("is defined").call(&[]).unwrap_err();
    let asked = asker.join().unwrap();
    assert_eq!(fault.message(), "the program was asked to stop");
    assert!(asked.elapsed() < Duration::from_secs(2));
}

#[test]
fn storages_may_be_swapped_while_others_read() {
    let source = "import torch\n\ndef f(x: torch.Tensor, big: torch.Tensor, small: torch.Tensor) -> float:\n    s = 0.0\n    for i in range(300):\n        if i % 2 == 0:\n            x.set_(big)\n        else:\n            x.set_(small)\n        s += float((x + 1).sum())\n        s += float(x.sort()[0][-1])\n    return s\n";
    let script = script(source);
    let function = script.get("f").expect("is defined");
    let ones = |n: usize| Value::Tensor(rushlight::Tensor::from_vec(vec![1f32; n], &[n]).unwrap());
    let arguments = [ones(10), ones(100_000), ones(3)];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                // Errors are fine, anything else than numbers is not.
                if let Ok(value) = function.call(&arguments) {
                    assert!(value.as_float().unwrap().is_finite());
                }
            });
        }
    });
}

#[test]
fn replaced_metadata_is_freed() {
    let source = "import torch\n\ndef f(n: int):\n    x = torch.ones(100000)\n    for i in range(n):\n        x.set_(x * 1.0)\n\ndef shapes(n: int):\n    x = torch.ones(4)\n    for i in range(n):\n        x.resize_(i % 100 + 1, i % 7 + 1)\n";
    let script = script(source);
    script.context().set_limits(Limits {
        bytes: 5 << 20,
        ..Limits::default()
    });
    for name in ["f", "shapes"] {
        let call = script
            .get(name)
            .expect("is defined")
            .call(&[2000i64.into()]);
        assert!(call.is_ok(), "{name}: {:?}", call.err());
    }
}
