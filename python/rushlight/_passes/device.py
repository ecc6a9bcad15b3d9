"""Where the tensors of a graph live, as far as the devices of its inputs and the arguments of operators tell."""

from .. import _introspection, _rushlight

_CPU = _rushlight.device("cpu")

# Operators whose result lives where one of their inputs does, whatever the others say.
_AS_INPUT = {"aten::view_as": 0, "aten::expand_as": 0, "aten::reshape_as": 0, "aten::type_as": 1}
_OWN_DEVICE = {"aten::cpu": "cpu", "aten::cuda": "cuda", "aten::to_mkldnn": "mkldnn"}


def _is_tensor(value):
    return isinstance(value.type(), _introspection.TensorType)


def _common(devices):
    """The device that all agree on, or None."""
    first = devices[0]
    return first if first is not None and all(d == first for d in devices) else None


class _Devices:
    """The devices of values: those that were found, and what their types say of the others."""

    def __init__(self):
        self.found = {}

    def of(self, value):
        if value in self.found:
            return self.found[value]
        return value.type().device() if _is_tensor(value) else None

    def block(self, block):
        for node in block.nodes():
            if node.kind() == "prim::If":
                self.choice(node)
            elif node.kind() == "prim::Loop":
                self.loop(node)
            elif node.kind().startswith("aten::"):
                device = self.call(node)
                if device is not None:
                    self.found.update((output, device) for output in node.outputs() if _is_tensor(output))

    def choice(self, node):
        branches = list(node.blocks())
        for branch in branches:
            self.block(branch)
        for output, given in zip(node.outputs(), zip(*(branch.outputs() for branch in branches))):
            self.found[output] = _common([self.of(value) for value in given])

    def loop(self, node):
        (body,) = node.blocks()
        given, parameters = list(node.inputs())[2:], list(body.inputs())[1:]
        before = [self.of(value) for value in given]
        while True:
            self.found.update(zip(parameters, before))
            self.block(body)
            after = [_common([device, self.of(value)]) for device, value in zip(before, list(body.outputs())[1:])]
            if after == before:
                break
            before = after
        self.found.update(zip(node.outputs(), after))

    def call(self, node):
        name, inputs = node.kind(), list(node.inputs())
        if name in _OWN_DEVICE:
            return _rushlight.device(_OWN_DEVICE[name])
        if name in _AS_INPUT:
            return self.of(inputs[_AS_INPUT[name]])
        schema = node.schema()
        if schema == "(no schema)":
            return None
        names = [argument.name for argument in _rushlight.read_schema(schema).arguments]
        if name == "aten::to" and "other" in names:
            return self.of(inputs[names.index("other")])
        if "device" in names:
            asked = inputs[names.index("device")]
            if asked.toIValue() is not None:
                return asked.toIValue()
            if not asked.node().mustBeNone():
                return None
        return self.of_operands([value for value in inputs if _is_tensor(value)])

    def of_operands(self, tensors):
        """Where operators compute: tensors of the CPU without dimensions go along with the others."""
        devices = [self.of(tensor) for tensor in tensors]
        if not devices or None in devices:
            return None
        fixed = [d for t, d in zip(tensors, devices) if not (d == _CPU and t.type().dim() == 0)]
        return _common(fixed) if fixed else _CPU


def _jit_pass_propagate_device(graph):
    """Says in the types of a graph's tensors where they live; whether any type says more than before."""
    devices = _Devices()
    devices.block(graph)
    changed = False
    for value, device in devices.found.items():
        if device is not None and _is_tensor(value) and value.type().device() != device:
            value.setType(value.type().with_device(device))
            changed = True
    return changed
