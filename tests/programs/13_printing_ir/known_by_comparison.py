# comparisons that an assertion or an exception makes certain: integers and lengths of lists become constants
from typing import List

import torch


def refined(function, lengths):
    graph = torch.jit.script(function).graph.copy()
    if lengths:
        torch._C._jit_pass_peephole_list_idioms(graph, refine_list_len=True)
    else:
        torch._C._jit_pass_refine_integer_values(graph)
    torch._C._jit_pass_constant_propagation(graph)
    result = next(graph.outputs())
    results = [result] if result.toIValue() is not None or "Tuple" not in result.node().kind() else list(result.node().inputs())
    print(function.__name__, [r.toIValue() for r in results])


def both(x: int, y: int):
    if x != 4 or y != 5:
        raise Exception("")
    return x + y


def either(x: int, y: int):
    assert x == 4 or y == 5
    return x + y


def inside(x: int, y: int):
    if x == 3:
        y = x * 2
    else:
        raise Exception("no")
    return x, y


for function in (both, either, inside):
    refined(function, False)


def lengths(x: List[int], y: List[int]):
    if len(x) == 4 and len(y) == 5:
        pass
    else:
        raise Exception("no")
    return len(x) + len(y)


def not_both(x: List[int], y: List[int]):
    if len(x) == 5:
        known = True
    else:
        known = len(y) != 4
    assert not known
    return len(x), len(y)


def nothing_known(x: List[int], y: List[int]):
    if len(x) == 5:
        known = False
    else:
        known = len(y) != 4
    assert known == False  # noqa: E712
    return len(x), len(y)


def written(x: List[int]):
    assert len(x) == 2
    x.append(1)
    return len(x)


for function in (lengths, not_both, nothing_known, written):
    refined(function, True)


def written_after_branches(x, c: bool, d: bool):
    if c:
        y = x + 5
    else:
        y = x + 2
        y.mul_(3)
    y.add_(4)
    return y


def written_in_a_loop(x, n: int):
    y = x + 2
    for i in range(n):
        if bool(x.sum() > i):
            y = x + 5
        y.add_(4)
    return y


for function in (written_after_branches, written_in_a_loop):
    graph = torch.jit.script(function).graph.copy()
    print(torch._C._jit_pass_remove_mutation(graph), sorted({n.kind() for n in graph.findAllNodes("aten::add_")}))
