# Operators of torch.ops by name: overloads on numbers, strings and lists are theirs as well.
import torch

ops = torch.ops.aten


def told(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


for call in (
    lambda: ops.add("a", "b"), lambda: ops.add("a", 1), lambda: ops.add(torch.ones(2), 1), lambda: ops.add(torch.ones(2), torch.ones(2)),
    lambda: ops.add([1], [2]), lambda: ops.sqrt(4), lambda: ops.neg(3), lambda: ops.ceil(2.5), lambda: ops.eq([1], [1]),
    lambda: ops.gcd(4, 6), lambda: ops.log(2.0), lambda: ops.remainder(7, 3), lambda: ops.split("a b"),
    lambda: ops.sum([1, 2]), lambda: ops.index([1, 2], 2), lambda: ops.__contains__([1, 2], 2), lambda: ops.__not__(True),
    lambda: torch.ops.prim.abs(-3), lambda: ops.relu(torch.ones(1), 4), lambda: ops.relu("a"), lambda: ops.upper("a"),
    lambda: ops.add.str("a", "b"), lambda: ops.add.Tensor("a", "b"), lambda: ops.add(torch.ones(1), torch.ones(1), 2),
):
    told(call)
for name in ("__nothing__", "nothing", "__contains__"):
    print(name, hasattr(ops, name))
