"""Modules of switches that programs set and read: nothing here depends on them."""

import contextlib


def make(namespace):
    """Gives a module what such modules have besides the switches: changing several for a while."""

    @contextlib.contextmanager
    def patch(name=None, value=None, **switches):
        """Within, switches stand otherwise."""
        if isinstance(name, dict):
            switches = {**name, **switches}
        elif name is not None:
            switches = {name: value, **switches}
        absent = object()
        before = {switch: namespace.get(switch, absent) for switch in switches}
        namespace.update(switches)
        try:
            yield
        finally:
            for switch, earlier in before.items():
                if earlier is absent:
                    namespace.pop(switch, None)
                else:
                    namespace[switch] = earlier

    namespace["patch"] = patch
