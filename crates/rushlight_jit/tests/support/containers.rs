//! Random programs over objects, lists of lists and of tuples, dicts and strings within one another: what machine code
//! borrows.

use super::random::Dice;
use std::fmt::Write;

const HEAD: &str = r#"
import torch
from typing import Dict, List, Optional, Tuple

class Leaf(object):
    def __init__(self, n: int, name: str):
        self.n = n
        self.name = name
        self.next: Dict[str, int] = {"a": 1, "bc": 2}
        self.kids: List[int] = [n, 2]
        self.best = torch.jit.annotate(Optional[int], None)

class Tree(object):
    def __init__(self):
        self.nodes: List[Leaf] = [Leaf(1, "one"), Leaf(2, "a name that is too long for a word"), Leaf(3, "b")]
        self.rows: List[List[int]] = [[1, 2], [3, 4, 5], [6]]
        self.pairs: List[Tuple[int, str]] = [(1, "a"), (2, "a string that lies somewhere else"), (3, "bc")]
        self.quads: List[Tuple[int, int, str, float]] = [(1, 2, "a", 0.5), (3, 4, "bc", 1.5), (5, 6, "", 2.5)]
        self.words: Dict[str, str] = {"a": "bc", "bc": "another one that is longer than that", "zz": "a"}
        self.counts: Dict[int, int] = {0: 5, 1: 6}
        self.groups: Dict[str, List[int]] = {"a": [1, 2], "bc": [3], "zz": [7]}
        self.table: Dict[int, Dict[str, int]] = {0: {"a": 1}, 1: {"a": 2, "bc": 3}, 2: {"zz": 4}}
        self.probs: Dict[str, Tuple[float, int]] = {"a": (0.5, 1), "bc": (0.25, 2), "zz": (0.125, 3)}
        self.spans: List[Tuple[int, int]] = [(1, 2), (3, 4), (5, 6)]
        self.text = "a text of some words, a bc zz"
        self.log: List[str] = ["a"]

def f(i0: int, i1: int) -> List[str]:
    t = Tree()
    out: List[str] = []
    acc = 0
    w = "a"
    p0 = 0.5
    p1 = 1
    node = t.nodes[0]
    row = t.rows[0]
    for i in range(4):
        for j in range(3):
"#;

const TAIL: &str = r#"
    for n in t.nodes:
        out.append(n.name)
        out.append(str(n.n))
        out.append(str(n.next))
        out.append(str(n.kids))
    out.append(str(t.rows))
    out.append(str(t.counts))
    out.append(str(t.groups))
    out.append(str(t.probs))
    out.append(str(len(t.pairs)))
    out.append(w + str(acc) + str(row) + node.name)
    for line in t.log:
        out.append(line)
    for p in t.pairs:
        out.append(str(p[0]) + p[1])
    return out
"#;

/// `#` stands for a random int, `$` for a random string.
const STATEMENTS: &[&str] = &[
    "t.nodes[#].n += #",
    "acc += t.nodes[#].next[$]",
    "t.nodes[#].next[$] = #",
    "acc += t.nodes[#].next.get($, 3)",
    "acc += t.rows[#][#]",
    "t.rows[#][#] = #",
    "t.rows[#].append(#)",
    "acc += t.rows[#].pop()",
    "acc += t.pairs[#][0]",
    "out.append(t.pairs[#][1])",
    "w = t.pairs[#][1]",
    "acc += t.quads[#][1]",
    "out.append(t.quads[#][2])",
    "w = t.quads[#][2]",
    "w = t.words[$]",
    "t.words[$] = $",
    "w = t.words.get($, \"none\")",
    "acc += t.counts.get(#, 7)",
    "acc += t.counts[#]",
    "t.counts[#] = acc % 97",
    "acc += t.groups[$][#]",
    "t.groups[$].append(#)",
    "acc += t.table[#][$]",
    "t.table[#][$] = #",
    "w = t.text[#]",
    "acc += len(t.text) + len(t.rows[#]) + len(t.nodes[#].kids) + len(t.groups[$])",
    "acc += ord(t.text[#])",
    "acc += t.text.find($) + len(t.nodes[#].name)",
    "t.log.append($)",
    "w = t.log[-1]",
    "t.nodes.append(Leaf(#, $))",
    "t.nodes[#].kids.append(#)",
    "t.nodes[#].name += $",
    "w = t.nodes[#].name",
    "out.append(t.nodes[#].name + $)",
    "node = t.nodes[#]",
    "node.n = #",
    "node.next[$] = #",
    "acc += node.next.get($, 1) + node.kids[#]",
    "row = t.rows[#]",
    "row.append(#)",
    "acc += row[#]",
    "acc += len(sorted(t.nodes[#].next.keys()))",
    "t.rows = [[acc % 7], [i, j], [1, 2, 3]]",
    "t.nodes[#] = Leaf(#, $)",
    "t.pairs[#] = (#, $)",
    "t.pairs.append((#, $))",
    "acc += t.pairs.pop()[0]",
    "t.nodes[#].best = #",
    "acc = acc % 100003",
    "w = t.text.split(\" \")[#]",
    "t.groups = {\"a\": [i], \"bc\": [j, acc % 5], \"zz\": [1]}",
    "w = $.upper()",
    "acc += t.table[#].get($, 2) + t.groups[$].pop()",
    "t.probs[$] = (p0 + 0.5, #)",
    "p0, p1 = t.probs[$]",
    "p1 = t.probs[$][1]",
    "acc, p1 = t.spans[#]",
    "t.spans[#] = (acc % 11, #)",
    "t.groups[$] = [#, acc % 5]",
    "acc += p1 + len(t.groups) + len(t.table[#])",
    "t.rows[#].sort()",
    "t.rows[#].insert(#, #)",
    "t.words = {\"a\": $, \"zz\": w}",
    "node = Leaf(#, t.pairs[#][1])",
    "t.nodes = [node, t.nodes[#], Leaf(#, $)]",
];

const CONDITIONS: &[&str] = &[
    "$ in t.nodes[#].next",
    "t.pairs[#][1] == $",
    "t.text[#] == $",
    "t.nodes[#].best is None",
    "t.words[$] != w",
    "t.rows[#][0] < t.pairs[#][0]",
    "$ in t.groups and # in t.counts",
    "t.nodes[#].name == t.pairs[#][1]",
    "len(t.groups[$]) > 1",
    "t.quads[#][3] > 1.0",
];

const INTS: &[&str] = &[
    "0",
    "1",
    "0",
    "1",
    "j",
    "j",
    "i % 3",
    "i % 2",
    "(i + j) % 3",
    "-1",
    "0",
    "1",
    "j",
    "i % 2",
    "0",
    "i0",
];

const TEXTS: &[&str] = &[
    "\"a\"",
    "\"bc\"",
    "\"zz\"",
    "\"a\"",
    "\"bc\"",
    "w",
    "t.log[0]",
    "t.quads[j][2]",
];

fn filled(template: &str, dice: &mut Dice) -> String {
    let mut text = String::new();
    for c in template.chars() {
        match c {
            '#' => text += dice.pick(INTS),
            '$' => text += dice.pick(TEXTS),
            c => text.push(c),
        }
    }
    text
}

/// A program `f(i0, i1)` that gives strings, or fails somewhere.
pub fn container_program(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..8).for_each(|_| _ = dice.roll(2));
    let mut source = HEAD.to_string();
    for _ in 0..6 + dice.roll(14) {
        let mut indent = 12;
        if dice.roll(4) == 0 {
            let condition = filled(dice.pick(CONDITIONS), &mut dice);
            _ = writeln!(source, "{:indent$}if {condition}:", "");
            indent += 4;
        }
        let statement = filled(dice.pick(STATEMENTS), &mut dice);
        _ = writeln!(source, "{:indent$}{statement}", "");
    }
    source + TAIL
}
