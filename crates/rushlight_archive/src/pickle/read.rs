//! The stack machine that reads a pickle without running it.
//!
//! The machine's own state is a stack of node ids, a stack of marks and the memo. No opcode takes what lies below the
//! last mark, no length is believed before the bytes are there, and nothing recurses; so time and memory are bounded by
//! the input's length. When `STOP` is reached the result is measured (nesting, cycles, size with sharing undone) and refused past its limits.

use super::error::{PickleError, PickleProblem};
use super::limits::PickleLimits;
use super::opcode as op;
use super::text;
use super::value::{GlobalName, NodeId, Object, ObjectKind, Pickle, PickleValue};

/// Reads the pickle that `bytes` are; nothing may follow it.
pub fn read(bytes: &[u8], limits: &PickleLimits) -> Result<Pickle, PickleError> {
    let (pickle, end) = read_prefix(bytes, limits)?;
    if end < bytes.len() {
        let problem = PickleProblem::TrailingBytes(bytes.len() - end);
        return Err(PickleError {
            offset: end,
            opcode: None,
            problem,
        });
    }
    Ok(pickle)
}

/// Reads the pickle that `bytes` begin with, and says where it ends. Old `torch.save` files are several pickles in a row.
pub fn read_prefix(bytes: &[u8], limits: &PickleLimits) -> Result<(Pickle, usize), PickleError> {
    let mut machine = Machine::new(bytes, limits);
    loop {
        let offset = machine.at;
        let code = bytes.get(offset).copied();
        let fail = |problem| PickleError {
            offset,
            opcode: code.and_then(op::name),
            problem,
        };
        match machine.step().map_err(fail)? {
            Some(root) => {
                let end = machine.at;
                return machine
                    .finish(root)
                    .map(|pickle| (pickle, end))
                    .map_err(fail);
            }
            None => continue,
        }
    }
}

type Unpickling<T = ()> = Result<T, PickleProblem>;

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: &'a PickleLimits,
    nodes: Vec<PickleValue>,
    stack: Vec<NodeId>,
    /// Heights of the stack at which marks lie.
    marks: Vec<usize>,
    memo: Vec<Option<NodeId>>,
    memoised: usize,
    protocol: u8,
}

impl<'a> Machine<'a> {
    fn new(bytes: &'a [u8], limits: &'a PickleLimits) -> Machine<'a> {
        let nodes = vec![
            PickleValue::None,
            PickleValue::Bool(false),
            PickleValue::Bool(true),
        ];
        let (stack, marks, memo) = (Vec::new(), Vec::new(), Vec::new());
        Machine {
            bytes,
            at: 0,
            limits,
            nodes,
            stack,
            marks,
            memo,
            memoised: 0,
            protocol: 0,
        }
    }

    /// Runs one opcode; the result's id at `STOP`.
    fn step(&mut self) -> Unpickling<Option<NodeId>> {
        match self.u8()? {
            op::STOP => return self.stop().map(Some),
            op::PROTO => self.proto(),
            op::FRAME => self.take(8).map(drop),

            op::MARK => self.mark(),
            op::POP => self.discard(),
            op::POP_MARK => self.pop_to_mark().map(drop),
            op::DUP => self.top().map(|id| self.stack.push(id)),

            op::NONE => self.push_id(NodeId::NONE),
            op::NEWTRUE => self.push_id(NodeId::TRUE),
            op::NEWFALSE => self.push_id(NodeId::FALSE),

            op::INT => self
                .line_str()
                .and_then(text::int)
                .and_then(|v| self.push(v)),
            op::LONG => self
                .line_str()
                .and_then(text::long)
                .and_then(|v| self.push(v)),
            op::BININT1 => self.u8().and_then(|v| {
                let signed = self.limits.signed_bytes;
                let v = if signed { (v as i8).into() } else { v.into() };
                self.push(PickleValue::Int(v))
            }),
            op::BININT2 => self
                .array()
                .and_then(|b| self.push(PickleValue::Int(u16::from_le_bytes(b).into()))),
            op::BININT => self
                .array()
                .and_then(|b| self.push(PickleValue::Int(i32::from_le_bytes(b).into()))),
            op::LONG1 => self.u8().and_then(|n| self.big_int(n.into())),
            op::LONG4 => self.len4().and_then(|n| self.big_int(n)),
            op::FLOAT => self
                .line_str()
                .and_then(text::float)
                .and_then(|v| self.push(v)),
            op::BINFLOAT => self
                .array()
                .and_then(|b| self.push(PickleValue::Float(f64::from_be_bytes(b)))),

            op::STRING => self
                .line()
                .and_then(text::quoted)
                .and_then(|v| self.push(v)),
            op::UNICODE => self
                .line()
                .and_then(text::raw_unicode)
                .and_then(|v| self.push(v)),
            op::SHORT_BINSTRING => self.u8().and_then(|n| self.python2_string(n.into())),
            op::BINSTRING => self.len4().and_then(|n| self.python2_string(n)),
            op::SHORT_BINUNICODE => self.u8().and_then(|n| self.string(n.into())),
            op::BINUNICODE => self.len4().and_then(|n| self.string(n)),
            op::BINUNICODE8 => self.len8().and_then(|n| self.string(n)),
            op::SHORT_BINBYTES => self.u8().and_then(|n| self.byte_string(n.into())),
            op::BINBYTES => self.len4().and_then(|n| self.byte_string(n)),
            op::BINBYTES8 | op::BYTEARRAY8 => self.len8().and_then(|n| self.byte_string(n)),

            op::EMPTY_LIST => self.push(PickleValue::List(Vec::new())),
            op::LIST => self
                .pop_to_mark()
                .and_then(|ids| self.push(PickleValue::List(ids))),
            op::APPEND => self.pop().and_then(|id| self.append(vec![id])),
            op::APPENDS => self.pop_to_mark().and_then(|ids| self.append(ids)),

            op::EMPTY_TUPLE => self.push(PickleValue::Tuple(Box::new([]))),
            op::TUPLE => self
                .pop_to_mark()
                .and_then(|ids| self.push(PickleValue::Tuple(ids.into()))),
            op::TUPLE1 => self.tuple(1),
            op::TUPLE2 => self.tuple(2),
            op::TUPLE3 => self.tuple(3),

            op::EMPTY_DICT => self.push(PickleValue::Dict(Vec::new())),
            op::DICT => self
                .pop_to_mark()
                .and_then(pairs)
                .and_then(|pairs| self.push(PickleValue::Dict(pairs))),
            op::SETITEM => self
                .pop_n(2)
                .and_then(pairs)
                .and_then(|pairs| self.set_items(pairs)),
            op::SETITEMS => self
                .pop_to_mark()
                .and_then(pairs)
                .and_then(|pairs| self.set_items(pairs)),

            op::EMPTY_SET => self.push(PickleValue::Set(Vec::new())),
            op::ADDITEMS => self.pop_to_mark().and_then(|ids| self.add_items(ids)),
            op::FROZENSET => self
                .pop_to_mark()
                .and_then(|ids| self.push(PickleValue::Set(ids))),

            op::GLOBAL => self.global_lines().and_then(|id| self.push_id(id)),
            op::STACK_GLOBAL => self.stack_global(),
            op::REDUCE => self.reduce(),
            op::NEWOBJ => self.new_object(),
            op::NEWOBJ_EX => self.new_object_ex(),
            op::INST => self.inst(),
            op::OBJ => self.obj(),
            op::BUILD => self.build(),
            op::PERSID => self.persistent_line(),
            op::BINPERSID => self
                .pop()
                .and_then(|id| self.push(PickleValue::PersistentId(id))),

            op::PUT => self.line_index().and_then(|n| self.put(n)),
            op::BINPUT => self.u8().and_then(|n| self.put(n.into())),
            op::LONG_BINPUT => self
                .array()
                .and_then(|b| self.put(u32::from_le_bytes(b).into())),
            op::MEMOIZE => self.put(self.memoised as u64),
            op::GET => self.line_index().and_then(|n| self.get(n)),
            op::BINGET => self.u8().and_then(|n| self.get(n.into())),
            op::LONG_BINGET => self
                .array()
                .and_then(|b| self.get(u32::from_le_bytes(b).into())),

            op::EXT1 | op::EXT2 | op::EXT4 => Err(PickleProblem::Unsupported("extension codes")),
            op::NEXT_BUFFER | op::READONLY_BUFFER => {
                Err(PickleProblem::Unsupported("out-of-band buffers"))
            }
            other => Err(PickleProblem::UnknownOpcode(other)),
        }?;
        Ok(None)
    }

    // Input.

    fn take(&mut self, n: usize) -> Unpickling<&'a [u8]> {
        let end = self.at.checked_add(n).ok_or(PickleProblem::Truncated)?;
        let slice = self
            .bytes
            .get(self.at..end)
            .ok_or(PickleProblem::Truncated)?;
        self.at = end;
        Ok(slice)
    }

    fn array<const N: usize>(&mut self) -> Unpickling<[u8; N]> {
        self.take(N)?
            .try_into()
            .map_err(|_| PickleProblem::Truncated)
    }

    fn u8(&mut self) -> Unpickling<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn len4(&mut self) -> Unpickling<usize> {
        let n = u32::from_le_bytes(self.array()?);
        usize::try_from(n).map_err(|_| PickleProblem::Truncated)
    }

    fn len8(&mut self) -> Unpickling<usize> {
        let n = u64::from_le_bytes(self.array()?);
        usize::try_from(n).map_err(|_| PickleProblem::Truncated)
    }

    /// The bytes up to the next line feed, which is taken too.
    fn line(&mut self) -> Unpickling<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let len = rest
            .iter()
            .position(|&b| b == b'\n')
            .ok_or(PickleProblem::Truncated)?;
        let line = self.take(len + 1)?;
        Ok(line[..len].strip_suffix(b"\r").unwrap_or(&line[..len]))
    }

    fn line_str(&mut self) -> Unpickling<&'a str> {
        std::str::from_utf8(self.line()?).map_err(|_| PickleProblem::NotUtf8)
    }

    fn line_index(&mut self) -> Unpickling<u64> {
        self.line_str()?
            .parse()
            .map_err(|_| PickleProblem::BadArgument("memo number"))
    }

    fn proto(&mut self) -> Unpickling {
        match self.u8()? {
            n @ 0..=5 => {
                self.protocol = n;
                Ok(())
            }
            n => Err(PickleProblem::Protocol(n)),
        }
    }

    // Stack.

    fn mark(&mut self) -> Unpickling {
        self.marks.push(self.stack.len());
        Ok(())
    }

    /// Number of values above the last mark.
    fn available(&self) -> usize {
        self.stack.len() - self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Unpickling<NodeId> {
        if self.available() == 0 {
            return Err(PickleProblem::StackUnderflow);
        }
        self.stack.pop().ok_or(PickleProblem::StackUnderflow)
    }

    fn pop_n(&mut self, n: usize) -> Unpickling<Vec<NodeId>> {
        if self.available() < n {
            return Err(PickleProblem::StackUnderflow);
        }
        Ok(self.stack.split_off(self.stack.len() - n))
    }

    fn pop_to_mark(&mut self) -> Unpickling<Vec<NodeId>> {
        let height = self.marks.pop().ok_or(PickleProblem::NoMark)?;
        Ok(self.stack.split_off(height))
    }

    /// `POP` takes a value, or the last mark where nothing lies above it.
    fn discard(&mut self) -> Unpickling {
        match (self.available(), self.marks.pop()) {
            (0, Some(_)) => Ok(()),
            (_, mark) => {
                self.marks.extend(mark);
                self.pop().map(drop)
            }
        }
    }

    fn top(&self) -> Unpickling<NodeId> {
        match self.available() {
            0 => Err(PickleProblem::StackUnderflow),
            _ => Ok(self.stack[self.stack.len() - 1]),
        }
    }

    fn push_id(&mut self, id: NodeId) -> Unpickling {
        self.stack.push(id);
        Ok(())
    }

    fn node(&mut self, value: PickleValue) -> Unpickling<NodeId> {
        if self.nodes.len() >= self.limits.max_nodes {
            return Err(PickleProblem::Limit {
                what: "values",
                allowed: self.limits.max_nodes as u64,
            });
        }
        let id = NodeId::from_index(self.nodes.len()).ok_or(PickleProblem::Limit {
            what: "values",
            allowed: u64::from(u32::MAX),
        })?;
        self.nodes.push(value);
        Ok(id)
    }

    fn push(&mut self, value: PickleValue) -> Unpickling {
        let id = self.node(value)?;
        self.push_id(id)
    }

    // Plain values.

    fn big_int(&mut self, len: usize) -> Unpickling {
        let value = text::from_twos_complement(self.take(len)?);
        self.push(value)
    }

    fn string(&mut self, len: usize) -> Unpickling {
        let bytes = self.take(len)?;
        // Scripts keep strings that are not UTF-8, and PyTorch writes them as they are.
        self.push(match std::str::from_utf8(bytes) {
            Ok(text) => PickleValue::Str(text.into()),
            Err(_) => PickleValue::Bytes(bytes.into()),
        })
    }

    fn python2_string(&mut self, len: usize) -> Unpickling {
        let value = text::python2_string(self.take(len)?.to_vec());
        self.push(value)
    }

    fn byte_string(&mut self, len: usize) -> Unpickling {
        let bytes = self.take(len)?;
        self.push(PickleValue::Bytes(bytes.into()))
    }

    fn tuple(&mut self, n: usize) -> Unpickling {
        let ids = self.pop_n(n)?;
        self.push(PickleValue::Tuple(ids.into()))
    }

    // Values that grow: a list, dict or set of our own, or an object that would be asked to grow.

    fn append(&mut self, ids: Vec<NodeId>) -> Unpickling {
        match self.top_mut()? {
            PickleValue::List(list) => list.extend(ids),
            PickleValue::Object(object) => object.items.extend(ids),
            other => return Err(wrong("a list", other)),
        }
        Ok(())
    }

    fn set_items(&mut self, pairs: Vec<(NodeId, NodeId)>) -> Unpickling {
        match self.top_mut()? {
            PickleValue::Dict(dict) => dict.extend(pairs),
            PickleValue::Object(object) => object.pairs.extend(pairs),
            other => return Err(wrong("a dict", other)),
        }
        Ok(())
    }

    fn add_items(&mut self, ids: Vec<NodeId>) -> Unpickling {
        match self.top_mut()? {
            PickleValue::Set(set) => set.extend(ids),
            PickleValue::Object(object) => object.items.extend(ids),
            other => return Err(wrong("a set", other)),
        }
        Ok(())
    }

    fn top_mut(&mut self) -> Unpickling<&mut PickleValue> {
        let id = self.top()?;
        Ok(&mut self.nodes[id.index()])
    }

    // Names and objects.

    fn global_lines(&mut self) -> Unpickling<NodeId> {
        let module = self.line_str()?;
        let name = self.line_str()?;
        self.global(module.into(), name.into())
    }

    fn stack_global(&mut self) -> Unpickling {
        let ids = self.pop_n(2)?;
        let text = |id: NodeId| match &self.nodes[id.index()] {
            PickleValue::Str(text) => Ok(text.clone()),
            other => Err(wrong("a str", other)),
        };
        let (module, name) = (text(ids[0])?, text(ids[1])?);
        let id = self.global(module, name)?;
        self.push_id(id)
    }

    fn global(&mut self, module: Box<str>, name: Box<str>) -> Unpickling<NodeId> {
        if module.len().max(name.len()) > self.limits.max_name {
            return Err(PickleProblem::Limit {
                what: "bytes in a name",
                allowed: self.limits.max_name as u64,
            });
        }
        self.node(PickleValue::Global(Box::new(GlobalName { module, name })))
    }

    fn object(
        &mut self,
        kind: ObjectKind,
        callable: NodeId,
        args: NodeId,
        kwargs: Option<NodeId>,
    ) -> Unpickling {
        let object = Object {
            kind,
            callable,
            args,
            kwargs,
            state: None,
            items: Vec::new(),
            pairs: Vec::new(),
        };
        self.push(PickleValue::Object(Box::new(object)))
    }

    fn expect_tuple(&self, id: NodeId) -> Unpickling {
        match &self.nodes[id.index()] {
            PickleValue::Tuple(_) => Ok(()),
            other => Err(wrong("a tuple of arguments", other)),
        }
    }

    fn reduce(&mut self) -> Unpickling {
        let ids = self.pop_n(2)?;
        let mut arguments = ids[1];
        if self.is_script_class(ids[0]) && self.expect_tuple(arguments).is_err() {
            // Members of enums are written with their bare value.
            arguments = self.node(PickleValue::Tuple(Box::new([arguments])))?;
        }
        self.expect_tuple(arguments)?;
        self.object(ObjectKind::Reduce, ids[0], arguments, None)
    }

    /// Whether a node names a class of a script's own.
    fn is_script_class(&self, id: NodeId) -> bool {
        let PickleValue::Global(name) = &self.nodes[id.index()] else {
            return false;
        };
        &*name.module == "__torch__" || name.module.starts_with("__torch__.")
    }

    fn new_object(&mut self) -> Unpickling {
        let ids = self.pop_n(2)?;
        self.expect_tuple(ids[1])?;
        self.object(ObjectKind::NewObj, ids[0], ids[1], None)
    }

    fn new_object_ex(&mut self) -> Unpickling {
        let ids = self.pop_n(3)?;
        self.expect_tuple(ids[1])?;
        match &self.nodes[ids[2].index()] {
            PickleValue::Dict(_) => self.object(ObjectKind::NewObj, ids[0], ids[1], Some(ids[2])),
            other => Err(wrong("a dict of keyword arguments", other)),
        }
    }

    /// `INST`: the class is named in the opcode, the arguments lie above the mark.
    fn inst(&mut self) -> Unpickling {
        let class = self.global_lines()?;
        let args = self.pop_to_mark()?;
        let args = self.node(PickleValue::Tuple(args.into()))?;
        self.object(ObjectKind::Reduce, class, args, None)
    }

    /// `OBJ`: the class and the arguments lie above the mark.
    fn obj(&mut self) -> Unpickling {
        let ids = self.pop_to_mark()?;
        let (class, args) = ids.split_first().ok_or(PickleProblem::StackUnderflow)?;
        let args = self.node(PickleValue::Tuple(args.into()))?;
        self.object(ObjectKind::Reduce, *class, args, None)
    }

    fn build(&mut self) -> Unpickling {
        let state = self.pop()?;
        match self.top_mut()? {
            PickleValue::Object(object) if object.state.is_none() => object.state = Some(state),
            PickleValue::Object(_) => {
                return Err(PickleProblem::Unsupported(
                    "objects with more than one state",
                ));
            }
            other => return Err(wrong("an object", other)),
        }
        Ok(())
    }

    fn persistent_line(&mut self) -> Unpickling {
        let id = self.line_str()?;
        let id = self.node(PickleValue::Str(id.into()))?;
        self.push(PickleValue::PersistentId(id))
    }

    // Memo. Picklers number consecutively and every entry costs them bytes, so a number beyond the input's length is an attack.

    fn put(&mut self, number: u64) -> Unpickling {
        let id = self.top()?;
        let index = usize::try_from(number)
            .ok()
            .filter(|&n| n < self.bytes.len());
        let index = index.ok_or(PickleProblem::MemoTooLarge(number))?;
        if index >= self.memo.len() {
            self.memo.resize(index + 1, None);
        }
        if self.memo[index].replace(id).is_none() {
            self.memoised += 1;
        }
        Ok(())
    }

    fn get(&mut self, number: u64) -> Unpickling {
        let entry = usize::try_from(number)
            .ok()
            .and_then(|n| self.memo.get(n).copied().flatten());
        self.push_id(entry.ok_or(PickleProblem::NotInMemo(number))?)
    }

    // End.

    fn stop(&mut self) -> Unpickling<NodeId> {
        match (self.stack.as_slice(), self.marks.is_empty()) {
            (&[root], true) => Ok(root),
            (stack, _) => Err(PickleProblem::NotOneResult(stack.len())),
        }
    }

    fn finish(self, root: NodeId) -> Unpickling<Pickle> {
        measured(self.nodes, root, self.protocol, self.limits)
    }
}

/// The nodes as a pickle, if what it describes keeps within the limits.
pub(super) fn measured(
    nodes: Vec<PickleValue>,
    root: NodeId,
    protocol: u8,
    limits: &PickleLimits,
) -> Unpickling<Pickle> {
    let measure = Measure::of(&nodes, root);
    if measure.depth > limits.max_depth {
        return Err(PickleProblem::Limit {
            what: "levels of nesting",
            allowed: limits.max_depth as u64,
        });
    }
    let in_proportion = (1 << 20) + 64 * nodes.len() as u64;
    let max_expanded = limits.max_expanded.min(in_proportion);
    if measure.expanded > max_expanded {
        return Err(PickleProblem::Limit {
            what: "values when sharing is undone",
            allowed: max_expanded,
        });
    }
    Ok(Pickle {
        nodes,
        root,
        protocol,
        depth: measure.depth,
        cyclic: measure.cyclic,
    })
}

fn wrong(expected: &'static str, found: &PickleValue) -> PickleProblem {
    PickleProblem::WrongKind {
        expected,
        found: found.kind(),
    }
}

/// Consecutive values as keys and values.
fn pairs(ids: Vec<NodeId>) -> Unpickling<Vec<(NodeId, NodeId)>> {
    let (pairs, rest) = ids.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(PickleProblem::OddItems);
    }
    Ok(pairs.iter().map(|&[key, value]| (key, value)).collect())
}

/// Nesting, size with sharing undone, and cycles of a result, by a depth-first walk with a stack of its own. An edge back to a
/// node that the walk is inside of makes the result cyclic and counts for nothing else.
struct Measure {
    depth: usize,
    expanded: u64,
    cyclic: bool,
}

#[derive(Clone, Copy)]
enum Mark {
    Unseen,
    Inside,
    Done { depth: u32, expanded: u64 },
}

impl Measure {
    fn of(nodes: &[PickleValue], root: NodeId) -> Measure {
        let mut marks = vec![Mark::Unseen; nodes.len()];
        let mut cyclic = false;
        let mut walk = vec![(root, false)];
        while let Some((id, children_done)) = walk.pop() {
            if children_done {
                marks[id.index()] = sum_up(nodes, &marks, id);
                continue;
            }
            match marks[id.index()] {
                Mark::Unseen => {
                    marks[id.index()] = Mark::Inside;
                    walk.push((id, true));
                    nodes[id.index()].for_each_child(|child| walk.push((child, false)));
                }
                Mark::Inside => cyclic = true,
                Mark::Done { .. } => {}
            }
        }
        match marks[root.index()] {
            Mark::Done { depth, expanded } => Measure {
                depth: depth as usize,
                expanded,
                cyclic,
            },
            _ => Measure {
                depth: 0,
                expanded: 0,
                cyclic,
            },
        }
    }
}

fn sum_up(nodes: &[PickleValue], marks: &[Mark], id: NodeId) -> Mark {
    let (mut deepest, mut total) = (0u32, 1u64);
    nodes[id.index()].for_each_child(|child| {
        if let Mark::Done { depth, expanded } = marks[child.index()] {
            deepest = deepest.max(depth);
            total = total.saturating_add(expanded);
        }
    });
    Mark::Done {
        depth: deepest.saturating_add(1),
        expanded: total,
    }
}
