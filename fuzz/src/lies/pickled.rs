//! Lies in pickles: values of other types, numbers out of range, other classes, attributes that are missing or too many.

use std::collections::HashMap;

use rushlight::archive::pickle::{self, GlobalName, NodeId, ObjectKind, PickleLimits, PickleValue};

use crate::random::Random;

/// Numbers near the ends of what sizes, registers and jumps can be.
pub const NUMBERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    -2,
    7,
    64,
    255,
    256,
    65536,
    1 << 31,
    (1 << 31) - 1,
    1 << 32,
    1 << 40,
    1 << 61,
    1 << 62,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

/// Names that mean something where names stand.
const GLOBALS: &[(&str, &str)] = &[
    ("torch", "FloatStorage"),
    ("torch", "DoubleStorage"),
    ("torch", "HalfStorage"),
    ("torch", "BoolStorage"),
    ("torch", "QInt8Storage"),
    ("torch", "ComplexDoubleStorage"),
    ("torch", "LongStorage"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_qtensor"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch.jit._pickle", "build_intlist"),
    ("torch.jit._pickle", "build_tensorlist"),
    ("torch.jit._pickle", "build_doublelist"),
    ("torch.jit._pickle", "restore_type_tag"),
    ("torch.jit._pickle", "build_tensor_from_id"),
    ("collections", "OrderedDict"),
    ("torch", "device"),
    ("torch", "per_channel_affine"),
    ("torch", "per_tensor_affine"),
    ("builtins", "complex"),
    (
        "__torch__.torch.classes.quantized",
        "LinearPackedParamsBase",
    ),
    (
        "__torch__.torch.classes.quantized",
        "Conv2dPackedParamsBase",
    ),
    ("__torch__.torch.classes.rnn", "CellParamsBase"),
];

/// Texts that mean something: types, instructions, names of attributes and operators.
const TEXTS: &[&str] = &[
    "",
    "int",
    "List[int]",
    "List[Tensor]",
    "Dict[str, Tensor]",
    "Dict[int, List[str]]",
    "Optional[int]",
    "Tuple[int, str]",
    "Future[int]",
    "Any",
    "training",
    "cpu",
    "cuda:0",
    "storage",
    "0",
    "1",
    "../0",
    "constants/0",
    "OP",
    "OPN",
    "LOAD",
    "MOVE",
    "STOREN",
    "STORE",
    "DROP",
    "DROPR",
    "LOADC",
    "JF",
    "JMP",
    "LOOP",
    "RET",
    "GET_ATTR",
    "SET_ATTR",
    "LIST_CONSTRUCT",
    "LIST_UNPACK",
    "TUPLE_CONSTRUCT",
    "TUPLE_SLICE",
    "DICT_CONSTRUCT",
    "NAMED_TUPLE_CONSTRUCT",
    "CREATE_OBJECT",
    "ISINSTANCE",
    "WARN",
    "INTERFACE_CALL",
    "__is__",
    "UN_INITIALIZED",
    "UNCHECKED_CAST",
    "aten::add",
    "aten::as_strided",
    "aten::__getitem__",
    "aten::append",
    "prim::unchecked_unwrap_optional",
    "prim::data",
    "prim::device",
    "prim::TupleUnpack",
];

/// The pickle with one lie in it; `None` where it cannot be read.
pub fn changed(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let limits = PickleLimits::default();
    let pickle = pickle::read(bytes, &limits).ok()?;
    let mut nodes: Vec<PickleValue> = pickle.nodes().cloned().collect();
    // The first three stand for constants that every pickle has.
    let index = 3 + random.below(nodes.len().saturating_sub(3));
    if index < nodes.len() {
        change(&mut nodes, index, random);
    }
    let mut writer = Writer {
        nodes: &nodes,
        out: b"\x80\x02".to_vec(),
        memo: HashMap::new(),
        inside: Vec::new(),
    };
    writer.value(pickle.root());
    writer.out.push(b'.');
    Some(writer.out)
}

fn change(nodes: &mut [PickleValue], index: usize, random: &mut Random) {
    let other = nodes[random.below(nodes.len())].clone();
    let number = *random.pick(NUMBERS).unwrap_or(&0);
    let ids: Vec<NodeId> = {
        let mut ids = Vec::new();
        nodes
            .iter()
            .for_each(|node| node.for_each_child(|id| ids.push(id)));
        ids
    };
    let any = |random: &mut Random| random.pick(&ids).copied();
    if random.once_in(4) {
        nodes[index] = match random.below(9) {
            0 => PickleValue::None,
            1 => PickleValue::Bool(true),
            2 => PickleValue::Int(number),
            3 => PickleValue::Float([0.0, -1.5, f64::NAN, 1e300][random.below(4)]),
            4 => PickleValue::Str(random.pick(TEXTS).copied().unwrap_or("").into()),
            5 => PickleValue::List(any(random).into_iter().collect()),
            6 => PickleValue::Tuple(any(random).into_iter().collect()),
            7 => PickleValue::Dict(any(random).zip(any(random)).into_iter().collect()),
            _ => other,
        };
        return;
    }
    let stranger = any(random);
    match &mut nodes[index] {
        PickleValue::Int(value) => {
            *value = match random.below(3) {
                0 => value.wrapping_add(1),
                1 => value.wrapping_sub(1),
                _ => number,
            }
        }
        PickleValue::Float(value) => *value = [f64::INFINITY, f64::NAN, -*value][random.below(3)],
        PickleValue::Str(text) => *text = random.pick(TEXTS).copied().unwrap_or("").into(),
        PickleValue::Global(global) => {
            if let Some((module, name)) = random.pick(GLOBALS) {
                **global = GlobalName {
                    module: (*module).into(),
                    name: (*name).into(),
                };
            }
        }
        PickleValue::List(items) | PickleValue::Set(items) => change_items(items, random, stranger),
        PickleValue::Tuple(items) => {
            let mut all = items.to_vec();
            change_items(&mut all, random, stranger);
            *items = all.into();
        }
        PickleValue::Dict(pairs) => change_pairs(pairs, random, stranger),
        PickleValue::Object(object) => match random.below(6) {
            0 => object.state = None,
            1 => object.state = stranger.or(object.state),
            2 => object.args = stranger.unwrap_or(object.args),
            3 => object.callable = stranger.unwrap_or(object.callable),
            4 => {
                object.kind = match object.kind {
                    ObjectKind::Reduce => ObjectKind::NewObj,
                    ObjectKind::NewObj => ObjectKind::Reduce,
                }
            }
            _ => change_pairs(&mut object.pairs, random, stranger),
        },
        PickleValue::PersistentId(id) => *id = stranger.unwrap_or(*id),
        _ => {}
    }
}

fn change_items(items: &mut Vec<NodeId>, random: &mut Random, stranger: Option<NodeId>) {
    let (a, b) = (random.below(items.len()), random.below(items.len()));
    match random.below(4) {
        0 if !items.is_empty() => drop(items.remove(a)),
        1 if !items.is_empty() => items.swap(a, b),
        2 if !items.is_empty() => items[a] = stranger.unwrap_or(items[a]),
        _ => items.extend(stranger),
    }
}

fn change_pairs(pairs: &mut Vec<(NodeId, NodeId)>, random: &mut Random, stranger: Option<NodeId>) {
    let (a, b) = (random.below(pairs.len()), random.below(pairs.len()));
    match random.below(5) {
        0 if !pairs.is_empty() => drop(pairs.remove(a)),
        1 if !pairs.is_empty() => {
            let value = pairs[b].1;
            pairs[a].1 = value;
        }
        2 if !pairs.is_empty() => pairs[a].1 = stranger.unwrap_or(pairs[a].1),
        3 if !pairs.is_empty() => pairs.extend_from_within(a..=a),
        _ => pairs.extend(stranger.zip(stranger)),
    }
}

/// Nodes as the opcodes of protocol 2. What contains itself is cut.
struct Writer<'n> {
    nodes: &'n [PickleValue],
    out: Vec<u8>,
    memo: HashMap<usize, u32>,
    inside: Vec<usize>,
}

impl Writer<'_> {
    fn sized(&mut self, opcode: u8, bytes: &[u8]) {
        self.out.push(opcode);
        self.out.extend((bytes.len() as u32).to_le_bytes());
        self.out.extend(bytes);
    }

    fn many(&mut self, ids: impl Iterator<Item = NodeId>) {
        self.out.push(b'(');
        ids.for_each(|id| self.value(id));
    }

    fn value(&mut self, id: NodeId) {
        let index = id.index();
        if let Some(number) = self.memo.get(&index) {
            self.out.push(b'j');
            self.out.extend(number.to_le_bytes());
            return;
        }
        if self.inside.contains(&index) || self.inside.len() > 200 {
            self.out.push(b'N');
            return;
        }
        self.inside.push(index);
        self.fresh(index);
        self.inside.pop();
        if index > 2 {
            let number = self.memo.len() as u32;
            self.out.push(b'r');
            self.out.extend(number.to_le_bytes());
            self.memo.insert(index, number);
        }
    }

    fn fresh(&mut self, index: usize) {
        let nodes = self.nodes;
        match &nodes[index] {
            PickleValue::None => self.out.push(b'N'),
            PickleValue::Bool(value) => self.out.push(if *value { 0x88 } else { 0x89 }),
            PickleValue::Int(value) => {
                self.out.extend([0x8a, 8]);
                self.out.extend(value.to_le_bytes());
            }
            PickleValue::BigInt(bytes) => self.sized(0x8b, bytes),
            PickleValue::Float(value) => {
                self.out.push(b'G');
                self.out.extend(value.to_be_bytes());
            }
            PickleValue::Str(text) => self.sized(b'X', text.as_bytes()),
            PickleValue::Bytes(bytes) => self.sized(b'B', bytes),
            PickleValue::List(items) | PickleValue::Set(items) => {
                self.out.push(b']');
                self.many(items.iter().copied());
                self.out.push(b'e');
            }
            PickleValue::Tuple(items) => {
                self.many(items.iter().copied());
                self.out.push(b't');
            }
            PickleValue::Dict(pairs) => {
                self.out.push(b'}');
                self.many(pairs.iter().flat_map(|&(k, v)| [k, v]));
                self.out.push(b'u');
            }
            PickleValue::Global(global) => {
                let line = format!("c{}\n{}\n", global.module, global.name);
                self.out.extend(line.bytes());
            }
            PickleValue::PersistentId(id) => {
                self.value(*id);
                self.out.push(b'Q');
            }
            PickleValue::Object(object) => {
                self.value(object.callable);
                self.value(object.args);
                self.out.push(match object.kind {
                    ObjectKind::Reduce => b'R',
                    ObjectKind::NewObj => 0x81,
                });
                if !object.pairs.is_empty() {
                    self.many(object.pairs.iter().flat_map(|&(k, v)| [k, v]));
                    self.out.push(b'u');
                }
                if let Some(state) = object.state {
                    self.value(state);
                    self.out.push(b'b');
                }
            }
        }
    }
}
