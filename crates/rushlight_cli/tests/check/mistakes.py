import torch
import math
from typing import List, Dict, Optional, Tuple

class Point:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def norm(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

LIMIT = 10

def m01_optional_operand(x: Optional[int]) -> int:
    return x + 1  # problem

def m02_undefined(x: torch.Tensor) -> torch.Tensor:
    return y + x  # problem

def m03_misspelt(value: torch.Tensor) -> torch.Tensor:
    return vlaue + 1  # problem

def m04_no_overload(x: torch.Tensor) -> torch.Tensor:
    return torch.add(x, "1")  # problem

def m06_unannotated(xs) -> int:
    return len(xs) + xs[0] + "a"  # problem

def m07_yield(xs: List[int]):
    for x in xs:
        yield x  # problem

def m08_try(x: int) -> int:
    try:  # problem
        return x
    except ValueError:
        return 0

def m09_lambda(xs: List[int]) -> List[int]:
    return sorted(xs, key=lambda v: -v)  # problem

def m10_retype() -> int:
    x = 1
    x = "a"
    return x  # problem

def m11_empty_list() -> List[int]:
    xs = []
    xs.append(1)  # problem
    return xs

def m12_branch_type(c: bool):
    if c:  # problem
        r = 1
    else:
        r = "one"
    return r

def m13_one_branch(c: bool) -> int:
    if c:  # problem
        r = 1
    return r

def m14_missing_return(c: bool) -> int:  # problem
    if c:
        return 1

def m15_unknown_method(x: torch.Tensor) -> torch.Tensor:
    return x.relux()  # problem

def m16_unknown_function(x: torch.Tensor) -> torch.Tensor:
    return torch.sofmax(x, dim=0)  # problem

def m17_keyword(x: torch.Tensor) -> torch.Tensor:
    return torch.sum(x, dims=[0])  # problem

def m19_attribute(p: Point) -> float:
    return p.z  # problem

def m20_arguments(p: Point) -> float:
    return p.norm(2)  # problem

def m21_kwargs(*args: int) -> int:  # problem
    return 1

def m22_set(xs: List[int]) -> int:
    s = {1, 2}  # problem
    return len(s)

def m23_ternary(c: bool):
    return 1 if c else "a"  # problem

def m24_index_type(xs: List[int]) -> int:
    return xs["0"]  # problem

def m25_tuple_index(t: Tuple[int, str], i: int) -> int:
    return t[i]  # problem

def m26_unpack(t: Tuple[int, int]) -> int:
    a, b, c = t  # problem
    return a + b + c

def m27_comp_if(xs: List[int]) -> List[int]:
    return [x for x in xs if x > 0]  # problem

def m28_global(x: int) -> int:
    global LIMIT  # problem
    return x

def m29_wrong_call(x: int) -> int:
    return m10_retype(x)  # problem

def m30_dict_key(d: Dict[str, int]) -> int:
    return d[1]  # problem

def m31_type_name(x: int) -> Lisst[int]:  # problem
    return [x]

def m32_annot(x: int) -> int:
    n: int = "a"  # problem
    return n

def m33_walrus(x: int) -> int:
    if (n := x) > 1:  # problem
        return n
    return 0

def m34_recursion(n: int) -> int:
    return m34_recursion(n - 1)  # problem

def m35_str_plus_int(n: int) -> str:
    return "n = " + n  # problem

def m36_numpy(x: torch.Tensor) -> torch.Tensor:
    return np.exp(x)  # problem

def m37_not_iterable(n: int) -> int:
    s = 0
    for i in n:  # problem
        s += i
    return s
