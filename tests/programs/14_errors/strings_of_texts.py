"""Strings in texts of functions: the escapes that there are, prefixes, and names that only archives have."""
import torch


def text(body):
    try:
        print(repr(torch.jit.CompilationUnit(f"def f(x: int):\n    return {body}\n").f(3)))
    except Exception as e:
        print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")


for letter in ("a", "b", "f", "n", "t", "v", "012", "101", "\\", "'", '"'):
    text(f'"<\\{letter}>"')
for letter in ("x41", "u0041", "U00000041", "q", "8", "0", "400"):
    text(f'"<\\{letter}>"')
for prefix in ("b", "r", "f"):
    text(f"{prefix}'a'")
for call in ("annotate(List[int], [])", "unchecked_cast(int, x)", "uninitialized(int)"):
    text(call)
