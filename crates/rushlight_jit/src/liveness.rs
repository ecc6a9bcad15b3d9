//! Which registers an instruction may still need: what must be in memory where machine code is left.

use rushlight_runtime::code::{Code, Reg, RegisterKind};

/// A set of registers of numbers per instruction.
pub struct Liveness {
    words: usize,
    sets: Vec<u64>,
    /// The bit of each register, if it holds numbers that machine code keeps.
    bits: Vec<Option<u32>>,
    registers: Vec<Reg>,
    /// Whether an instruction writes to a register.
    is_written: Vec<bool>,
}

impl Liveness {
    /// The registers that hold something needed when control is before an instruction.
    pub fn before(&self, insn: usize) -> impl Iterator<Item = Reg> + '_ {
        let set = &self.sets[insn * self.words..(insn + 1) * self.words];
        set.iter().enumerate().flat_map(move |(w, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| self.registers[w * 64 + bit])
        })
    }

    /// Whether a register may hold something else than when the function was called.
    pub fn is_written(&self, register: Reg) -> bool {
        self.is_written[register as usize]
    }

    /// Whether machine code keeps a register itself.
    pub fn is_kept(&self, register: Reg) -> bool {
        self.bits[register as usize].is_some()
    }
}

/// Goes backward over the instructions until nothing changes.
pub fn analyse(code: &Code) -> Liveness {
    let mut bits = vec![None; code.kinds.len()];
    let mut is_written = vec![false; code.kinds.len()];
    for insn in &code.insns {
        code.writes(*insn, |r| is_written[r as usize] = true);
    }
    let mut registers = Vec::new();
    for (r, kind) in code.kinds.iter().enumerate() {
        let is_constant = code.preloaded.iter().any(|p| p.0 as usize == r);
        if *kind != RegisterKind::Other && !is_constant {
            bits[r] = Some(registers.len() as u32);
            registers.push(r as Reg);
        }
    }
    let words = registers.len().div_ceil(64).max(1);
    let count = code.insns.len();
    let mut live = Liveness {
        words,
        sets: vec![0; (count + 1) * words],
        bits,
        registers,
        is_written,
    };
    let mut now = vec![0u64; words];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for at in (0..count).rev() {
            let insn = code.insns[at];
            now.fill(0);
            if Code::falls_through(insn) {
                now.copy_from_slice(&live.sets[(at + 1) * words..(at + 2) * words]);
            }
            if let Some(to) = Code::jump_target(insn) {
                let to = to as usize;
                for w in 0..words {
                    now[w] |= live.sets[to * words + w];
                }
            }
            let bits = &live.bits;
            code.writes(insn, |r| {
                if let Some(bit) = bits[r as usize] {
                    now[bit as usize / 64] &= !(1 << (bit % 64));
                }
            });
            code.reads(insn, |r| {
                if let Some(bit) = bits[r as usize] {
                    now[bit as usize / 64] |= 1 << (bit % 64);
                }
            });
            let set = &mut live.sets[at * words..(at + 1) * words];
            if *set != now {
                set.copy_from_slice(&now);
                has_changed = true;
            }
        }
    }
    live
}
