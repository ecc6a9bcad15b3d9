# the is... predicates on several strings, and lines
from typing import List

import torch


@torch.jit.script
def kinds(s: str) -> List[bool]:
    return [
        s.isalpha(), s.isdigit(), s.isalnum(), s.isspace(), s.isupper(), s.islower(), s.istitle(),
        s.isdecimal(), s.isnumeric(), s.isprintable(),
    ]


@torch.jit.script
def lines(s: str):
    return s.splitlines(), s.splitlines(True), s.split(), s.strip("\n"), s.swapcase(), s.capitalize(), s.title()


for text in ["abc", "ABC", "12", "a1_", " \t", "", "Two Words", "x y"]:
    print([1 if k else 0 for k in kinds(text)])
print(lines("one two\nthree\n\nfOUR\n"))
