"""torch.fx: graphs made by hand and changed: arguments, users, insertion, order, dead code, names, code of one's own"""
import operator

import torch
import torch.fx as fx
import torch.nn as nn

graph = fx.Graph()
x = graph.placeholder("x")
y = graph.placeholder("y", torch.Tensor, default_value=3)
total = graph.call_function(torch.add, (x, y), {"alpha": 2})
active = graph.call_method("relu", (total,))
joined = graph.call_function(torch.cat, ([active, x, active],), {"dim": 0})
out = graph.output((joined, {"k": total}))
print(graph)
print(list(graph.nodes), len(graph.nodes), list(reversed(graph.nodes)))
print(total.users, joined.args, joined.kwargs, joined.all_input_nodes, type(joined.args[0]).__name__)
print(total.replace_all_uses_with(x), total.users, x.users)
graph.erase_node(total)
print(graph)
active.args = (y, [x, y])
active.kwargs = {"q": x}
active.update_kwarg("r", y)
active.insert_arg(1, 7)
active.update_arg(0, x)
print(active.format_node(), active.all_input_nodes, y.users)
active.replace_input_with(x, y)
print(active.format_node(), x.users)
active.args, active.kwargs = (x,), {}
with graph.inserting_before(active):
    a = graph.call_function(torch.neg, (x,))
    b = graph.call_function(torch.neg, (a,))
with graph.inserting_after(active):
    c = graph.call_function(torch.abs, (active,))
    d = graph.call_function(torch.exp, (active,))
with graph.inserting_before():
    graph.call_function(torch.rand, (1,))
print(list(graph.nodes))
d.append(b)
print(list(graph.nodes), b.next, b.prev, a < b, sorted([d, a, x]))
print(graph.eliminate_dead_code(), graph.eliminate_dead_code(), list(graph.nodes))
graph.lint()
print(graph.python_code("self").src)
copied = fx.Graph()
values = {}
copied.output(copied.graph_copy(graph, values), type_expr=tuple)
print(copied, {old.name: new.name for old, new in values.items()}, copied.python_code("self").src)
print([node.is_impure() for node in graph.nodes], graph.find_nodes(op="call_method", target="relu"), graph.output_node())

names = fx.Graph()
for name in ["class", "x", "x", "x_1", "a.b", "1a", "print", "int", "torch", "inf", "A-B", "BatchNorm2d", "__init__", "x_7", "x"]:
    print(name, names.placeholder(name).name, end="; ")
print()
node = names.create_node("call_function", operator.getitem, (names.find_nodes(op="placeholder")[0], 0), name="mine")
node.meta["k"], node.type = 1, int
print(node.format_node(), names.node_copy(node).meta)
node._rename("zip")
print(node)


class Tail(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bias, self.rest = nn.Linear(2, 2), nn.Parameter(torch.ones(2)), nn.Linear(1, 1)

    def forward(self, x):
        return self.fc(x) + self.bias


gm = fx.symbolic_trace(Tail())
for node in gm.graph.nodes:
    if node.target == operator.add:
        node.target = torch.mul
        with gm.graph.inserting_after(node):
            after = gm.graph.call_function(torch.sigmoid, (node,))
        node.replace_all_uses_with(after, delete_user_cb=lambda user: user is not after)
gm.recompile()
print(gm.code)
print(gm.add_submodule("more.act", nn.ReLU()), gm.add_submodule("bias.x", nn.ReLU()), gm.delete_submodule("none"))
with gm.graph.inserting_after(after):
    act = gm.graph.call_module("more.act", (after,))
after.replace_all_uses_with(act, delete_user_cb=lambda user: user is not act)
gm.graph.lint()
gm.recompile()
print(gm)
act.replace_all_uses_with(after)
gm.graph.erase_node(act)
gm.delete_all_unused_submodules()
gm.recompile()
print(gm)


class Boxed(fx.graph.CodeGen):
    def gen_fn_def(self, free_vars, maybe_return_annotation):
        return f"def forward(self, boxed):\n    {', '.join(free_vars)} = boxed"

    def process_inputs(self, *args):
        return args[0]


gm = fx.symbolic_trace(lambda a, b: a + b)
gm.graph.set_codegen(Boxed())
gm.recompile()
print(gm.code, gm([1, 2]), fx.Interpreter(gm).run([3, 4]))
gm = fx.symbolic_trace(lambda a: a + 1)
with gm.graph.on_generate_code(lambda before: lambda body: ["print('called')\n", *body]):
    gm.recompile()
    print(gm.code, gm(1))
gm.recompile()
print(gm.code)
gm = fx.symbolic_trace(Tail())
first = next(iter(gm.graph.nodes))
proxy = fx.Proxy(first)
with gm.graph.inserting_before(first.next):
    doubled = torch.relu(proxy * 2) + proxy.size(0)
first.replace_all_uses_with(doubled.node, delete_user_cb=lambda user: user.op == "call_module")
gm.graph.lint()
gm.recompile()
print(gm.code, repr(proxy), repr(proxy.shape))
