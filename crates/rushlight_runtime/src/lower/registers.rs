//! Which register each value lives in.
//!
//! A value takes a register at its definition and gives it back after the last node of its own block that reads it.
//! Registers of joins are reserved: only the value that the join asks for may take them while nested blocks are lowered.

use super::{Lowerer, index};
pub(super) use crate::code::RegisterKind;
use crate::code::{Insn, NOWHERE, Reg};
use rushlight_ir::{NodeId, ValueId};
use rushlight_types::Type;

/// What a register may be used for.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub kind: RegisterKind,
    /// Belongs to a join: only what the join asks for may take it.
    pub reserved: bool,
    /// A reserved register that holds nothing at this point.
    pub vacant: bool,
}

impl Lowerer<'_> {
    pub(super) fn new_register(&mut self, kind: RegisterKind) -> Reg {
        self.places.push(Place {
            kind,
            reserved: false,
            vacant: false,
        });
        self.places.len() as Reg - 1
    }

    pub(super) fn allocate(&mut self, kind: RegisterKind) -> Reg {
        let unused = self.free[kind as usize].pop();
        unused.unwrap_or_else(|| self.new_register(kind))
    }

    pub(super) fn kind(&self, value: ValueId) -> RegisterKind {
        match self.graph.ty(value) {
            Type::Optional(inner) if kind_of(inner) != RegisterKind::Other => {
                RegisterKind::Optional
            }
            ty => kind_of(ty),
        }
    }

    pub(super) fn give_back(&mut self, register: Reg) {
        let place = &mut self.places[register as usize];
        if place.reserved {
            place.vacant = true;
        } else {
            let kind = place.kind;
            self.free[kind as usize].push(register);
        }
    }

    /// Gives a value its register: the one that a join wants it in if that is free, else any.
    pub(super) fn define(&mut self, value: ValueId) -> Reg {
        let wanted = self.wanted[index(value)];
        let register = match self.places.get(wanted as usize) {
            Some(place) if place.vacant && self.may_hold(place.kind, value) => {
                self.places[wanted as usize].vacant = false;
                wanted
            }
            _ => self.allocate(self.kind(value)),
        };
        self.registers[index(value)] = register;
        register
    }

    /// Whether a value may be computed in a register of a join. What may be missing there is a number while it is
    /// computed, which registers of numbers are for.
    fn may_hold(&self, kind: RegisterKind, value: ValueId) -> bool {
        kind != RegisterKind::Optional || self.kind(value) == RegisterKind::Optional
    }

    /// Frees the registers of values that nothing after this node of their block reads.
    pub(super) fn release(&mut self, node: NodeId) {
        for i in 0..self.live.released_after(node).len() {
            let value = self.live.released_after(node)[i];
            let register = self.registers[index(value)];
            if register != NOWHERE {
                self.give_back(register);
            }
        }
    }

    /// Makes a register belong to a join while its blocks are lowered; returns what it was before.
    pub(super) fn reserve(&mut self, register: Reg, vacant: bool) -> Place {
        let place = &mut self.places[register as usize];
        std::mem::replace(
            place,
            Place {
                reserved: true,
                vacant,
                kind: place.kind,
            },
        )
    }

    /// Frees the registers of inputs that die here, so that the outputs may take them.
    pub(super) fn release_inputs(&mut self, node: NodeId) {
        if std::mem::replace(&mut self.released, true) {
            return;
        }
        for i in 0..self.live.released_after(node).len() {
            let value = self.live.released_after(node)[i];
            let register = self.registers[index(value)];
            if register != NOWHERE && self.graph.value(value).node() != node {
                self.give_back(register);
            }
        }
    }

    /// Frees what a node without nested blocks defined for nobody, and drops it.
    pub(super) fn after_simple(&mut self, node: NodeId) {
        self.release_inputs(node);
        for &output in self.graph.node(node).outputs() {
            let register = self.registers[index(output)];
            if register != NOWHERE && self.graph.value(output).uses().is_empty() {
                if !self.is_plain(output) {
                    self.emit(Insn::Drop(register));
                }
                self.give_back(register);
            }
        }
        for register in std::mem::take(&mut self.temporary) {
            self.give_back(register);
        }
    }
}

/// The kind of values of a type that is not optional.
fn kind_of(ty: &Type) -> RegisterKind {
    match ty {
        Type::Int | Type::ScalarType | Type::Layout | Type::MemoryFormat | Type::SymInt => {
            RegisterKind::Int
        }
        Type::Float | Type::SymFloat => RegisterKind::Float,
        Type::Bool | Type::SymBool => RegisterKind::Bool,
        _ => RegisterKind::Other,
    }
}
