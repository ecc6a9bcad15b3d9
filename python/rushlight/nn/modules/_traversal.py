"""Walks over modules and what they hold: ``named_parameters``, ``modules``, ``get_submodule`` and their kin."""

__all__ = ["Traversal"]


class Traversal:
    """The part of ``Module`` that walks."""

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        """What ``get_members_fn`` gives for this module and those below it, with paths; None is left out."""
        # What was given is held to the end: an identity is of one that lives.
        seen = {}
        below = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in below:
            for name, member in get_members_fn(module):
                # The hash of a tensor is its identity, whichever object stands for it.
                key = hash(member)
                if member is None or key in seen:
                    continue
                if remove_duplicate:
                    seen[key] = member
                yield (f"{path}.{name}" if path else name), member

    def parameters(self, recurse=True):
        """The parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """The parameters with their paths."""
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def buffers(self, recurse=True):
        """The buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """The buffers with their paths."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def children(self):
        """The direct submodules, each once."""
        for _, child in self.named_children():
            yield child

    def named_children(self):
        """The direct submodules with their names, each once."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def modules(self, remove_duplicate=True):
        """The module and those below it, each once unless duplicates are wanted."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """The module and those below it with their paths, parents first."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def get_submodule(self, target):
        """The submodule at a path."""
        from .module import Module

        module = self
        for part in target.split(".") if target else ():
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Puts a module at a path."""
        from .module import Module

        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or path) and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _member_at(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        return module, name, getattr(module, name)

    def get_parameter(self, target):
        """The parameter at a path."""
        from ..parameter import Parameter

        _, name, found = self._member_at(target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        """The buffer at a path."""
        module, name, found = self._member_at(target)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found
