"""The names of backends. There is one: collectives of CPU tensors over TCP, as ``gloo``."""

import os

__all__ = [
    "Backend", "get_default_backend_for_device", "is_backend_available", "is_gloo_available", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available",
]


class Backend(str):
    """The name of a backend, in small letters: ``Backend("GLOO") == "gloo"``."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        known = getattr(Backend, name.upper(), None)
        return known if isinstance(known, str) else name.lower()

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None):
        """Backends of a program's own have no place here.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(f"cannot register backend {name}: Rushlight has one backend, gloo, of its own")


def refuse(name):
    """Raises what the reference does for a backend that is not there."""
    name = str(name)
    if name == Backend.MPI:
        raise RuntimeError(
            "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source on a host "
            "that has MPI installed."
        )
    if name == Backend.NCCL:
        raise RuntimeError("nccl2 requires at least one CUDA device")
    if name in (Backend.UCC, Backend.XCCL):
        raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in")
    raise AssertionError(f"Unknown backend type {name}")


def configuration(name):
    """How a backend was asked for: its name, and the backends of devices; refuses all but ``gloo``."""
    if name is None or name == Backend.UNDEFINED:
        return Backend.UNDEFINED, "cpu:gloo"
    if ":" not in name:
        if name != Backend.GLOO:
            refuse(name)
        return name, "cpu:gloo,cuda:gloo"
    for part in name.split(","):
        device, _, backend = part.partition(":")
        if not device or not backend:
            raise ValueError(
                f"The custom backend string argument is invalid: {name}.\n                Custom backend string is an "
                'experimental feature where the backend string must be in the format:\n                "<device_type1>:'
                '<backend1>,<device_type2>:<backend2>...". e.g. \'cpu:gloo,cuda:nccl\''
            )
        if backend.lower() != Backend.GLOO:
            if backend.lower() not in Backend.backend_list or backend.lower() == Backend.FAKE:
                raise AssertionError(f"Unknown c10d backend type {backend.upper()}")
            refuse(backend.lower())
    return name, name


def is_gloo_available():
    """Whether there is the ``gloo`` backend: yes, one by that name."""
    return True


def is_nccl_available():
    """Whether there is the ``nccl`` backend: no."""
    return False


def is_mpi_available():
    """Whether there is the ``mpi`` backend: no."""
    return False


def is_ucc_available():
    """Whether there is the ``ucc`` backend: no."""
    return False


def is_xccl_available():
    """Whether there is the ``xccl`` backend: no."""
    return False


def is_backend_available(backend):
    """Whether there is a backend of a name."""
    return backend.lower() == Backend.GLOO


def is_torchelastic_launched():
    """Whether ``torch.distributed.run`` has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def get_default_backend_for_device(device):
    """The backend that a device has unless told otherwise."""
    kind = device if isinstance(device, str) else device.type
    kind = kind.partition(":")[0]
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"Default backend not registered for device : {device}")
    return Backend.default_device_backend_map[kind]


Backend.__module__ = "torch.distributed.distributed_c10d"
