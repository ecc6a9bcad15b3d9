# Hooks around state_dict and load_state_dict of optimizers: their order, what they replace, and how they end.
import copy

import torch


def fresh():
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.5, momentum=0.9)


optimizer = fresh()
seen = []
first = optimizer.register_state_dict_pre_hook(lambda o: seen.append(("before", type(o).__name__)))
optimizer.register_state_dict_pre_hook(lambda o: seen.append("first of all"), prepend=True)
optimizer.register_state_dict_post_hook(lambda o, d: seen.append(sorted(d)))
optimizer.register_state_dict_post_hook(lambda o, d: {**d, "more": 1})
optimizer.register_state_dict_post_hook(lambda o, d: {**d, "most": len(d)}, prepend=True)
print(sorted(optimizer.state_dict()), seen)
first.remove()
seen.clear()
optimizer.state_dict()
print(seen)

other, seen = fresh(), []
saved = fresh().state_dict()
rate = other.register_load_state_dict_pre_hook(
    lambda o, d: {**d, "param_groups": [{**g, "lr": 0.125} for g in d["param_groups"]]}
)
other.register_load_state_dict_pre_hook(lambda o, d: seen.append(d["param_groups"][0]["lr"]))
other.register_load_state_dict_pre_hook(lambda o, d: seen.append(d["param_groups"][0]["lr"]), prepend=True)
other.register_load_state_dict_post_hook(lambda o: seen.append(("after", o.param_groups[0]["lr"])))
other.register_load_state_dict_post_hook(lambda o: seen.append("after, first"), prepend=True)
other.load_state_dict(saved)
print(seen, saved["param_groups"][0]["lr"])
rate.remove()
other.load_state_dict(saved)
print(seen[4:])

# A hook that writes into what it is given writes into a copy.
last = fresh()
last.register_load_state_dict_pre_hook(lambda o, d: d.update(param_groups=[{**g, "lr": 2.0} for g in d["param_groups"]]))
last.load_state_dict(saved)
print(last.param_groups[0]["lr"], saved["param_groups"][0]["lr"])

twin = copy.deepcopy(optimizer)
seen.clear()
print(sorted(twin.state_dict()), seen)
