"""An optimizer whose parameters are averaged over processes after its steps."""

import warnings

from ...optim import Optimizer


class PostLocalSGDOptimizer(Optimizer):
    """Steps by an optimizer, then lets an averager of ``torch.distributed.algorithms.model_averaging`` average the parameters."""

    def __init__(self, optim, averager):
        self.optim, self.averager = optim, averager
        self.param_groups = optim.param_groups

    @property
    def state(self):
        """The state of the optimizer within."""
        return self.optim.state

    def __repr__(self):
        return repr(self.optim)

    def state_dict(self):
        """The state of the optimizer within, and how many steps the averager has counted."""
        found = self.optim.state_dict()
        found["step"] = self.averager.step
        return found

    def load_state_dict(self, state_dict):
        """Takes a state, and the count of steps where it has one."""
        self.optim.load_state_dict(state_dict)
        if "step" in state_dict:
            self.averager.step = state_dict["step"]
        else:
            warnings.warn(
                "Loaded state dict does not contain a step counter for an averager. Setting step counter to 0.", stacklevel=2
            )
            self.averager.step = 0

    def step(self):
        """A step of the optimizer within, then of the averager."""
        self.optim.step()
        self.averager.average_parameters(params=self.param_groups)

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients."""
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, group):
        """Adds parameters to the optimizer within."""
        self.optim.add_param_group(group)
