"""torch.fx: what cannot be recorded, graphs that are none, errors of generated code and of interpreters"""
import torch
import torch.fx as fx
import torch.nn as nn


def refuse(what, function):
    try:
        print(what, function())
    except Exception as error:
        print(what)
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


def loop(x):
    for _ in x:
        pass


def condition(x):
    if x.sum() > 0:
        return x


def star(*args):
    return args


refuse("condition", lambda: fx.symbolic_trace(condition))
refuse("loop", lambda: fx.symbolic_trace(loop))
refuse("and", lambda: fx.symbolic_trace(lambda x: x and 1))
refuse("not", lambda: fx.symbolic_trace(lambda x: not x))
refuse("len", lambda: fx.symbolic_trace(lambda x: len(x)))
refuse("range", lambda: fx.symbolic_trace(lambda x: range(x)))
refuse("int", lambda: fx.symbolic_trace(lambda x: int(x)))
refuse("stars", lambda: fx.symbolic_trace(lambda x: star(*x)))
refuse("two stars", lambda: fx.symbolic_trace(lambda x: dict(**x)))
refuse("key", lambda: fx.symbolic_trace(lambda x: {x: 1}))
refuse("object", lambda: fx.symbolic_trace(lambda x: x.foo(object())))
refuse("item", lambda: fx.symbolic_trace(lambda x: x.__setitem__))
layer = nn.Linear(2, 2)
refuse("module", lambda: fx.symbolic_trace(lambda x: layer(x)))
refuse("wrap", lambda: fx.wrap("name"))
refuse("wrap", lambda: fx.wrap(3))
print(issubclass(fx.proxy.TraceError, ValueError))

graph = fx.Graph()
x = graph.placeholder("x")
one = graph.call_function(torch.add, (x, 1))
two = graph.call_function(torch.add, (one, 1))
refuse("erase", lambda: graph.erase_node(one))
refuse("kind", lambda: graph.create_node("foo", "x"))
refuse("get_attr", lambda: graph.get_attr(3))
refuse("args", lambda: graph.create_node("call_function", torch.add, [x]))
refuse("function", lambda: graph.call_function("relu", (x,)))
joined = graph.call_function(torch.cat, ([x],), {"dim": 0})
refuse("change", lambda: joined.args[0].append(1))
refuse("change", lambda: joined.kwargs.update(dim=1))
refuse("find", lambda: graph.find_nodes(op="call_function"))
refuse("output", lambda: graph.output_node())
one.prepend(two)
refuse("order", lambda: graph.lint())
other = fx.Graph()
foreign = other.placeholder("y")
refuse("foreign", lambda: graph.inserting_before(foreign))
refuse("foreign", lambda: x.prepend(foreign))

empty = fx.Graph()
empty.output(empty.call_module("a.b", (empty.get_attr("w"),)))
refuse("no attribute", lambda: fx.GraphModule(nn.Module(), empty))
refuse("not provided", lambda: fx.GraphModule({"w": torch.ones(1)}, empty))
refuse("root", lambda: fx.GraphModule(3, empty))


def product(x, y=2):
    z = x + y
    return torch.matmul(z, z)


gm = fx.symbolic_trace(product)
refuse("run", lambda: gm(torch.ones(3, 2)))
refuse("interpret", lambda: fx.Interpreter(gm).run(torch.ones(3, 2)))
refuse("interpret", lambda: fx.Interpreter(gm).run())
refuse("interpret", lambda: fx.Interpreter(gm).boxed_run([torch.ones(2, 2)]))
refuse("code", lambda: setattr(gm, "graph", 3))
refuse("many", lambda: fx.symbolic_trace(product, concrete_args=(fx.PH,)))
