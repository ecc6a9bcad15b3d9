"""Tensors that are a part of their memory keep places and strides through pickles, and the memory with them."""
import copy
import pickle

import torch

for tensor in (
    torch.arange(6)[::2], torch.arange(6).view(2, 3).t(), torch.arange(6)[1:4], torch.arange(3).expand(2, 3), torch.empty(0, 3).t(),
    torch.arange(24).view(2, 3, 4)[:, ::2], torch.arange(4.0)[3:], torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    torch.nn.Parameter(torch.ones(4)[::2]), torch.tensor(3), torch.arange(4, dtype=torch.int16)[1:], torch.ones(3, dtype=torch.bfloat16)[:2],
    torch.tensor([1 + 2j, 3])[1:], torch.ones(2, requires_grad=True),
):  # fmt: skip
    back = pickle.loads(pickle.dumps(tensor))
    print(type(back).__name__, back.dtype, tuple(back.shape), back.stride(), back.storage_offset(), back.untyped_storage().nbytes())
    print(torch.equal(back, tensor), back.requires_grad, copy.deepcopy(tensor).stride())
