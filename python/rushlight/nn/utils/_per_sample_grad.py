"""``torch.nn.utils._per_sample_grad``: gradients of each sample by operators that keep them apart. There are none here."""

from ..._absent import refuse

refuse(globals(), ("call_for_per_sample_grads",), NotImplementedError,
       "call_for_per_sample_grads is not part of Rushlight: torch.func.vmap(torch.func.grad(...)) gives the gradients of each sample")
