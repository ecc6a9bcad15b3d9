//! Threads that share lists, dicts and objects: every access is whole, and nobody waits for ever.

mod support;

use rushlight_jit::Mode;
use rushlight_types::{Callable, Context, Value};
use support::program;

const SOURCE: &str = r#"
class Box(object):
    def __init__(self):
        self.rows = [[1, 2, 3], [4, 5, 6]]
        self.n = 0
        self.counts = {0: 0, 1: 0, 2: 0}
        self.names = {"a": "x", "b": "y"}

def make() -> Box:
    return Box()

def work(b: Box, l: List[int], n: int) -> int:
    s = 0
    for i in range(n):
        l.append(i)
        s += b.rows[i & 1][i % 3]
        b.rows[i & 1][2] = i
        if i % 1000 == 0:
            b.rows[i & 1] = [i, i, i]
        b.n = b.n + 1
        b.counts[i % 3] = b.counts[i % 3] + 1
        b.names["ab"[i & 1]] = b.names["ab"[i // 2 & 1]]
        if i % 500 == 0:
            b.counts[i] = i
        elif i % 500 == 250 and i - 250 in b.counts and i > 250:
            s += b.counts[i - 250]
        if len(l) > 100:
            l.pop()
            l[i % 50] = s
    return s
"#;

#[test]
fn threads_may_share_what_machine_code_touches() {
    let program = program(SOURCE, Some(Mode::Always));
    let context = Context::silent();
    let shared = program.get("make").invoke(&context, Vec::new());
    let shared = shared.expect("an object");
    let list: rushlight_types::List<i64> = vec![1i64, 2, 3].into();
    let function = program.get("work").clone();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let (function, shared, list) = (function.clone(), shared.clone(), list.clone());
            scope.spawn(move || {
                let context = Context::silent();
                for _ in 0..5 {
                    let arguments = vec![
                        shared.clone(),
                        Value::IntList(list.clone()),
                        Value::Int(20_000),
                    ];
                    let result = function.invoke(&context, arguments);
                    // Another thread may have taken the element that this one asked for.
                    if let Err(fault) = result {
                        let text = fault.message().to_string();
                        assert!(
                            text.contains("out of range") || text.contains("pop"),
                            "{text}"
                        );
                    }
                }
            });
        }
        for _ in 0..2000 {
            let mut items = list.lock();
            items.truncate(200);
            items.shrink_to_fit();
            drop(items);
            std::thread::yield_now();
        }
    });
    assert!(list.len() < 20_000);
}
