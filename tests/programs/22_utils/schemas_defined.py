"""Schemas that programs define: what is refused, where, and what definitions return."""
import torch

lib = torch.library.Library("schemas_defined", "DEF")


def attempt(schema):
    try:
        print(repr(schema), lib.define(schema))
    except Exception as error:
        print(repr(schema), type(error).__name__)
        print("\n".join(line.rstrip() for line in str(error).split("  (Error occurred")[0].splitlines()))


for schema in (
    "a(Tensor x)", "b(Tensor x) Tensor", "c -> Tensor", "d(Tensor) -> Tensor", "e(Tensor x, int) -> Tensor", "f(Foo x) -> Tensor",
    "g(Tensor x -> Tensor", "h(int x=) -> Tensor", "i(float x=) -> Tensor", "j(int x=, int y=1) -> Tensor",
    "m(Tensor x) -> Tensor Tensor", "n(Tensor x=1) -> Tensor", "o(Tensor x, *, int y) -> ()", "1p(Tensor x) -> Tensor", "",
    "schemas_defined::q(Tensor x) -> Tensor", "other::r(Tensor x) -> Tensor", "s.two(Tensor x) -> Tensor",
    "schemas_defined::t.two(Tensor x) -> Tensor", "u(Tensor? x=None, float y=1.5, bool b=True) -> Tensor[]", "v(Tensor x) => Tensor",
):  # fmt: skip
    attempt(schema)
