//! Random programs: typed expressions, branches, loops, lists, objects, calls, errors.

use std::fmt::Write;

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Ty {
    Int,
    Float,
    Bool,
    Ints,
    Floats,
    Bools,
    Rows,
    Pair,
    Point,
    Str,
}

const TYPES: [Ty; 10] = [
    Ty::Int,
    Ty::Float,
    Ty::Bool,
    Ty::Ints,
    Ty::Floats,
    Ty::Bools,
    Ty::Rows,
    Ty::Pair,
    Ty::Point,
    Ty::Str,
];

const PARAMETERS: &[(&str, Ty)] = &[
    ("i0", Ty::Int),
    ("i1", Ty::Int),
    ("f0", Ty::Float),
    ("b0", Ty::Bool),
    ("li", Ty::Ints),
    ("lf", Ty::Floats),
];

const HEAD: &str = "\
import math

class Point(object):
    def __init__(self, x: int, y: float):
        self.x = x
        self.y = y
        self.items: List[int] = [x]

    def step(self, by: int) -> int:
        self.x = self.x + by
        if self.x > 1000:
            self.x = self.x // (by - 3)
        self.items.append(by)
        return self.items[self.x % len(self.items)]

    def scale(self, by: float) -> float:
        self.y = self.y * by
        return self.y

def helper(a: int, b: int) -> int:
    if a > b:
        return a - b
    s = 0
    for i in range(b % 7):
        s += a % (i + b)
    return s

def mean(l: List[float], n: int) -> float:
    s = 0.0
    for i in range(n % 5):
        s += l[i]
    return s / 2

";

struct Writer {
    dice: Dice,
    text: String,
    scope: Vec<(String, Ty)>,
    next: usize,
    loops: usize,
    /// How many statements may still be written.
    budget: usize,
}

impl Writer {
    fn variable(&mut self, ty: Ty) -> String {
        let known: Vec<&String> = self
            .scope
            .iter()
            .filter(|v| v.1 == ty)
            .map(|v| &v.0)
            .collect();
        match known.len() {
            0 => match ty {
                Ty::Int => "3".to_string(),
                Ty::Float => "1.5".to_string(),
                Ty::Bool => "True".to_string(),
                Ty::Ints => "[1, 2]".to_string(),
                Ty::Floats => "[0.5, 2.0, 3.0]".to_string(),
                Ty::Bools => "[True, False]".to_string(),
                Ty::Rows => "[[1, 2], [3]]".to_string(),
                Ty::Pair => "(1, 2.5)".to_string(),
                Ty::Point => "Point(2, 0.5)".to_string(),
                Ty::Str => "'word'".to_string(),
            },
            n => {
                let reach = 1 + self.dice.roll(5);
                known[n - 1 - self.dice.roll(n.min(reach))].clone()
            }
        }
    }

    fn constant(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Int => self
                .dice
                .pick(&["0", "1", "2", "3", "7", "-1", "-5", "8", "64", "1000003"])
                .to_string(),
            Ty::Float => self
                .dice
                .pick(&["0.0", "1.5", "-2.25", "0.1", "1e10", "3.0"])
                .to_string(),
            Ty::Bool => self.dice.pick(&["True", "False"]).to_string(),
            _ => self.variable(ty),
        }
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.dice.roll(4) == 0 {
            return match self.dice.roll(3) {
                0 => self.constant(ty),
                _ => self.variable(ty),
            };
        }
        let d = depth - 1;
        macro_rules! e {
            ($ty:ident) => {
                self.expression(Ty::$ty, d)
            };
        }
        match ty {
            Ty::Int => match self.dice.roll(21) {
                0..=4 => {
                    let op = self.dice.pick(&["+", "-", "*", "&", "|", "^"]);
                    format!("({} {op} {})", e!(Int), e!(Int))
                }
                5 => format!("({} // {})", e!(Int), e!(Int)),
                6 => format!("({} % {})", e!(Int), e!(Int)),
                7 => format!("(-{})", e!(Int)),
                8 => format!("int({})", e!(Float)),
                9 => format!("int({})", e!(Bool)),
                10 => format!("min({}, {})", e!(Int), e!(Int)),
                11 => format!("max({}, {})", e!(Int), e!(Int)),
                12 => format!("len({})", e!(Ints)),
                13 => {
                    let list = self.variable(Ty::Ints);
                    format!("{list}[{}]", e!(Int))
                }
                14 => {
                    let rows = self.variable(Ty::Rows);
                    let (a, b) = (self.small(), self.small());
                    format!("{rows}[{a}][{b}]")
                }
                15 => format!("helper({}, {})", e!(Int), e!(Int)),
                16 => format!("{}[0]", self.variable(Ty::Pair)),
                17 => format!("({} << ({} & 15))", e!(Int), e!(Int)),
                18 => format!("({} >> ({} & 63))", e!(Int), e!(Int)),
                19 => {
                    let function = self.dice.pick(&["math.floor", "math.ceil"]);
                    format!("{function}({})", e!(Float))
                }
                _ => match self.dice.roll(3) {
                    0 => format!("{}.x", self.variable(Ty::Point)),
                    1 => format!("{}.step({})", self.variable(Ty::Point), e!(Int)),
                    _ => format!("len({})", self.variable(Ty::Str)),
                },
            },
            Ty::Float => match self.dice.roll(18) {
                0..=3 => {
                    let op = self.dice.pick(&["+", "-", "*"]);
                    format!("({} {op} {})", e!(Float), e!(Float))
                }
                4 => format!("({} / {})", e!(Float), e!(Float)),
                5 => format!("({} / {})", e!(Int), e!(Int)),
                6 => format!("({} * {})", e!(Int), e!(Float)),
                7 => format!("float({})", e!(Int)),
                8 => format!("(-{})", e!(Float)),
                9 | 10 => {
                    let list = self.variable(Ty::Floats);
                    format!("{list}[{}]", e!(Int))
                }
                11 => format!("mean({}, {})", self.variable(Ty::Floats), e!(Int)),
                12 => format!("{}[1]", self.variable(Ty::Pair)),
                13 => {
                    let function = self.dice.pick(&["min", "max", "math.atan2", "math.fmod"]);
                    format!("{function}({}, {})", e!(Float), e!(Float))
                }
                14 => {
                    let op = self.dice.pick(&["//", "%"]);
                    format!("({} {op} {})", e!(Float), e!(Float))
                }
                15 | 16 => {
                    let functions = [
                        "round",
                        "math.fabs",
                        "math.expm1",
                        "math.atan",
                        "math.sinh",
                        "math.cosh",
                        "math.asin",
                        "math.acos",
                        "math.log1p",
                        "math.log10",
                    ];
                    format!("{}({})", self.dice.pick(&functions), e!(Float))
                }
                _ => match self.dice.roll(3) {
                    0 => format!("{}.y", self.variable(Ty::Point)),
                    1 => format!("{}.scale({})", self.variable(Ty::Point), e!(Float)),
                    _ => format!("abs({})", e!(Float)),
                },
            },
            Ty::Bool => match self.dice.roll(10) {
                0..=2 => {
                    let op = self.dice.pick(&["<", "<=", ">", ">=", "==", "!="]);
                    format!("({} {op} {})", e!(Int), e!(Int))
                }
                3 | 4 => {
                    let op = self.dice.pick(&["<", "<=", ">", ">=", "==", "!="]);
                    format!("({} {op} {})", e!(Float), e!(Float))
                }
                5 => format!("(not {})", e!(Bool)),
                6 => {
                    let op = self.dice.pick(&["and", "or", "==", "!="]);
                    format!("({} {op} {})", e!(Bool), e!(Bool))
                }
                7 => {
                    let list = self.variable(Ty::Bools);
                    format!("{list}[{}]", self.small())
                }
                8 => format!("bool({})", e!(Int)),
                _ => format!("({} < {})", e!(Int), e!(Float)),
            },
            Ty::Ints => match self.dice.roll(5) {
                0 => format!("[{}, {}]", e!(Int), e!(Int)),
                1 => format!("[{}]", e!(Int)),
                2 => format!("{}.items", self.variable(Ty::Point)),
                3 => format!("{}[{}]", self.variable(Ty::Rows), self.small()),
                _ => self.variable(ty),
            },
            Ty::Floats => match self.dice.roll(3) {
                0 => format!("[{}, {}, {}]", e!(Float), e!(Float), e!(Float)),
                1 => format!("[{} * 0.5 for _k in range({} & 7)]", e!(Int), e!(Int)),
                _ => self.variable(ty),
            },
            Ty::Bools => match self.dice.roll(3) {
                0 => format!("[{}, {}]", e!(Bool), e!(Bool)),
                _ => self.variable(ty),
            },
            Ty::Rows => match self.dice.roll(3) {
                0 => format!("[{}, {}]", e!(Ints), e!(Ints)),
                _ => self.variable(ty),
            },
            Ty::Pair => match self.dice.roll(2) {
                0 => format!("({}, {})", e!(Int), e!(Float)),
                _ => self.variable(ty),
            },
            Ty::Point => match self.dice.roll(4) {
                0 => format!("Point({}, {})", e!(Int), e!(Float)),
                _ => self.variable(ty),
            },
            Ty::Str => match self.dice.roll(3) {
                0 => format!("str({})", e!(Int)),
                1 => format!("('a' + {})", self.variable(ty)),
                _ => self.variable(ty),
            },
        }
    }

    /// An index that often fits.
    fn small(&mut self) -> String {
        match self.dice.roll(3) {
            0 => self.dice.pick(&["0", "1", "-1", "-2"]).to_string(),
            1 => format!("({} & 1)", self.variable(Ty::Int)),
            _ => self.variable(Ty::Int),
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn block(&mut self, indent: usize, depth: usize) {
        let mark = self.scope.len();
        for _ in 0..1 + self.dice.roll(4) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            self.statement(indent, depth);
        }
        self.scope.truncate(mark);
        self.line(indent, "pass");
    }

    fn statement(&mut self, indent: usize, depth: usize) {
        let ty = TYPES[self.dice.roll(TYPES.len())];
        match self.dice.roll(if depth == 0 { 9 } else { 14 }) {
            0..=2 => {
                let value = self.expression(ty, 3);
                self.next += 1;
                let name = format!("v{}", self.next);
                self.line(indent, &format!("{name} = {value}"));
                self.scope.push((name, ty));
            }
            3 | 4 => {
                // Numbers change most often.
                let ty = TYPES[self.dice.roll(3)];
                let known: Vec<String> = self
                    .scope
                    .iter()
                    .filter(|v| v.1 == ty)
                    .map(|v| v.0.clone())
                    .collect();
                if !known.is_empty() {
                    let name = &known[self.dice.roll(known.len())];
                    let value = self.expression(ty, 3);
                    self.line(indent, &format!("{name} = {value}"));
                }
            }
            5 => {
                let known: Vec<String> = self
                    .scope
                    .iter()
                    .filter(|v| v.1 == ty)
                    .map(|v| v.0.clone())
                    .collect();
                if !known.is_empty() {
                    let name = &known[self.dice.roll(known.len())];
                    let value = self.expression(ty, 2);
                    self.line(indent, &format!("{name} = {value}"));
                }
            }
            6 => {
                let (list, element) = match self.dice.roll(3) {
                    0 => (self.variable(Ty::Ints), self.expression(Ty::Int, 2)),
                    1 => (self.variable(Ty::Floats), self.expression(Ty::Float, 2)),
                    _ => (self.variable(Ty::Bools), self.expression(Ty::Bool, 2)),
                };
                self.line(indent, &format!("{list}.append({element})"));
            }
            7 => {
                let at = self.small();
                let (list, element) = match self.dice.roll(4) {
                    0 => (self.variable(Ty::Ints), self.expression(Ty::Int, 2)),
                    1 => (self.variable(Ty::Floats), self.expression(Ty::Float, 2)),
                    2 => (self.variable(Ty::Rows), self.expression(Ty::Ints, 2)),
                    _ => (self.variable(Ty::Bools), self.expression(Ty::Bool, 2)),
                };
                if !list.starts_with('[') {
                    self.line(indent, &format!("{list}[{at}] = {element}"));
                }
            }
            8 => {
                let point = self.variable(Ty::Point);
                if !point.starts_with('P') {
                    let value = self.expression(Ty::Int, 2);
                    self.line(indent, &format!("{point}.x = {value}"));
                }
            }
            9 | 10 => {
                let condition = self.expression(Ty::Bool, 2);
                self.line(indent, &format!("if {condition}:"));
                self.block(indent + 4, depth - 1);
                if self.dice.roll(2) == 0 {
                    self.line(indent, "else:");
                    self.block(indent + 4, depth - 1);
                }
            }
            11 | 12 => {
                self.next += 1;
                let name = format!("k{}", self.next);
                let trips = match self.dice.roll(3) {
                    0 => format!("{} & 15", self.variable(Ty::Int)),
                    1 => "9".to_string(),
                    _ => format!("len({})", self.variable(Ty::Ints)),
                };
                // Lists that grow in loops would make loops that never end.
                self.line(indent, &format!("for {name} in range(min({trips}, 12)):"));
                self.scope.push((name, Ty::Int));
                self.loops += 1;
                self.block(indent + 4, depth - 1);
                if self.dice.roll(4) == 0 {
                    let condition = self.expression(Ty::Bool, 2);
                    let word = self.dice.pick(&["break", "continue", "return (7, 0.5)"]);
                    self.line(indent + 4, &format!("if {condition}:"));
                    self.line(indent + 8, word);
                }
                self.loops -= 1;
                self.scope.pop();
            }
            _ => {
                self.next += 1;
                let name = format!("w{}", self.next);
                self.line(indent, &format!("{name} = 0"));
                let condition = self.expression(Ty::Bool, 2);
                self.line(indent, &format!("while {name} < 10 and {condition}:"));
                self.line(indent + 4, &format!("{name} += 1"));
                self.block(indent + 4, depth - 1);
            }
        }
    }
}

/// A program with a function `f` of two ints, a float, a bool, ints and floats.
pub fn random_program(seed: u64) -> String {
    let mut writer = Writer {
        dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        text: String::new(),
        scope: Vec::new(),
        next: 0,
        loops: 0,
        budget: 40,
    };
    // The first rolls of near seeds are alike.
    for _ in 0..8 {
        writer.dice.roll(2);
    }
    let parameters: Vec<String> = PARAMETERS
        .iter()
        .map(|(name, ty)| {
            let ty = match ty {
                Ty::Int => "int",
                Ty::Float => "float",
                Ty::Bool => "bool",
                Ty::Ints => "List[int]",
                _ => "List[float]",
            };
            format!("{name}: {ty}")
        })
        .collect();
    writer.scope = PARAMETERS
        .iter()
        .map(|(name, ty)| (name.to_string(), *ty))
        .collect();
    let head = format!("def f({}) -> Tuple[int, float]:", parameters.join(", "));
    writer.line(0, &head);
    for _ in 0..4 {
        writer.budget = writer.budget.max(4);
        writer.statement(4, 4);
        writer.statement(4, 3);
    }
    let result = (
        writer.expression(Ty::Int, 3),
        writer.expression(Ty::Float, 3),
    );
    writer.line(4, &format!("return ({}, {})", result.0, result.1));
    format!("{HEAD}{}", writer.text)
}
