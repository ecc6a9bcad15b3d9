//! Flatbuffers: tables of numbered fields, found by offsets. Every offset is checked against the file.
//!
//! A table begins with the distance to its list of fields, which says where each field lies; fields that are not there have
//! their default. Texts, vectors and other tables are fields that hold the distance to them. Nothing keeps two fields from
//! leading to the same place, so a small file can describe an endless amount of data: what is read is counted, and a file
//! may not be read many times over.

use std::cell::Cell;
use std::ops::Range;

/// What went wrong, in words that follow "the flatbuffer: ".
pub type Read<T> = Result<T, String>;

/// The bytes of a file, and how much may still be read from them.
pub struct Buffer<'b> {
    bytes: &'b [u8],
    left: Cell<usize>,
}

impl<'b> Buffer<'b> {
    pub fn new(bytes: &'b [u8]) -> Buffer<'b> {
        let left = bytes.len().saturating_mul(16).saturating_add(1 << 20);
        Buffer {
            bytes,
            left: Cell::new(left),
        }
    }

    /// The table that the whole file is.
    pub fn root(&self) -> Read<Table<'_>> {
        self.table_at(self.follow(0)?)
    }

    fn charge(&self, amount: usize) -> Read<()> {
        match self.left.get().checked_sub(amount) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err("its tables lead to the same data too many times".into()),
        }
    }

    fn array<const N: usize>(&self, at: usize) -> Read<[u8; N]> {
        let rest = self.bytes.get(at..).and_then(|rest| rest.first_chunk());
        rest.copied()
            .ok_or_else(|| format!("an offset leads to byte {at} of {}", self.bytes.len()))
    }

    fn u16(&self, at: usize) -> Read<usize> {
        Ok(usize::from(u16::from_le_bytes(self.array(at)?)))
    }

    fn u32(&self, at: usize) -> Read<usize> {
        Ok(u32::from_le_bytes(self.array(at)?) as usize)
    }

    /// Where the distance at `at` leads to.
    fn follow(&self, at: usize) -> Read<usize> {
        Ok(at.saturating_add(self.u32(at)?))
    }

    fn table_at(&self, at: usize) -> Read<Table<'_>> {
        self.charge(1)?;
        let distance = i64::from(i32::from_le_bytes(self.array(at)?));
        let fields = usize::try_from(at as i64 - distance)
            .map_err(|_| format!("the table at byte {at} has no list of fields"))?;
        let length = self.u16(fields)?;
        Ok(Table {
            buffer: self,
            at,
            fields,
            length,
        })
    }

    /// The bytes of a text or vector at `at` whose elements have `width` bytes.
    fn vector(&self, at: usize, width: usize) -> Read<Range<usize>> {
        let count = self.u32(at)?;
        let start = at + 4;
        let end = count.checked_mul(width).and_then(|n| n.checked_add(start));
        let range = start..end.unwrap_or(usize::MAX);
        match self.bytes.get(range.clone()) {
            Some(_) => Ok(range),
            None => Err(format!(
                "{count} elements at byte {at} do not fit into the file"
            )),
        }
    }
}

/// A table.
#[derive(Clone, Copy)]
pub struct Table<'b> {
    buffer: &'b Buffer<'b>,
    at: usize,
    fields: usize,
    length: usize,
}

impl<'b> Table<'b> {
    /// Where a field lies, if it is there.
    fn field(&self, number: usize) -> Read<Option<usize>> {
        let place = 4 + 2 * number;
        if place + 2 > self.length {
            return Ok(None);
        }
        Ok(match self.buffer.u16(self.fields + place)? {
            0 => None,
            distance => Some(self.at + distance),
        })
    }

    /// A number; `default` where it is not there.
    pub fn number<T: Number>(&self, field: usize, default: T) -> Read<T> {
        match self.field(field)? {
            Some(at) => T::at(self.buffer, at),
            None => Ok(default),
        }
    }

    /// An index into a table of the file, 0 where it is not there.
    pub fn index(&self, field: usize) -> Read<usize> {
        Ok(self.number::<u32>(field, 0)? as usize)
    }

    /// Where the text, vector or table of a field lies.
    fn reference(&self, field: usize) -> Read<Option<usize>> {
        let at = self.field(field)?;
        at.map(|at| self.buffer.follow(at)).transpose()
    }

    /// A table of its own, or a group of numbers that is reached like one.
    pub fn table(&self, field: usize) -> Read<Option<Table<'b>>> {
        let at = self.reference(field)?;
        at.map(|at| self.buffer.table_at(at)).transpose()
    }

    /// The numbers, one behind the other, that a field leads to.
    pub fn group<T: Number, const N: usize>(&self, field: usize) -> Read<Option<[T; N]>> {
        let Some(at) = self.reference(field)? else {
            return Ok(None);
        };
        let mut numbers = [T::default(); N];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = T::at(self.buffer, at + i * T::WIDTH)?;
        }
        Ok(Some(numbers))
    }

    /// Where the bytes of a vector of bytes or of a text lie; nowhere if there is none.
    pub fn bytes(&self, field: usize) -> Read<Range<usize>> {
        match self.reference(field)? {
            Some(at) => self.buffer.vector(at, 1),
            None => Ok(0..0),
        }
    }

    /// A text; empty where there is none.
    pub fn text(&self, field: usize) -> Read<&'b str> {
        text(self.buffer, self.bytes(field)?)
    }

    /// The elements of a vector, each of which has `width` bytes and is read where it lies.
    fn elements<T>(
        &self,
        field: usize,
        width: usize,
        read: impl Fn(usize) -> Read<T>,
    ) -> Read<Vec<T>> {
        let Some(at) = self.reference(field)? else {
            return Ok(Vec::new());
        };
        let range = self.buffer.vector(at, width)?;
        self.buffer.charge(range.len())?;
        range.step_by(width).map(read).collect()
    }

    /// The numbers of a vector.
    pub fn numbers<T: Number>(&self, field: usize) -> Read<Vec<T>> {
        self.elements(field, T::WIDTH, |at| T::at(self.buffer, at))
    }

    /// The tables of a vector.
    pub fn tables(&self, field: usize) -> Read<Vec<Table<'b>>> {
        self.elements(field, 4, |at| self.buffer.table_at(self.buffer.follow(at)?))
    }

    /// The texts of a vector.
    pub fn texts(&self, field: usize) -> Read<Vec<&'b str>> {
        self.elements(field, 4, |at| {
            let range = self.buffer.vector(self.buffer.follow(at)?, 1)?;
            text(self.buffer, range)
        })
    }

    /// A vector of groups of 8 bytes.
    pub fn octets(&self, field: usize) -> Read<Vec<[u8; 8]>> {
        self.elements(field, 8, |at| self.buffer.array(at))
    }
}

fn text<'b>(buffer: &'b Buffer<'b>, range: Range<usize>) -> Read<&'b str> {
    buffer.charge(range.len())?;
    let bytes = &buffer.bytes[range];
    std::str::from_utf8(bytes).map_err(|_| "a name is no text".into())
}

/// Numbers of the sizes that files hold.
pub trait Number: Copy + Default {
    /// Bytes of one.
    const WIDTH: usize;
    /// The number at a place.
    fn at(buffer: &Buffer<'_>, at: usize) -> Read<Self>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Number for $ty {
            const WIDTH: usize = size_of::<$ty>();

            fn at(buffer: &Buffer<'_>, at: usize) -> Read<$ty> {
                Ok(<$ty>::from_le_bytes(buffer.array(at)?))
            }
        })*
    };
}

numbers!(u8 i8 i32 u32 i64 f64);
