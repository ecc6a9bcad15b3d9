//! What runs without operators on tensors as well: `cargo test -p rushlight --no-default-features --test language`.

use rushlight::values;

const SOURCE: &str = "
import math
from typing import Dict, List, Optional, Tuple

def primes(below: int) -> List[int]:
    found: List[int] = []
    for n in range(2, below):
        if all([n % p != 0 for p in found]):
            found.append(n)
    return found

def words(text: str) -> Dict[str, int]:
    found: Dict[str, int] = {}
    for word in text.lower().split():
        found[word] = found.get(word, 0) + 1
    return found

def root(x: float, fallback: Optional[float] = None) -> Tuple[float, str]:
    if x < 0.0 and fallback is not None:
        return fallback, 'fallback'
    return math.sqrt(x), f'{x}'

def rounded(a: int, b: int) -> float:
    return a / b + a // b + a ** 2 - float(b) * 0.5 + max(a, b) + round(2.5)
";

#[test]
fn numbers_text_lists_and_dicts_need_no_tensors() {
    let script = rushlight::compile(SOURCE).unwrap_or_else(|error| panic!("{error}"));
    let call = |name: &str, arguments: &[rushlight::Value]| {
        let result = script.call(name, arguments);
        result.unwrap_or_else(|fault| panic!("{name}: {fault}"))
    };
    let primes: Vec<i64> = call("primes", &values![20]).to().expect("ints");
    assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19]);
    let words = call("words", &values!["To be or not to be"]);
    let be = words.as_dict().expect("a dict").get("be");
    assert_eq!(be.expect("is there").as_int(), Ok(2));
    let (root, text) = call("root", &values![2.25])
        .to::<(f64, String)>()
        .expect("a pair");
    assert_eq!((root, &*text), (1.5, "2.25"));
    let (fallback, _) = call("root", &values![-1.0, 7.0])
        .to::<(f64, String)>()
        .expect("a pair");
    assert_eq!(fallback, 7.0);
    // 7 / 2 + 7 // 2 + 49 - 1 + 7 + 2
    assert_eq!(call("rounded", &values![7, 2]).as_float(), Ok(63.5));
}

#[test]
fn what_is_missing_is_said_by_name() {
    let source = "from torch import Tensor\n\ndef f(x: Tensor) -> Tensor:\n    return x.relu()\n";
    let compiled = rushlight::compile(source).map_err(|error| error.to_string());
    assert_eq!(compiled.is_ok(), cfg!(feature = "tensors"));
    if let Err(told) = compiled {
        assert!(told.contains("relu"), "{told}");
    }
}
