"""Strings that are added to again and again, with others that hold them as they were, and what is made of strings."""
import torch
from typing import Dict, List, Tuple


@torch.jit.script
def grow(n: int, piece: str) -> Tuple[str, List[str], Dict[str, int]]:
    text = ""
    kept: List[str] = []
    seen: Dict[str, int] = {}
    for i in range(n):
        text += piece
        if i % 37 == 0:
            kept.append(text)
            seen[text] = i
        if i % 50 == 49:
            other = text
            text += "|"
            kept.append(other)
            other += "!"
            kept.append(other)
    return text, kept, seen


@torch.jit.script
def twice(text: str, n: int) -> List[int]:
    sizes: List[int] = []
    for _ in range(n):
        text = text + text
        sizes.append(len(text))
    for _ in range(n):
        text = text + "-" + text[:5] + text[3:4]
        sizes.append(len(text))
    return sizes


@torch.jit.script
def pieces(text: str) -> Tuple[str, bool, int]:
    out = ""
    for i in range(len(text)):
        out += text[i]
    out += text
    return out, out == text + text, len(out)


@torch.jit.script
def lowered(text: str) -> str:
    out = "a text that is long already: "
    for c in text:
        out += c.lower()
        out += c.upper()
    return out


@torch.jit.script
def made(text: str) -> List[str]:
    out: List[str] = []
    for width in range(0, 90, 11):
        out.append(text.rjust(width))
        out.append(text.ljust(width, "."))
        out.append(text.center(width, "*"))
        out.append(text.zfill(width))
    for old in ["b", "ab", "abc", "zz", "c b"]:
        out.append(text.replace(old, "Z"))
        out.append(text.replace(old, "<long enough to need room>"))
        out.append(text.replace(old, "", 1))
        out.append(str(text.count(old)) + " " + str(text.find(old)) + " " + str(text.rfind(old)))
    out.append(text.title())
    out.append(text.swapcase())
    out.append(text.capitalize())
    out.append("{}-{}-{}{}".format(text, 1, 2.5, True))
    out.append(f"{text}|{len(text)}")
    return out


text, kept, seen = grow(400, "ab")
print(len(text), text[-60:], len(kept))
print([len(k) for k in kept], [k[-3:] for k in kept])
print({len(k): v for k, v in seen.items()}, all(k in kept for k in seen))
print(grow(60, "é")[0])
print(twice("a", 8), twice("a string of some length", 6))
print(pieces("naïve café — 30 €"))
print(lowered("Some Words With Capitals"))
for t in ["abcabc", "a b  c", "the abc of ab and b, " * 4, ""]:
    print(made(t))
    print(lowered(t))
