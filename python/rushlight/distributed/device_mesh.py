"""``torch.distributed.device_mesh``: processes in a grid, with a group for each line of it."""

import math

from . import _world
from .distributed_c10d import get_rank, get_world_size, init_process_group, is_initialized, new_group

__all__ = ["DeviceMesh", "init_device_mesh"]


_WHICH = "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1."
_ALL = "If you want to get the list of all the ProcessGroups in the DeviceMesh,please use `get_all_groups()` instead."


class DeviceMesh:
    """Processes in a grid.

    Args:
        device_type: the kind of their devices: ``cpu``.
        mesh: the ranks, as nested lists or a tensor.
        mesh_dim_names: the names of the dimensions.
    """

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _groups=None):
        from .. import int32, tensor

        if not is_initialized():
            init_process_group()
        self.device_type, self.mesh_dim_names = device_type, mesh_dim_names and tuple(mesh_dim_names)
        self.mesh = tensor(mesh.tolist() if hasattr(mesh, "tolist") else mesh, dtype=int32)
        self._groups = self._make_groups() if _groups is None else _groups

    def _make_groups(self):
        groups = []
        for dim in range(self.mesh.dim()):
            own = None
            for line in self.mesh.movedim(dim, -1).reshape(-1, self.mesh.shape[dim]).tolist():
                made = new_group(line)
                if made != _world.GroupMember.NON_GROUP_MEMBER and get_rank() in line:
                    own = made
            groups.append(own)
        return groups

    @property
    def ndim(self):
        """How many dimensions there are."""
        return self.mesh.dim()

    @property
    def shape(self):
        """The sizes of the grid."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        """How many processes there are, in all or in one dimension."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[self._dim(mesh_dim)]

    def _dim(self, mesh_dim):
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(f"Mesh dimension '{mesh_dim}' does not exist. Available mesh dimensions are: {self.mesh_dim_names}")
            return self.mesh_dim_names.index(mesh_dim)
        return mesh_dim

    def get_rank(self):
        """The number of this process in the group of all."""
        return get_rank()

    def get_coordinate(self):
        """Where this process is in the grid; None if it is not in it."""
        found = (self.mesh == get_rank()).nonzero().tolist()
        return tuple(found[0]) if found else None

    def get_local_rank(self, mesh_dim=None):
        """Where this process is in one dimension."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions", _WHICH)
        return self.get_coordinate()[self._dim(mesh_dim or 0)]

    def get_group(self, mesh_dim=None):
        """The group of the line of one dimension that this process is in."""
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions", _WHICH, _ALL)
        return self._groups[self._dim(mesh_dim or 0)]

    def get_all_groups(self):
        """The groups of all dimensions."""
        return list(self._groups)

    def __getitem__(self, names):
        """The part of the grid that this process shares in some dimensions."""
        names = (names,) if isinstance(names, str) else tuple(names)
        known = list(self.mesh_dim_names or ())
        if not all(name in known for name in names):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {known}.")
        dims = [self._dim(name) for name in names]
        at = self.get_coordinate()
        part = self.mesh[tuple(slice(None) if d in dims else at[d] for d in range(self.ndim))]
        return DeviceMesh(self.device_type, part, mesh_dim_names=names, _groups=[self._groups[d] for d in dims])

    def __eq__(self, other):
        return self is other or isinstance(other, DeviceMesh) and self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def _identity(self):
        return self.device_type, self.mesh_dim_names, self.shape, tuple(self.mesh.flatten().tolist())

    def __repr__(self):
        sizes = ", ".join(
            f"{name}={size}" if name else str(size) for name, size in zip(self.mesh_dim_names or [""] * self.ndim, self.shape)
        )
        return f"DeviceMesh(({sizes}), '{self.device_type}', stride={tuple(self.mesh.stride())})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """All processes in a grid, the last dimension the fastest.

    Raises:
        RuntimeError: for names that are not one for each dimension, or the same for two, devices with a number, and grids of another size.
    """
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError(
            f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {mesh_dim_names}"
        )
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError(
            "mesh_shape and mesh_dim_names should have same length! "
            f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
        )
    if not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    from .. import arange

    if not is_initialized():
        init_process_group()
    if math.prod(mesh_shape) > get_world_size():
        raise RuntimeError(
            f"Mesh should not be bigger than default world size {get_world_size()}, but found {math.prod(mesh_shape)} ranks!"
        )
    return DeviceMesh(device_type, arange(math.prod(mesh_shape)).view(tuple(mesh_shape)), mesh_dim_names=mesh_dim_names)
