"""Averages of parameters over the processes of a group."""

import rushlight as torch

from .... import distributed as dist


def get_params_to_average(params):
    """The parameters that have a gradient, of parameters or of the groups of an optimizer."""
    found = []
    for each in params:
        if isinstance(each, torch.Tensor):
            found += [each] if each.grad is not None else []
        elif isinstance(each, dict):
            found += [parameter for parameter in each["params"] if parameter.grad is not None]
        else:
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
    return found


def average_parameters(params, process_group):
    """Gives parameters their average over the processes of a group."""
    group = dist.group.WORLD if process_group is None else process_group
    with torch.no_grad():
        for each in params:
            row = each.detach().clone().div_(group.size())
            dist.all_reduce(row, group=group)
            each.detach().copy_(row)


def average_parameters_or_parameter_groups(params, process_group):
    """Averages parameters with gradients, or those of the groups of an optimizer."""
    average_parameters(iter(get_params_to_average(params)), process_group)
