//! Writing pickles with the opcodes that PyTorch's archives contain.
//!
//! Observed in the `data.pkl` and `constants.pkl` that PyTorch 2 writes, and kept here:
//!
//! - protocol 2; memo numbers count up from 0, `BINPUT` below 256 and `LONG_BINPUT` from there on;
//! - integers take `BININT1` (0 to 255), `BININT2` (to 65535), `BININT` (32 bits, all negative ones too) or an 8-byte `LONG1`;
//! - a string or global is memoised when first written and fetched from then on, whatever its length;
//! - persistent ids, devices and module objects are memoised after they are complete; tensors, lists, dicts and tuples only when
//!   something besides the place being written holds them too (so parameters always are, in a module that Python holds);
//! - lists and dicts are an empty one, a mark, *all* elements and one `APPENDS` or `SETITEMS`, even where there are none;
//! - tuples of values end in `TUPLE1` to `TUPLE3`; longer ones, and the argument tuples of typed lists and tensors, in a mark and `TUPLE`;
//! - the empty tuple is `EMPTY_TUPLE` as an argument.
//!
//! [`Pickler`] writes single opcodes and short idioms; which value is written how is the caller's business. Its methods are named after what they put on the reader's stack.

use std::collections::HashMap;
use std::fmt;

use super::opcode as op;

/// Number under which a value is kept in the memo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoId(u32);

/// Builds one pickle.
///
/// ```
/// use rushlight_archive::pickle::Pickler;
///
/// let mut p = Pickler::new();
/// p.begin_dict().begin_items().str("a").int(1).set_items();
/// assert_eq!(p.finish().unwrap(), b"\x80\x02}(X\x01\x00\x00\x00aq\x00K\x01u.");
/// ```
#[derive(Debug)]
pub struct Pickler {
    out: Vec<u8>,
    strings: HashMap<Box<[u8]>, MemoId>,
    globals: HashMap<(Box<str>, Box<str>), MemoId>,
    next: u32,
    refused: Option<Unwritable>,
}

/// A value that the opcodes of PyTorch's pickles cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// A string of 4 GiB or more.
    LongString,
    /// A global name with a line feed in it.
    GlobalName,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unwritable::LongString => "a string of 4 GiB or more cannot be saved",
            Unwritable::GlobalName => "a class whose name holds a line feed cannot be saved",
        })
    }
}

impl std::error::Error for Unwritable {}

impl Default for Pickler {
    fn default() -> Pickler {
        Pickler::new()
    }
}

impl Pickler {
    /// An empty pickle of protocol 2.
    pub fn new() -> Pickler {
        Pickler {
            out: vec![op::PROTO, 2],
            strings: HashMap::new(),
            globals: HashMap::new(),
            next: 0,
            refused: None,
        }
    }

    /// Ends the pickle; the one value on the reader's stack is its result. Fails where some value could not be written.
    pub fn finish(mut self) -> Result<Vec<u8>, Unwritable> {
        self.out.push(op::STOP);
        match self.refused {
            None => Ok(self.out),
            Some(reason) => Err(reason),
        }
    }

    /// `None`.
    pub fn none(&mut self) -> &mut Pickler {
        self.opcode(op::NONE)
    }

    /// `True` or `False`.
    pub fn bool(&mut self, value: bool) -> &mut Pickler {
        self.opcode(if value { op::NEWTRUE } else { op::NEWFALSE })
    }

    /// An integer.
    pub fn int(&mut self, value: i64) -> &mut Pickler {
        if let Ok(small) = u8::try_from(value) {
            self.with(op::BININT1, &[small])
        } else if let Ok(medium) = u16::try_from(value) {
            self.with(op::BININT2, &medium.to_le_bytes())
        } else if let Ok(word) = i32::try_from(value) {
            self.with(op::BININT, &word.to_le_bytes())
        } else {
            self.with(op::LONG1, &[8]).raw(&value.to_le_bytes())
        }
    }

    /// A float.
    pub fn float(&mut self, value: f64) -> &mut Pickler {
        self.with(op::BINFLOAT, &value.to_be_bytes())
    }

    /// A string, memoised.
    pub fn str(&mut self, text: &str) -> &mut Pickler {
        self.str_bytes(text.as_bytes())
    }

    /// A string of a script, which need not be UTF-8, memoised.
    pub fn str_bytes(&mut self, text: &[u8]) -> &mut Pickler {
        if let Some(&id) = self.strings.get(text) {
            return self.get(id);
        }
        debug_assert!(u32::try_from(text.len()).is_ok());
        self.with(op::BINUNICODE, &(text.len() as u32).to_le_bytes())
            .raw(text);
        let id = self.memoize();
        self.strings.insert(text.into(), id);
        self
    }

    /// A global name, memoised.
    pub fn global(&mut self, module: &str, name: &str) -> &mut Pickler {
        if module.contains('\n') || name.contains('\n') {
            self.refused = Some(Unwritable::GlobalName);
        }
        let key = (module.into(), name.into());
        if let Some(&id) = self.globals.get(&key) {
            return self.get(id);
        }
        self.opcode(op::GLOBAL)
            .raw(module.as_bytes())
            .raw(b"\n")
            .raw(name.as_bytes())
            .raw(b"\n");
        let id = self.memoize();
        self.globals.insert(key, id);
        self
    }

    /// Begins a list: an empty one. Follow with [`Pickler::begin_items`], the elements and [`Pickler::append_items`].
    pub fn begin_list(&mut self) -> &mut Pickler {
        self.opcode(op::EMPTY_LIST)
    }

    /// Begins a dict: an empty one. Follow with [`Pickler::begin_items`], keys and values in turn and [`Pickler::set_items`].
    pub fn begin_dict(&mut self) -> &mut Pickler {
        self.opcode(op::EMPTY_DICT)
    }

    /// A mark: the elements that follow are for the opcode that ends them.
    pub fn begin_items(&mut self) -> &mut Pickler {
        self.opcode(op::MARK)
    }

    /// Appends everything since the mark to the list below it.
    pub fn append_items(&mut self) -> &mut Pickler {
        self.opcode(op::APPENDS)
    }

    /// Sets everything since the mark, keys and values in turn, on the dict below it.
    pub fn set_items(&mut self) -> &mut Pickler {
        self.opcode(op::SETITEMS)
    }

    /// Makes everything since the mark a tuple.
    pub fn tuple_items(&mut self) -> &mut Pickler {
        self.opcode(op::TUPLE)
    }

    /// The empty tuple.
    pub fn empty_tuple(&mut self) -> &mut Pickler {
        self.opcode(op::EMPTY_TUPLE)
    }

    /// A tuple of `len` values in the usual form: `elements` writes them.
    pub fn tuple(&mut self, len: usize, elements: impl FnOnce(&mut Pickler)) -> &mut Pickler {
        match len {
            0 => self.opcode(op::EMPTY_TUPLE),
            1..=3 => {
                elements(self);
                self.opcode([op::TUPLE1, op::TUPLE2, op::TUPLE3][len - 1])
            }
            _ => {
                self.begin_items();
                elements(self);
                self.tuple_items()
            }
        }
    }

    /// Calls the global below with the tuple on top.
    pub fn reduce(&mut self) -> &mut Pickler {
        self.opcode(op::REDUCE)
    }

    /// Makes an object of the class below with the tuple on top, without calling its initialiser.
    pub fn new_object(&mut self) -> &mut Pickler {
        self.opcode(op::NEWOBJ)
    }

    /// Gives the object below the state on top.
    pub fn build(&mut self) -> &mut Pickler {
        self.opcode(op::BUILD)
    }

    /// Makes the value on top the id of something kept outside the pickle. PyTorch memoises the result.
    pub fn persistent_id(&mut self) -> &mut Pickler {
        self.opcode(op::BINPERSID)
    }

    /// Keeps the value on top in the memo under the next number.
    pub fn memoize(&mut self) -> MemoId {
        let id = MemoId(self.next);
        self.next += 1;
        match u8::try_from(id.0) {
            Ok(small) => self.with(op::BINPUT, &[small]),
            Err(_) => self.with(op::LONG_BINPUT, &id.0.to_le_bytes()),
        };
        id
    }

    /// The value kept in the memo under `id`.
    pub fn get(&mut self, id: MemoId) -> &mut Pickler {
        match u8::try_from(id.0) {
            Ok(small) => self.with(op::BINGET, &[small]),
            Err(_) => self.with(op::LONG_BINGET, &id.0.to_le_bytes()),
        }
    }

    /// A list whose element type is kept: a call of the `maker` of `torch.jit._pickle` with a tuple of one list, both
    /// written with marks; `write` writes an element.
    pub fn typed_list<T>(
        &mut self,
        maker: &str,
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Pickler, T),
    ) -> &mut Pickler {
        self.global("torch.jit._pickle", maker);
        self.begin_items().begin_list().begin_items();
        items.for_each(|item| write(self, item));
        self.append_items().tuple_items().reduce()
    }

    /// A tuple of integers, written with marks, as the sizes and strides of tensors are.
    pub fn int_tuple_items(&mut self, values: &[i64]) -> &mut Pickler {
        self.begin_items();
        for &value in values {
            self.int(value);
        }
        self.tuple_items()
    }

    fn opcode(&mut self, code: u8) -> &mut Pickler {
        self.out.push(code);
        self
    }

    fn with(&mut self, code: u8, argument: &[u8]) -> &mut Pickler {
        self.opcode(code).raw(argument)
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Pickler {
        self.out.extend_from_slice(bytes);
        self
    }
}
