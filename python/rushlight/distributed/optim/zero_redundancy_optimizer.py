"""An optimiser whose state is divided between processes: each changes some of the parameters, and gives them to the others."""

import rushlight as torch

from ...optim import Optimizer
from .. import _world, gather_object

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimiser whose state is divided between the processes of a group.

    Args:
        params: the parameters, equal in all processes, with equal gradients when a step is made.
        optimizer_class: what changes them: ``torch.optim.Adam``, ...
        process_group: the processes; all unless given.
        defaults: the options of ``optimizer_class``.

    Raises:
        TypeError: for what are no parameters.
        ValueError: for none at all.
    """

    def __init__(
        self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False, **defaults,
    ):
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer: overlap_with_ddp is not known; a step follows backward")
        given = self._checked(params)
        self.process_group = _world._get_default_group() if process_group is None else process_group
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self._loads, self._owners = [0] * self.world_size, {}
        self._everything = None
        self.optim = None
        super().__init__(given, defaults)
        self.optim = optimizer_class([self._own(group) for group in self.param_groups], **defaults)
        self._copy_options(self.optim.param_groups, self.param_groups)

    @staticmethod
    def _checked(params):
        if isinstance(params, torch.Tensor):
            raise TypeError(f"`params` argument should be an iterable of Tensors, but got {params.type()}")
        try:
            given = list(params)
        except TypeError:
            raise TypeError(f"`params` argument should be an iterable of Tensors, but got {torch.typename(params)}") from None
        if not given:
            raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
        if not (all(isinstance(p, torch.Tensor) for p in given) or all(isinstance(p, dict) for p in given)):
            raise TypeError("`params` argument should be an iterable of Tensors or dicts")
        return given

    def _own(self, group):
        """A group with those of its parameters that this process changes."""
        return {**group, "params": [p for p in group["params"] if self._owners[id(p)] == self.rank]}

    def add_param_group(self, param_group):
        """Adds a group of parameters with options of its own."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        # The largest first, each to who has least.
        for parameter in sorted(group["params"], key=lambda p: -p.numel()):
            owner = self._loads.index(min(self._loads))
            self._owners[id(parameter)] = owner
            self._loads[owner] += parameter.numel()
        if self.optim is not None:
            self.optim.add_param_group(self._own(group))

    @staticmethod
    def _copy_options(source, target):
        for known, group in zip(source, target):
            group.update({name: value for name, value in known.items() if name != "params"})

    def step(self, closure=None, **kwargs):
        """Changes the parameters of this process once, and gives them to the others."""
        self._copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        self._copy_options(self.optim.param_groups, self.param_groups)
        works = [
            self.process_group.broadcast(parameter.detach(), self._owners[id(parameter)])
            for group in self.param_groups
            for parameter in group["params"]
        ]
        for work in works:
            work.wait()
        return loss

    def consolidate_state_dict(self, to=0):
        """Brings the state of all processes together in one of them; all must call it."""
        self._copy_options(self.param_groups, self.optim.param_groups)
        own = self.optim.state_dict()
        found = [None] * self.world_size if self.rank == to else None
        gather_object(own, found, group=self.process_group, group_dst=to)
        self._everything = found

    def state_dict(self):
        """Options and the state of all processes.

        Raises:
            RuntimeError: where :meth:`consolidate_state_dict` has not brought it together.
        """
        if self._everything is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to="
                f"{self.rank})` on all ranks beforehand if you meant to save the global state."
            )
        known = super().state_dict()
        known["state"] = {}
        numbers = self._numbers()
        for owner, part in enumerate(self._everything):
            for group, told in zip(self.param_groups, part["param_groups"]):
                own = [p for p in group["params"] if self._owners[id(p)] == owner]
                for parameter, number in zip(own, told["params"]):
                    if number in part["state"]:
                        known["state"][numbers[id(parameter)]] = part["state"][number]
        known["state"] = dict(sorted(known["state"].items()))
        return known

    def _numbers(self):
        everything = [p for group in self.param_groups for p in group["params"]]
        return {id(parameter): i for i, parameter in enumerate(everything)}

    def load_state_dict(self, state_dict):
        """Takes over options and state that ``state_dict`` gave, those of the parameters of this process."""
        numbers = self._numbers()
        part = {"state": {}, "param_groups": []}
        count = 0
        for group, told in zip(self.param_groups, state_dict["param_groups"]):
            own = [p for p in group["params"] if self._owners[id(p)] == self.rank]
            for parameter in own:
                number = numbers[id(parameter)]
                if number in state_dict["state"]:
                    part["state"][count] = state_dict["state"][number]
                count += 1
            part["param_groups"].append({**told, "params": list(range(count - len(own), count))})
        self.optim.load_state_dict(part)
        self._copy_options(self.optim.param_groups, self.param_groups)
        self._everything = None
