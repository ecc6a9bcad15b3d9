# lists and dicts written where an optional or a union is expected
import torch
from typing import *
class Zc:
    def __init__(self): self.a=1
class Ab:
    def __init__(self): self.a=1
def f1() -> Optional[List[int]]:
    return [1]
def f2():
    x: Union[List[int], int] = [1]
    return x
def f4():
    x: Optional[List[Optional[int]]] = [1]
    return x
def f5():
    x: Optional[List[float]] = [1]
    return x
def f6():
    x: Optional[Tuple[int, int]] = (1, 2)
    return x
def f7():
    x: Union[Dict[str, int], int] = {"a": 1}
    return x
def f8():
    x: Union[List[int], List[str]] = ["a"]
    return x
def f9():
    x: Optional[List[int]] = [1]
    x.append(2)
    return x
def f10():
    x: Optional[List[int]] = []
    if x is not None:
        x.append(2)
    return x
def f11():
    x: Optional[List[int]] = [i for i in range(2)]
    return x
def f13() -> Tuple[Optional[List[int]], int]:
    return [1], 2
def f16():
    x: Optional[List[int]] = None
    x = [1]
    return x
def f18():
    x: Any = 1
    y: Any = (1, "a")
    z: Any = None
    return x, y, z
def f20(x: Optional[List[int]] = None):
    if x is None:
        x = [1]
    else:
        x = [2]
    return x
def f21(c: bool):
    x: Union[Zc, Ab] = Zc()
    if c:
        x = Ab()
    return x
def f22(c: bool):
    x: Union[Tuple[int, int], str, List[int], Dict[str, int], Tuple[int, float], None, float, torch.Tensor] = 1.0
    return x, [x]
def f23(x: Union[Tuple[int, int], str, List[int], Dict[str, int], Tuple[int, float], float, torch.Tensor, Zc, Ab, Optional[bool]]):
    return x
def h(x: Optional[List[int]]):
    return x
def f24():
    return h([]), h([1])
def h2(x: Any):
    return x
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q: Optional[List[int]] = None
    def forward(self):
        self.q = []
        self.q = [1]
        return self.q
for name, f in list(globals().items()):
    if name[0] == "f" and name[1:].isdigit():
        try:
            s = torch.jit.script(f)
            print(name, s.graph, s.schema)
        except Exception as e:
            print("<<%s>>" % type(e).__name__)
            print(e)
            print("<<end>>")
