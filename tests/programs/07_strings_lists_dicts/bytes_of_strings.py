"""Strings of scripts are bytes: they come apart and together, and what is no UTF-8 cannot come out."""
from typing import Dict, List

import torch


def caught(f, *args):
    try:
        print(ascii(f(*args)))
    except Exception as error:
        lines = [line for line in str(error).split("\n") if line]
        print(f"<<{type(error).__name__}>>\n{lines[-1]}\n<<end>>")


@torch.jit.script
def whole(s: str):
    r = ""
    for c in s:
        r += c
    return r, len(s), s[::-1][::-1], "".join(list(s)), ord(s[0])


@torch.jit.script
def searched(s: str):
    return s.find("é"), s[1] in s, s[0] == s[1], s < "z", s > "z", s.count("é"), s.startswith("é"), s.upper(), s.center(9, "*")


@torch.jit.script
def keyed(s: str):
    d: Dict[str, int] = {}
    for i, c in enumerate(list(s)):
        d[c] = i
    return len(d), d[s[1]]


@torch.jit.script
def first(s: str):
    return s[0]


@torch.jit.script
def pieces(s: str):
    return list(s)


@torch.jit.script
def backwards(s: str):
    return s[::-1]


@torch.jit.script
def lines(s: str):
    return len(s.splitlines()), len(s.split()), "{}|%s".format(s[0] + s[1]) % s


@torch.jit.script
def character(i: int):
    return chr(i)


@torch.jit.script
def joined():
    return chr(195) + chr(169), ("%c" % 195) + ("%c" % 169)


@torch.jit.script
def shown(s: str):
    print(s, [s[0] + s[1]])
    print(s[0])


for f in (whole, searched, keyed, first, pieces, backwards, lines, shown):
    caught(f, "éh")
caught(whole, "日本語 aé😀")
for number in (65, 127, 128, 233, 255, 300, 0x10FFFF):
    caught(character, number)
caught(joined)
