"""A module that several processes train together: each on data of its own, with gradients that are the mean of all."""

import contextlib
import dataclasses
import inspect
import os

import rushlight as torch

from ..modules.module import Module
from ..parameter import UninitializedTensorMixin

__all__ = ["DistributedDataParallel"]

Tensor = torch.Tensor
_MEGABYTE = 1 << 20


def _default_group():
    """The group of all; what it takes is loaded here, not by who only asks for the class."""
    from ...distributed._world import _get_default_group

    return _get_default_group()


def _tensors_in(value):
    """The tensors in what a module returns."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple, set)):
        return [tensor for part in value for tensor in _tensors_in(part)]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in _tensors_in(part)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [tensor for field in dataclasses.fields(value) for tensor in _tensors_in(getattr(value, field.name))]
    return []


def _broadcast(group, tensors, root=0):
    """Gives the tensors of one member to all, those of a type together."""
    kinds = {}
    for tensor in tensors:
        kinds.setdefault(tensor.dtype, []).append(tensor.detach())
    for same in kinds.values():
        row = torch.cat([tensor.reshape(-1) for tensor in same])
        group.broadcast(row, root, now=True)
        if group.rank() == root:
            continue
        at = 0
        for tensor in same:
            tensor.copy_(row[at : at + tensor.numel()].view(tensor.shape))
            at += tensor.numel()


def _verify(group, parameters):
    """Raises an error everywhere when the members have other parameters."""
    from ...distributed import all_gather_object

    everybody = [None] * group.size()
    all_gather_object(everybody, [tuple(p.shape) for p in parameters], group=group)
    own = group.rank()
    for rank, shapes in enumerate(everybody):
        if len(shapes) != len(everybody[0]):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {own} has {len(parameters)} params, while rank "
                f"{rank if len(shapes) != len(parameters) else 0} has inconsistent "
                f"{len(shapes) if len(shapes) != len(parameters) else len(everybody[0])} params."
            )
    for i, parameter in enumerate(parameters):
        for rank, shapes in enumerate(everybody):
            if shapes[i] != tuple(parameter.shape):
                raise RuntimeError(
                    f"[{own}]: params[{i}] in this process with sizes {list(parameter.shape)} appears not to match sizes of the "
                    f"same param in process {rank}."
                )


class DistributedDataParallel(Module):
    """A module whose gradients are averaged over a group of processes.

    Parameters and buffers are those of member 0 from the start; buffers are so again before each call. State
    dictionaries have the names of the module after ``module.``.

    Args:
        module: what is trained; the same in all processes.
        broadcast_buffers: whether buffers follow those of member 0; they do unless told otherwise.
        init_sync: whether parameters and buffers are made equal at the start.
        process_group: the processes; all unless given.
        bucket_cap_mb: how many megabytes of gradients travel together; 25.
        find_unused_parameters: whether some parameters may have no part in the results of a call.
        gradient_as_bucket_view: whether gradients stay in the memory in which they have travelled.
        static_graph: whether the same parameters take part in each call.

    Raises:
        RuntimeError: for a module without parameters that are trained, and for modules that differ between processes.
        ValueError: for devices, and before ``init_process_group``.
    """

    def __init__(
        self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True, process_group=None,
        bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False, gradient_as_bucket_view=False,
        static_graph=False, delay_all_reduce_named_params=None, param_to_hook_all_reduce=None, mixed_precision=None,
        device_mesh=None, skip_all_reduce_unused_params=False, bucket_cap_mb_list=None, batched_grad_copy=False,
        forward_sync_buffers=None, lazy_bucket_allocation=False,
    ):
        super().__init__()
        if process_group is not None and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        for name, value in (
            ("delay_all_reduce_named_params", delay_all_reduce_named_params), ("mixed_precision", mixed_precision),
            ("device_mesh", device_mesh), ("param_to_hook_all_reduce", param_to_hook_all_reduce),
        ):
            if value is not None:
                raise NotImplementedError(f"DistributedDataParallel: Rushlight does not know the option {name}")
        self.process_group = _default_group() if process_group is None else process_group
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self.parameters_to_ignore = ignored
        self._joining = None
        parameters = self._trained(module, ignored)
        if not parameters:
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.")
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        kinds = {p.device for p in module.parameters()}
        if device_ids or output_device is not None:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-device GPU "
                f"modules or CPU modules, but got device_ids {device_ids}, output_device {output_device}, and module parameters "
                f"{kinds}."
            )
        if any(isinstance(p, UninitializedTensorMixin) for p in module.parameters()):
            raise RuntimeError(
                "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward pass to "
                "correctly initialize the modules"
            )
        self.device_ids, self.output_device, self.dim = None, None, dim
        self.device_type = next(iter(kinds)).type
        self.device = next(iter(kinds))
        self.module = module
        self.broadcast_buffers = True if broadcast_buffers is None else broadcast_buffers
        if forward_sync_buffers is not None:
            self.broadcast_buffers = self.broadcast_buffers and forward_sync_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        if bucket_cap_mb_list:
            limits = [int(cap * _MEGABYTE) for cap in bucket_cap_mb_list]
        else:
            cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * _MEGABYTE)
            limits = [min(_MEGABYTE, cap), cap]
        self.bucket_bytes_cap = limits[-1]
        self._limits = limits
        if init_sync:
            _verify(self.process_group, parameters)
            self._sync_everything()
        self._make_reducer(parameters)

    @staticmethod
    def _trained(module, ignored):
        return [p for name, p in module.named_parameters() if p.requires_grad and name not in ignored]

    def _make_reducer(self, parameters):
        from ._reducer import Reducer

        self.reducer = Reducer(
            parameters, self.process_group, self._limits, self.find_unused_parameters, self.gradient_as_bucket_view,
            self.static_graph,
        )

    def _synced_buffers(self):
        return [b for name, b in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def _sync_everything(self, root=0):
        with torch.no_grad():
            state = [p for name, p in self.module.named_parameters() if name not in self.parameters_to_ignore]
            _broadcast(self.process_group, state + self._synced_buffers(), root)

    def _sync_buffers(self, root=0):
        with torch.no_grad():
            _broadcast(self.process_group, self._synced_buffers(), root)

    def __getstate__(self):
        _default_group()
        state = self.__dict__.copy()
        for name in ("process_group", "reducer", "_joining"):
            state.pop(name, None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.process_group, self._joining = _default_group(), None
        self._make_reducer(self._trained(self.module, self.parameters_to_ignore))

    def _set_static_graph(self):
        """Says that the same parameters take part in each call from now on."""
        self.static_graph = self.reducer.static = True

    def will_sync_module_buffers(self):
        """Whether buffers are made equal before the next call."""
        return bool(self.require_forward_param_sync and self.broadcast_buffers and self._synced_buffers())

    @contextlib.contextmanager
    def no_sync(self):
        """Gradients stay those of this process inside, and add up to what travels after it."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        """What the module gives; the gradients of the results travel."""
        records = torch.is_grad_enabled()
        if records and self.require_backward_grad_sync:
            self.reducer.check_finished(self.process_group.rank())
        source = 0 if self._joining is None else self._joining.before_call()
        if self.will_sync_module_buffers():
            self._sync_buffers(source)
        if self._joining is not None:
            self._joining.tell_sync(records and self.require_backward_grad_sync)
        result = self.module(*inputs, **kwargs)
        if records and self.require_backward_grad_sync:
            self.require_forward_param_sync = True
            self.reducer.prepare(_tensors_in(result), self.process_group.rank())
        else:
            self.require_forward_param_sync = False
            if records:
                self.reducer.expecting = False
        return result

    def train(self, mode=True):
        """Turns the module to training or back."""
        super().train(mode)
        return self

    def register_comm_hook(self, state, hook):
        """Lets ``hook(state, bucket)`` do what travelling gradients need: a future of the row of gradients, averaged.

        Raises:
            TypeError: for what cannot be called.
            ValueError: for annotations that say something else.
            RuntimeError: for a second hook.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        from ...distributed._grad_bucket import GradBucket

        told = inspect.signature(hook)
        if told.parameters["bucket"].annotation not in (inspect.Parameter.empty, GradBucket):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = state, hook

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """A ``with`` for members that have fewer batches than others: they take part with nothing of their own in the end.

        Args:
            divide_by_initial_world_size: whether gradients are divided by the number of all members, or of those that still
                have batches.
            enable: whether to do anything.
            throw_on_early_termination: raise an error on all members when one has come to its end.
        """
        from ._join import Joining

        return Joining(self, divide_by_initial_world_size, throw_on_early_termination) if enable else contextlib.nullcontext()

    def _get_ddp_logging_data(self):
        parameters = self.reducer.parameters
        return {
            "backend_name": "gloo", "world_size": self.process_group.size(), "rank": self.process_group.rank(),
            "module_name": type(self.module).__name__, "master_addr": os.environ.get("MASTER_ADDR", "N/A"),
            "num_parameter_tensors": len(parameters),
            "total_parameter_size_bytes": sum(p.numel() * p.element_size() for p in parameters),
            "bucket_sizes": ", ".join(
                str(sum(p.numel() * p.element_size() for p in bucket.parameters)) for bucket in self.reducer.buckets
            ),
            "bucket_cap_bytes": self.bucket_bytes_cap, "broadcast_buffers": int(self.broadcast_buffers),
            "find_unused_parameters": int(self.find_unused_parameters),
            "gradient_as_bucket_view": int(self.gradient_as_bucket_view), "iteration": self.reducer.iteration,
        }
