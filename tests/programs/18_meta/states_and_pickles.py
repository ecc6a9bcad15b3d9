"""Tensors without elements through pickles and state dictionaries, and views that conjugate."""
import copy
import pickle
import warnings

import torch
import torch.nn as nn

wide = torch.ones(2, 3, device="meta").t()
for tensor in (wide, torch.ones(1, device="meta", requires_grad=True), wide.to(torch.int8)):
    back = pickle.loads(pickle.dumps(tensor))
    print(back, back.stride(), back.requires_grad)
print(pickle.loads(pickle.dumps(nn.Linear(1, 2, device="meta"))).weight)

z = torch.tensor([[1 + 1j, 2], [3j, 4]])
for tensor in (z.conj(), z[:, 1].conj(), z.conj().imag, z.conj().requires_grad_(), z.mH):
    back = pickle.loads(pickle.dumps(tensor))
    print(back, back.is_conj(), back.is_neg(), back.requires_grad, back.is_leaf, back.stride() == tensor.stride(), torch.equal(back, tensor))
print(copy.copy(z.conj()).is_conj(), copy.deepcopy(z.conj()).is_conj())

norm = nn.BatchNorm1d(2, device="meta")
print({name: str(value.device) for name, value in norm.state_dict().items()})
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    print(norm.load_state_dict(nn.BatchNorm1d(2).state_dict()))
for warning in given:
    print(warning.category.__name__, warning.message)
with warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    norm.load_state_dict(norm.state_dict())
    norm.load_state_dict(nn.BatchNorm1d(2).state_dict(), assign=True)
print(len(given), norm.weight.device, norm.num_batches_tracked.device)
