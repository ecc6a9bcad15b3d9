"""Graphs of random control flow, with the numbers and names of their values."""

import random
import re

import torch


def expression(draw, names):
    kind = draw.random()
    if kind < 0.35:
        return draw.choice(names)
    if kind < 0.5:
        return str(draw.randint(0, 5))
    operator = draw.choice(["+", "-", "*"])
    return f"{draw.choice(names)} {operator} {draw.choice(names + [str(draw.randint(1, 4))])}"


def condition(draw, names):
    kind = draw.random()
    operator = draw.choice(["<", ">", "==", ">=", "!="])
    text = f"{draw.choice(names)} {operator} {draw.choice(names + [str(draw.randint(0, 6))])}"
    if kind < 0.2:
        return f"{text} {draw.choice(['and', 'or'])} {draw.choice(names)} > {draw.randint(0, 4)}"
    return f"not {text}" if kind < 0.28 else text


class Program:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.loops = 0
        self.lines = ["def f(a: int, b: int, c: int) -> int:", "    x = 1", "    total = 0", "    i0 = a + b"]
        known = ["a", "b", "c", "x", "total", "i0"]
        self.block(1, 4, known, False, self.draw.randint(3, 5))
        self.lines.append(f"    return {self.draw.choice(['a', 'b', 'c'])}")

    def nested(self, indent, depth, names, in_loop):
        self.block(indent + 1, depth - 1, names, in_loop, self.draw.randint(1, 3))

    def block(self, indent, depth, names, in_loop, count):
        draw, pad = self.draw, "    " * indent
        for step in range(count):
            kind = draw.random()
            if kind < 0.38 or depth <= 0:
                name = draw.choice(names)
                sign = "=" if draw.random() < 0.6 else "+="
                self.lines.append(f"{pad}{name} {sign} {expression(draw, names)}")
            elif kind < 0.62:
                self.lines.append(f"{pad}if {condition(draw, names)}:")
                self.nested(indent, depth, names, in_loop)
                if draw.random() < 0.5:
                    self.lines.append(f"{pad}else:")
                    self.nested(indent, depth, names, in_loop)
            elif kind < 0.75:
                self.loops += 1
                name = f"k{self.loops}"
                self.lines.append(f"{pad}for {name} in range({draw.choice(names + ['4'])}):")
                self.nested(indent, depth, names + [name], True)
            elif kind < 0.85:
                self.lines.append(f"{pad}while {condition(draw, names)}:")
                self.nested(indent, depth, names, True)
            elif kind < 0.95 and in_loop and step == count - 1:
                self.lines.append(pad + draw.choice(["break", "continue"]))
            elif step == count - 1 and indent > 1:
                self.lines.append(f"{pad}return {draw.choice(names)}")
            else:
                name, one, other = draw.choice(names), expression(draw, names), expression(draw, names)
                self.lines.append(f"{pad}{name} = {one} if {condition(draw, names)} else {other}")


for seed in range(24):
    source = "\n".join(Program(seed).lines) + "\n"
    text = str(torch.jit.CompilationUnit(source).f.graph)
    # Without places, and so that nobody numbers the values anew.
    print(seed, re.sub(r" # .*", "", text).replace("%", "v"))
