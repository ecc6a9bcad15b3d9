"""Tensors and submodules of a module by their paths: read, put in the place of others, taken out."""

from ... import _rushlight

_MISSING = object()
Tensor = _rushlight.Tensor


def _check(module, name, tensor):
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    if tensor is not _MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")


def set_tensor(module, name, tensor):
    """Puts a tensor under a name of a module: as parameter or buffer where it is one."""
    _check(module, name, tensor)
    for kept in (module._parameters, module._buffers):
        if name in kept:
            kept[name] = tensor
            return
    setattr(module, name, tensor)


def swap_tensor(module, name, tensor, allow_missing=False):
    """Puts a tensor under a name of a module, or takes out what is there for a mark of nothing. What was there before."""
    _check(module, name, tensor)
    for kept in (module._parameters, module._buffers):
        if name in kept:
            before = kept[name]
            if tensor is _MISSING:
                del kept[name]
            else:
                kept[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING:
        if not allow_missing:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    elif not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module, name, submodule):
    """Puts a submodule under a name of a module. What was there before."""
    from ..modules.module import Module

    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if not isinstance(submodule, Module):
        raise TypeError(f"{submodule} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError('submodule name can\'t contain "."')
    if name == "":
        raise KeyError('submodule name can\'t be empty string ""')
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """Reaches what is in a module, and in the modules inside it, by paths such as ``"layer.0.weight"``."""

    def __init__(self, module):
        self.module = module
        self.memo = {}

    def get_submodule(self, name):
        """The submodule at a path."""
        if not name:
            return self.module
        if name not in self.memo:
            prefix, _, last = name.rpartition(".")
            parent = self.get_submodule(prefix)
            found = getattr(parent, last, _MISSING)
            if found is _MISSING:
                raise AttributeError(f"{parent._get_name()} has no attribute `{last}`")
            from ..modules.module import Module

            if not isinstance(found, Module):
                raise TypeError(f"submodule `{name}`: {found} is not an instance of torch.nn.Module")
            self.memo[name] = found
        return self.memo[name]

    def swap_submodule(self, path, value):
        """Puts a submodule at a path. What was there before."""
        prefix, _, last = path.rpartition(".")
        before = swap_submodule(self.get_submodule(prefix), last, value)
        self.memo = {name: kept for name, kept in self.memo.items() if name != path and not name.startswith(f"{path}.")}
        return before

    def _parent(self, name):
        prefix, _, last = name.rpartition(".")
        return self.get_submodule(prefix), last

    def get_tensor(self, name):
        """The tensor at a path."""
        parent, last = self._parent(name)
        found = getattr(parent, last, _MISSING)
        if found is _MISSING:
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if found is not None and not isinstance(found, Tensor):
            raise TypeError(f"{found} is not an instance of torch.Tensor")
        return found

    def set_tensor(self, name, value):
        """Puts a tensor at a path."""
        set_tensor(*self._parent(name), value)

    def del_tensor(self, name):
        """Takes the tensor at a path out."""
        swap_tensor(*self._parent(name), _MISSING)

    def swap_tensor(self, name, value, allow_missing=False):
        """Puts a tensor at a path. What was there before."""
        return swap_tensor(*self._parent(name), value, allow_missing=allow_missing)

    def get_tensors(self, names):
        """The tensors at paths."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names, values):
        """Puts tensors at paths."""
        names, values = _paired(names, values)
        for name, value in zip(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors):
        """Puts tensors at the paths that are their keys."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names):
        """Takes the tensors at paths out."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names, values, allow_missing=False):
        """Puts tensors at paths. What was there before."""
        names, values = _paired(names, values)
        return [self.swap_tensor(name, value, allow_missing=allow_missing) for name, value in zip(names, values)]

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """Puts tensors at the paths that are their keys. What was there before, and the paths at which nothing was."""
        before, missing = {}, []
        try:
            for name, value in named_tensors.items():
                try:
                    before[name] = self.swap_tensor(name, value, allow_missing=True)
                except AttributeError:
                    if not allow_missing:
                        raise
                    missing.append(name)
                    continue
                if before[name] is _MISSING:
                    missing.append(name)
        except Exception:
            self.swap_tensors_dict(before, allow_missing=True)
            raise
        if missing and not allow_missing:
            self.swap_tensors_dict(before, allow_missing=True)
            raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        return before, missing

    def check_keys(self, keys):
        """The paths of tensors that are not among keys, and the keys that are no such paths."""
        keys = set(keys)
        valid = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(valid - keys), sorted(keys - valid)

    def named_parameters(self, remove_duplicate=True):
        """The parameters with their paths."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate=True):
        """The buffers with their paths."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate=True):
        """The parameters and buffers with their paths."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate=True):
        """The modules with their paths."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)


def _paired(names, values):
    names, values = list(names), list(values)
    if len(names) != len(values):
        raise ValueError("names and values must have the same length")
    return names, values
