//! Loops in what `objdump -d -C --no-show-raw-insn` prints, of x86-64 and of 64-bit ARM.
//!
//! A loop is what lies between a jump backwards and where it leads, with all jumps that lead there; it is innermost where
//! no other loop lies in it.

/// An innermost loop.
pub struct Loop {
    /// The function that it stands in.
    pub function: String,
    /// Where it begins, as the listing counts.
    pub from: u64,
    /// Its last jump back.
    pub to: u64,
    /// Fused multiply-adds in it.
    pub fused: usize,
    /// Vectors that it stores to the stack.
    pub stored: usize,
}

/// What has been read.
pub struct Scan {
    least_fused: usize,
    loops: Vec<Loop>,
    function: Function,
}

/// What is known of the function that is being read.
#[derive(Default)]
struct Function {
    name: String,
    /// Where fused multiply-adds are.
    fused: Vec<u64>,
    /// Where vectors are stored beside the stack pointer; two to a place where the instruction stores two.
    by_stack: Vec<u64>,
    /// The same, beside what may be the frame pointer.
    by_frame: Vec<u64>,
    /// Whether the frame pointer is one: it may be a register like others.
    has_frame: bool,
    /// Jumps backwards, and where they lead.
    back: Vec<(u64, u64)>,
}

impl Scan {
    /// Loops with at least so many fused multiply-adds are of interest.
    pub fn new(least_fused: usize) -> Self {
        Self {
            least_fused,
            loops: Vec::new(),
            function: Function::default(),
        }
    }

    /// Takes a line of the listing.
    pub fn line(&mut self, line: &str) {
        if let Some(name) = heading(line) {
            self.end();
            self.function.name = name.to_owned();
        } else if let Some((at, text)) = instruction(line) {
            self.function.take(at, text);
        }
    }

    /// All loops of interest, in order.
    pub fn finish(mut self) -> Vec<Loop> {
        self.end();
        self.loops
    }

    fn end(&mut self) {
        let function = std::mem::take(&mut self.function);
        let found = function.innermost().into_iter();
        self.loops
            .extend(found.filter(|found| found.fused >= self.least_fused));
    }
}

impl Function {
    fn take(&mut self, at: u64, text: &str) {
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands = operands.trim_start();
        if is_fused(mnemonic) {
            self.fused.push(at);
        } else if is_jump(mnemonic) {
            if let Some(to) = target(operands)
                && to <= at
            {
                self.back.push((at, to));
            }
        } else if sets_frame(operands) {
            self.has_frame = true;
        } else {
            match stored(mnemonic, operands) {
                Some((Base::Stack, vectors)) => self.by_stack.extend((0..vectors).map(|_| at)),
                Some((Base::Frame, vectors)) => self.by_frame.extend((0..vectors).map(|_| at)),
                None => {}
            }
        }
    }

    fn innermost(self) -> Vec<Loop> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (at, to) in self.back {
            match ranges.iter_mut().find(|range| range.0 == to) {
                Some(range) => range.1 = range.1.max(at),
                None => ranges.push((to, at)),
            }
        }
        let is_innermost = |&(from, to): &(u64, u64)| {
            let lies_in = |other: &(u64, u64)| other.0 > from && other.1 < to;
            !ranges.iter().any(lies_in)
        };
        let within = |places: &[u64], (from, to): (u64, u64)| {
            places.iter().filter(|at| (from..=to).contains(at)).count()
        };
        let as_loop = |range: (u64, u64)| Loop {
            function: self.name.clone(),
            from: range.0,
            to: range.1,
            fused: within(&self.fused, range),
            stored: within(&self.by_stack, range)
                + match self.has_frame {
                    true => within(&self.by_frame, range),
                    false => 0,
                },
        };
        let innermost = ranges.iter().copied().filter(is_innermost);
        innermost.map(as_loop).collect()
    }
}

/// The name in `0000000000000000 <name>:`.
fn heading(line: &str) -> Option<&str> {
    let (digits, name) = line.split_once(" <")?;
    let is_address = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_address.then(|| name.strip_suffix(">:")).flatten()
}

/// Address and text of `  40:<tab>vaddps ...`.
fn instruction(line: &str) -> Option<(u64, &str)> {
    let (address, text) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim_start(), 16).ok()?;
    Some((address, text.trim()))
}

fn is_fused(mnemonic: &str) -> bool {
    const BEGIN: &[&str] = &["vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "fmla", "fmls"];
    BEGIN.iter().any(|begin| mnemonic.starts_with(begin))
}

/// No other mnemonics of x86-64 begin with `j`.
fn is_jump(mnemonic: &str) -> bool {
    const ARM: &[&str] = &["b", "cbz", "cbnz", "tbz", "tbnz"];
    mnemonic.starts_with('j') || mnemonic.starts_with("b.") || ARM.contains(&mnemonic)
}

/// Where a jump leads: `40 <name+0x40>`, on ARM maybe behind what is tested.
fn target(operands: &str) -> Option<u64> {
    let before_name = operands.split(" <").next()?;
    let last = before_name.rsplit(',').next()?.trim();
    u64::from_str_radix(last, 16).ok()
}

fn sets_frame(operands: &str) -> bool {
    operands == "%rsp,%rbp" || operands == "x29, sp" || operands.starts_with("x29, sp, #")
}

/// What a place in memory is counted from.
enum Base {
    Stack,
    Frame,
}

/// How many vectors an instruction stores, and beside what, where that may be the stack.
fn stored(mnemonic: &str, operands: &str) -> Option<(Base, usize)> {
    let (first, rest) = operands.split_once(',')?;
    let is_x86 = ["vmov", "mova", "movu"]
        .iter()
        .any(|begin| mnemonic.starts_with(begin));
    if is_x86
        && ["%xmm", "%ymm", "%zmm"]
            .iter()
            .any(|v| first.starts_with(v))
    {
        return match rest {
            _ if rest.contains("(%rsp") => Some((Base::Stack, 1)),
            _ if rest.contains("(%rbp") => Some((Base::Frame, 1)),
            _ => None,
        };
    }
    let vectors = match mnemonic {
        "str" | "stur" => 1,
        "stp" => 2,
        _ => return None,
    };
    if !first.starts_with('q') {
        return None;
    }
    match rest {
        _ if rest.contains("[sp") => Some((Base::Stack, vectors)),
        _ if rest.contains("[x29") => Some((Base::Frame, vectors)),
        _ => None,
    }
}
