"""``torch.distributed.rpc.options``: how the processes of a group talk, where they meet and how long calls may take."""

import enum
import numbers

from . import constants


class BackendType(enum.Enum):
    """How processes talk; there is one way, by the reference's name for its own."""

    TENSORPIPE = "TENSORPIPE"

    def __repr__(self):
        return f"BackendType.{self.name}"


# The kind of value that each option takes.
_KINDS = {"num_worker_threads": numbers.Integral, "rpc_timeout": numbers.Real, "init_method": str}


def _refuse_other_kinds(**options):
    for name, value in options.items():
        if not isinstance(value, _KINDS[name]):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
                f"    {name}: {_KINDS[name].__name__}\n\nInvoked with: {name}={value!r}"
            )


class RpcBackendOptions:
    """Where a group meets, and the limit of its calls in seconds."""

    def __init__(self, rpc_timeout=constants.DEFAULT_RPC_TIMEOUT_SEC, init_method=constants.DEFAULT_INIT_METHOD):
        _refuse_other_kinds(rpc_timeout=rpc_timeout, init_method=init_method)
        self.rpc_timeout, self.init_method = rpc_timeout, init_method

    @property
    def rpc_timeout(self):
        """The limit of calls in seconds."""
        return self._rpc_timeout

    @rpc_timeout.setter
    def rpc_timeout(self, seconds):
        self._rpc_timeout = float(seconds)


class TensorPipeRpcBackendOptions(RpcBackendOptions):
    """Options of a group: threads that serve requests, limit of calls, meeting place. There are no other devices."""

    def __init__(
        self, *, num_worker_threads=constants.DEFAULT_NUM_WORKER_THREADS, rpc_timeout=constants.DEFAULT_RPC_TIMEOUT_SEC,
        init_method=constants.DEFAULT_INIT_METHOD, device_maps=None,
        devices=None, _transports=None, _channels=None,
    ):
        super().__init__(rpc_timeout, init_method)
        _refuse_other_kinds(num_worker_threads=num_worker_threads)
        if num_worker_threads <= 0:
            raise RuntimeError(f"num_worker_threads must be positive, got {num_worker_threads}")
        if rpc_timeout < 0:
            raise RuntimeError("RPC Timeout must be non-negative")
        self.num_worker_threads = num_worker_threads
        self.device_maps = device_maps or {}
        self.devices = devices or []

    def set_device_map(self, to, device_map):
        """Says which device of another worker takes a tensor; only ``cpu`` to ``cpu`` makes sense here."""
        self.device_maps.setdefault(to, {}).update(device_map)
