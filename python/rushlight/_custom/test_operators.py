"""``torch.ops._test``: three operators that the reference has for programs that try out how operators are called."""

from ..library import Library
from ..nn.functional import leaky_relu

_library = Library("_test", "FRAGMENT")


def _define(schema, kernel):
    _library.define(schema)
    _library.impl(schema.partition("(")[0], kernel, "CompositeImplicitAutograd")


def _cat(inputs):
    import rushlight as torch

    return torch.cat(inputs)


_define("leaky_relu(Tensor self, float v=0.01) -> Tensor", lambda self, v=0.01: leaky_relu(self, v))
_define("cat(Tensor[] inputs) -> Tensor", _cat)
_define("get_first(str[][] _0) -> str _0", lambda lists: lists[0][0])
