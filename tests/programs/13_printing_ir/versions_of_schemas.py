# Which versions of a schema go with which.
import torch
from torch._C import parse_schema
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, "|", str(e)[:200])
P=parse_schema
L=[("any(Tensor a) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, int b=1) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, int b) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a) -> Tensor","any(Tensor a, int b=1) -> Tensor"),
("any(Tensor a, int b=2) -> Tensor","any(Tensor a, int b=1) -> Tensor"),
("any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, int b=1, *, Tensor(a!) out) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, *, Tensor(a!) out, int b=1) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, *, int b=1, Tensor(a!) out, Tensor(b!) o2) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out, Tensor(b!) o2) -> Tensor(a!)"),
("other(Tensor a) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor? a) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a) -> Tensor","any(Tensor? a) -> Tensor"),
("any(Tensor a) -> Tensor?","any(Tensor a) -> Tensor"),
("any(Tensor a, *, int b=1) -> Tensor","any(Tensor a, int b=1) -> Tensor"),
("any(Tensor a, int b=1) -> Tensor","any(Tensor a, *, int b=1) -> Tensor"),
("any(Tensor a, str b='x', int c=2) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, int[] b=[]) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, int[] b=[1]) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, Tensor? b=None) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, Tensor b) -> (Tensor, Tensor)","any(Tensor a, Tensor b) -> (Tensor)"),
("any(Tensor b) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor(a) a) -> Tensor(a)","any(Tensor a) -> Tensor"),
("any(Tensor a, *, Tensor(a!) out, Tensor(b!) e) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, int b, *, Tensor(a!) out) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, ...) -> Tensor","any(Tensor a) -> Tensor"),
("any.o(Tensor a) -> Tensor","any(Tensor a) -> Tensor"),
]
L+=[("any(Tensor a, *, Tensor(a!) x) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, int b=1) -> Tensor","any(Tensor a, int b) -> Tensor"),
("any(Tensor a, int b) -> Tensor","any(Tensor a, int b=1) -> Tensor"),
("any(Tensor a, int c, *, Tensor(a!) x) -> Tensor(a!)","any(Tensor a) -> Tensor(a!)"),
("any(Tensor a) -> Tensor","any(Tensor a, int b) -> Tensor"),
("any(Tensor a) -> Tensor","any(Tensor a) -> Tensor?"),
("any(Tensor z, int c) -> Tensor","any(Tensor a) -> Tensor"),
("any(Tensor a, int[2] b) -> Tensor","any(Tensor a, int[] b) -> Tensor"),
("any(Tensor a, int[] b) -> Tensor","any(Tensor a, int[2] b) -> Tensor"),
("any(Tensor a) -> Tensor b","any(Tensor a) -> Tensor c"),
("any(Tensor a) -> Tensor(a)","any(Tensor a) -> Tensor"),
("any(Tensor z, *, Tensor(a!) out, Tensor(b!) q) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor z, int w) -> Tensor(a!)","any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor(a!) a, Tensor b) -> Tensor(a!)","any(Tensor(a!) a) -> Tensor(a!)"),
("any(Tensor a, *, Tensor(a!) out) -> Tensor(a!)","any(Tensor a, *, int b=1, Tensor(a!) out) -> Tensor(a!)"),
("any(Tensor a, *, Tensor(a!)[] out) -> Tensor","any(Tensor a, *, Tensor(a!)[] out) -> Tensor"),
("any(Tensor a, *, Tensor(a!)[] out) -> Tensor","any(Tensor a, *, Tensor(a!) out) -> Tensor"),
]
for a,b in L:
    print(a,"<-",b)
    t(lambda: P(a).is_backward_compatible_with(P(b)))
    t(lambda: P(a).check_forward_compatible_with(P(b)))
for s in ["any(Tensor a, ...=1) -> Tensor","any(int a=1, ...) -> Tensor","any(...) -> (...)","any(Tensor self, *, ...) -> Tensor","any(Tensor a -> Tensor","any(Tensor(a)[] x) -> Tensor(a)","any(Tensor(*)[] a) -> Tensor", "any(int(a) x) -> int"]:
    t(lambda: P(s))
