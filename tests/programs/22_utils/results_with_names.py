"""Results with names: what they are made of, how they are refused, copied, pickled and gone through."""
import copy
import pickle
import torch
from torch.utils._pytree import tree_flatten, tree_map


def show(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, f"<<{type(error).__name__}>>\n{error}\n<<end>>")


m = torch.max(torch.tensor([[1.0, 2.0]]), 1)
kind = type(m)
print(m, kind, kind.__name__, kind.__module__, kind.__bases__, kind.__doc__)
print(m.n_fields, m.n_sequence_fields, m.n_unnamed_fields, kind.n_fields, m.__match_args__)
print([name for name in dir(m) if not name.startswith("__")])
for name in ("_fields", "_replace", "_asdict", "foo", "__dict__"):
    show(name, lambda: getattr(m, name))
for given in ((1, 2), ((1, 2),), (1,), ((1,),), ((1, 2, 3),), (), ([1, 2],), (iter([1, 2]),), ("ab",)):
    show(given if not hasattr(given[0] if given else 0, "__next__") else "iterator", lambda: kind(*given))
show("sequence", lambda: kind(sequence=(1, 2)))
show("set", lambda: setattr(m, "values", 3))
show("set other", lambda: setattr(m, "foo", 3))
show("subclass", lambda: type("X", (kind,), {}))
print(copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m)), pickle.loads(pickle.dumps(kind)) is kind)
print(m + (1,), m[0:1], len(m), kind((1, 2)) == (1, 2), hash(kind((1, 2))) == hash((1, 2)), kind(("a\nb", [1])))
print(torch.return_types.max is kind, torch.return_types.linalg_svd, tree_flatten(m), tree_map(lambda x: x, m))
show("unknown", lambda: torch.return_types.foo)
print(type(torch.max(torch.ones(1, 2), 1, out=(torch.zeros(1), torch.zeros(1, dtype=torch.long)))), torch.return_types.max_out)
print(torch.vmap(lambda x: torch.max(x, 0))(torch.ones(2, 3)), torch.utils.data.default_collate([m, m]), torch.utils.data.default_convert(m))
values, indices = torch.linalg.eigh(torch.eye(2)), torch.sort(torch.tensor([2, 1]))
print(type(values).__name__, values.n_fields, type(indices), indices.values, indices.indices)
match m:
    case kind(values=v, indices=i):
        print(v, i)
