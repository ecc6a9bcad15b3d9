"""Plain pickles say what tensors are as checkpoints do."""
import collections
import copy
import pickle
import pickletools

import torch


def names(obj):
    found = [a for _, a, _ in pickletools.genops(pickle.dumps(obj, 2)) if isinstance(a, str)]
    return [name for name in found if name.startswith(("torch", "collections"))]


torch.manual_seed(0)
base = torch.arange(6.0)
marked = torch.ones(2)
marked.note = 3
parameter = torch.nn.Parameter(torch.ones(2))
parameter.note = "kept"
everything = {
    "ones": torch.ones(2, 3), "half": torch.ones(2).half(), "view": base[2:], "turned": base.reshape(2, 3).T, "scalar": torch.tensor(3.0),
    "parameter": torch.nn.Parameter(torch.zeros(2)), "marked": marked, "with state": parameter, "asks": torch.ones(2, requires_grad=True),
    "conjugate": torch.ones(2, dtype=torch.complex64).conj(), "negative": torch._neg_view(torch.ones(2)), "flags": torch.ones(2).bool(),
    "sizes": torch.ones(2, device="meta"), "none": torch.empty(0), "state": torch.nn.Linear(2, 1).state_dict(),
}
for name, value in everything.items():
    print(name, names(value))
for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
    again = pickle.loads(pickle.dumps(everything, protocol))
    for name, value in everything.items():
        if isinstance(value, torch.Tensor) and not value.is_meta:
            other = again[name]
            print(protocol, name, torch.equal(value, other), other.stride(), other.requires_grad, type(other).__name__, getattr(other, "note", None))
module = pickle.loads(pickle.dumps(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))))
print(module, isinstance(module.state_dict(), collections.OrderedDict))
print(copy.copy(marked).note, copy.deepcopy(marked).note)
print(torch.storage._load_from_bytes.__module__)
