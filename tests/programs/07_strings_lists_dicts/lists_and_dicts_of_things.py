# list(...) and dict(...) of tuples, dicts, iterators, lists of pairs and keywords are comprehensions
import collections
from typing import Dict, List, Optional, Tuple, Union

import torch


def of_tuple(x: Tuple[int, int]):
    out = list(x)
    out.append(3)
    return out, sum(list(x)), list((1, 2)), list(())


def of_keys(x: Dict[str, int]):
    return list(x), list(x.items())


def of_tensor(x):
    return list(x)


def of_mixed(x: Tuple[int, float]):
    y: List[Union[int, float]] = list(x)
    z: List[Optional[int]] = [a for a in (1, None)]
    return y, z


def of_nothing(x: int):
    return list(x=x), dict({}), dict([])


def of_pairs(x: int, both: Tuple[Tuple[str, int], Tuple[str, int]]):
    return dict([("q", x)]), dict([("q", x)], a=x, b=2), dict(both), dict((("a", x), ("b", 1)))


def of_iterators(x: List[int]):
    return dict(zip(x, x)), dict(enumerate(x))


def of_dict(x: Dict[str, int]):
    return dict(x), dict(x, a=3), dict({"q": 1}, b=2), dict({k: v for k, v in x.items()})


def of_keywords(x: int):
    y: Dict[str, int] = dict(a=x, b=2)
    return y, dict(c=1.5)


def unrolled(x: Tuple[Tuple[str, int], Tuple[str, int]]):
    y: Dict[str, Optional[int]] = {a: None for a, _ in x}
    return {a: b + 1 for a, b in x}, {a: [a] for a in (1, 2)}, y


def ordered(x: int):
    return collections.OrderedDict([("a", x)]), collections.OrderedDict()


def keywords_of_list(x: List[Tuple[str, int]]):
    return dict(x, a=3)


def keywords_of_tuple(x: int):
    return dict((("q", x),), a=x)


def other_values(x: int):
    return dict({"a": x}, b=2.0)


def other_keys(x: int):
    return dict({1: x}, b=2.0)


def mixed_keys(x: int):
    return dict([(1, 2)], a=x)


def two(x: int):
    return dict([("a", x)], [1])


def two_of_list(x: int):
    return list([x], [x])


def two_of_tuple(x: int):
    return tuple(x, x)


def three(x: int):
    return dict([("a", 1, 2)])


def other_elements(x: List[int]):
    y: List[Tuple[int, float]] = list(enumerate(x))
    return y


def other_entries(x: Tuple[Tuple[str, int], Tuple[str, int]]):
    y: Dict[str, float] = {a: b for a, b in x}
    return y


PAIRS = (("a", 1), ("b", 2))
CASES = [
    (of_tuple, ((1, 2),)),
    (of_keys, ({"a": 1, "b": 2},)),
    (of_tensor, (torch.arange(2),)),
    (of_mixed, ((1, 2.5),)),
    (of_nothing, (1,)),
    (of_pairs, (1, PAIRS)),
    (of_iterators, ([4, 5],)),
    (of_dict, ({"a": 1},)),
    (of_keywords, (1,)),
    (unrolled, (PAIRS,)),
    (ordered, (1,)),
]
for function, arguments in CASES:
    script = torch.jit.script(function)
    print(script.graph)
    print(script.code)
    print(script(*arguments))
for function in [
    keywords_of_list,
    keywords_of_tuple,
    other_values,
    other_keys,
    mixed_keys,
    two,
    two_of_list,
    two_of_tuple,
    three,
    other_elements,
    other_entries,
]:
    try:
        torch.jit.script(function)
    except RuntimeError as e:
        print(str(e).rstrip())
