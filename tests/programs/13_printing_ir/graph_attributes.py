"""Attributes of nodes by hand: setting, asking, and what goes wrong."""
import torch

C = torch._C


def attempt(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        lines = [x for x in str(e).split("\n") if x.strip()]
        print(name, "!", type(e).__name__, "|", lines[0])


g = C.Graph()
x = g.addInput("x")
n = g.create("aten::relu", [x], 1)
g.appendNode(n)
g.registerOutput(n.output())
values = {"i": 3, "f": 2.5, "s": "a", "is": [1, 2], "fs": [1.5], "ss": ["q"], "t": torch.ones(2), "ts": [torch.ones(1)],
          "c": 1 + 2j, "ty": C.IntType.get(), "tys": [C.IntType.get()], "ival": [1, 2]}
for kind, value in values.items():
    attempt("set " + kind, lambda: getattr(n, kind + "_")(kind, value).kindOf(kind))
    attempt("get " + kind, lambda: getattr(n, kind)(kind))
print(str(n).strip())
for kind in values:
    attempt("i of " + kind, lambda: n.i(kind))
attempt("kind of none", lambda: n.kindOf("none"))
attempt("string none", lambda: n.s("none"))
attempt("remove none", lambda: n.removeAttribute("none"))
attempt("input 5", lambda: n.inputsAt(5))
attempt("output 5", lambda: n.outputsAt(5))
attempt("named", lambda: n.namedInput("self").debugName())
attempt("named none", lambda: n.namedInput("none"))
attempt("random", lambda: n.isNondeterministic())
attempt("number as name", lambda: x.setDebugName("1"))
attempt("no name", lambda: x.setDebugName("").debugName())
t = torch.jit.trace(lambda a: a.relu().sum(), (torch.ones(2, 3),)).graph.findNode("aten::relu").output()
ty = t.type()
for method in ("sizes", "strides", "scalarType", "dim", "dtype", "device", "kind", "undefined", "varyingSizes"):
    print(method, getattr(ty, method)())
print(t.isCompleteTensor())


@torch.jit.script
def calls(x):
    return torch.nn.functional.relu(x)


print([str(v.type()) for v in calls.graph.findNode("prim::CallFunction").inputs()])
for text in ("graph(%a : Tensor:\n  return (%a)", "graph(%a : Tensor):\n  %b = no::thing(%zz)\n  return (%b)",
             "graph(%a : Tensor):\n  return (%c)", "graph(%a):\n  %b = no::thing(%a)\n  return (%b)"):
    attempt("parse", lambda: C.parse_ir(text))
for text in ("op(Tensor) ->", "op(int x", "op(int x) - int", "op(int x y) -> int", "op(int x) ->"):
    attempt("schema", lambda: C.parse_schema(text))
