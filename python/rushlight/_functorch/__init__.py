"""``torch._functorch``: how ``torch.func`` is made.

``vmap`` runs a function once on tensors that stand for one sample and hold all of them (:mod:`_batched`). While it runs, calls of
operators look for them (:mod:`_interpose`) and follow the rule of the operator (:mod:`rules`), else go sample by sample
(:mod:`_dispatch`). Derivatives use the record of gradients (:mod:`eager_transforms`).
"""
