"""What ``torch._C`` says of operators that changed their meaning: which, and since which version of archives.

Loading does not ask here: ``rushlight_archive/src/upgrade`` has what it does with old calls. What programs add themselves, with the
graph of what an operator once did, takes the place of its calls in archives that are loaded from then on.
"""

import zipfile

from . import _rushlight

_LIKE = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


class _UpgraderEntry:
    """An operator's old meaning: up to which version it holds, what gives it, and its schema."""

    __slots__ = ("bumped_at_version", "old_schema", "upgrader_name")

    def __init__(self, bumped_at_version, upgrader_name, old_schema):
        self.bumped_at_version = bumped_at_version
        self.upgrader_name = upgrader_name
        self.old_schema = old_schema


# Operator, the first version with today's meaning, the old schema.
_CHANGED = (
    ("aten::div.Scalar", 4, "(Tensor self, Scalar other) -> Tensor"),
    ("aten::div.Scalar_mode", 4, "(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor"),
    ("aten::div.Tensor", 4, "(Tensor self, Tensor other) -> Tensor"),
    ("aten::div.Tensor_mode", 4, "(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor"),
    ("aten::div.out", 4, "(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
    ("aten::div.out_mode", 4, "(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)"),
    ("aten::div_.Scalar", 4, "(Tensor(a!) self, Scalar other) -> Tensor(a!)"),
    ("aten::div_.Scalar_mode", 4, "(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)"),
    ("aten::div_.Tensor", 4, "(Tensor(a!) self, Tensor other) -> Tensor(a!)"),
    ("aten::div_.Tensor_mode", 4, "(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)"),
    ("aten::full", 5, f"(int[] size, Scalar fill_value, *, {_LIKE}) -> Tensor"),
    ("aten::full.out", 5, "(int[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)"),
    ("aten::gelu", 10, "(Tensor self) -> Tensor"),
    ("aten::gelu.out", 10, "(Tensor self, *, Tensor(a!) out) -> Tensor"),
    ("aten::linspace", 8, f"(Scalar start, Scalar end, int? steps=None, *, {_LIKE}) -> Tensor"),
    ("aten::linspace.out", 8, "(Scalar start, Scalar end, int? steps=None, *, Tensor(a!) out) -> Tensor(a!)"),
    ("aten::logspace", 9, f"(Scalar start, Scalar end, int? steps=None, float base=10.0, *, {_LIKE}) -> Tensor"),
    ("aten::logspace.out", 9, "(Scalar start, Scalar end, int? steps=None, float base=10.0, *, Tensor(a!) out) -> Tensor(a!)"),
)


def _entry(operator, since, signature):
    name = f"{operator.removeprefix('aten::').replace('.', '_')}_0_{since - 1}"
    return _UpgraderEntry(since, name, operator + signature)


_entries = {row[0]: [_entry(*row)] for row in _CHANGED}
_upgraders = {entry.upgrader_name: entry.old_schema for entries in _entries.values() for entry in entries}


def _get_operator_version_map():
    """The operators that changed, each with its old meanings."""
    return {operator: list(entries) for operator, entries in _entries.items()}


# What programs have added.
_added = {}


def _test_only_add_entry_to_op_version_map(operator, entry):
    _entries.setdefault(operator, []).append(entry)
    _added.setdefault(operator, []).append(entry)


def _test_only_remove_entry_to_op_version_map(operator):
    _entries.pop(operator, None)
    _added.pop(operator, None)


def upgrade(module, source):
    """Puts what operators once did in the place of their calls in a loaded module, as programs have added it.

    Args:
        module: the script object.
        source: the archive that it comes from, a path or a file object.
    """
    if not _added:
        return
    version = _version(source)
    for part in [module, *_parts(module)]:
        for name in part._methods():
            _upgrade(part._get_method(name).graph, version)


def _parts(module):
    for name, kind in module._attributes():
        if kind == "module":
            part = getattr(module, name)
            yield part
            yield from _parts(part)


def _version(source):
    with zipfile.ZipFile(source) as archive:
        names = [name for name in archive.namelist() if name.count("/") in (1, 2) and name.endswith("/version")]
        return min(int(archive.read(name)) for name in names)


def _upgrade(graph, version):
    from ._passes import every_node, replace

    for node in list(every_node(graph)):
        fitting = [entry for entry in _added.get(node.schema().partition("(")[0], ()) if version < entry.bumped_at_version]
        if not fitting:
            continue
        text = _upgraders.get(min(fitting, key=lambda entry: entry.bumped_at_version).upgrader_name)
        if text is None:
            raise RuntimeError(f"there is no graph of what {node.kind()} did before version {fitting[0].bumped_at_version}")
        with graph.insert_point_guard(node):
            results = graph.insertGraph(_rushlight.read_ir(text), list(node.inputs()))
        replace(node, results)


def _get_upgraders_map_size():
    """How many old meanings there are."""
    return len(_upgraders)


def _dump_upgraders_map():
    """The names of the old meanings, with the schemas of their operators."""
    return dict(_upgraders)


def _test_only_populate_upgraders(more):
    _upgraders.update(more)


def _test_only_remove_upgraders(less):
    for name in less:
        _upgraders.pop(name, None)
