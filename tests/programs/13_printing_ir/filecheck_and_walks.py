# FileCheck, graph walking, nodes, blocks, inputs, attributes, parsing IR, running passes, schemas and operator tables
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

from torch.testing import FileCheck
@js
def f(x: torch.Tensor, n: int, flag: bool = True) -> torch.Tensor:
    y = x
    if flag:
        y = y.relu()
    else:
        y = torch.sigmoid(y) + 2
    for i in range(n):
        y = y + x * i
        if i == 5:
            y = y.t()
    return y
@sec
def check():
    g = f.graph
    FileCheck().check("aten::relu").check_next("block1").check("aten::sigmoid").check_count("aten::add", 2).check_not("aten::sub").run(g)
    for c in (FileCheck().check("aten::nope"), FileCheck().check_not("aten::relu"), FileCheck().check_count("aten::add", 3, exactly=True), FileCheck().check("prim::Loop").check("prim::If").check("prim::If"), FileCheck().check_same("aten::relu"), FileCheck().check_next("aten::relu"), FileCheck().check_dag("aten::mul").check_dag("zzz"), FileCheck().check_regex("aten::[r-z]elu2")):
        err(c.run, g)
    FileCheck().run("# CHECK: relu\n# CHECK-NOT: foo\n", str(g))
    err(FileCheck().run, "# CHECK: foo\n", str(g))
    err(FileCheck().run, "no checks", "text")
    err(FileCheck().check("a").run, "b")
    print(FileCheck().check("a"))
@sec
def walk():
    g = f.graph
    def rec(b, d):
        for n in b.nodes():
            print("  " * d + n.kind(), [i.debugName() for i in n.inputs()], [(o.debugName(), str(o.type())) for o in n.outputs()], {a: (n.kindOf(a), n[a] if n.kindOf(a) != "t" else "t") for a in n.attributeNames()} if hasattr(n, "__getitem__") else n.attributeNames())
            for bb in n.blocks():
                print("  " * d + "block", [i.debugName() for i in bb.inputs()], [o.debugName() for o in bb.outputs()])
                rec(bb, d + 1)
    rec(g, 0)
    print([i.debugName() for i in g.inputs()], [str(o.type()) for o in g.outputs()], g.findNode("aten::relu"), len(g.findAllNodes("aten::add")), len(g.findAllNodes("aten::add", recurse=False)))
    n = g.findNode("aten::relu")
    print(n.kind(), n.scopeName(), n.schema(), n.outputsSize(), n.inputsSize(), n.hasMultipleOutputs(), n.output().node().kind(), n.input().debugName(), len(n.output().uses()), n.sourceRange().split("\n")[0][-6:])
    c = g.copy()
    torch._C._jit_pass_constant_propagation(c)
    torch._C._jit_pass_cse(c); torch._C._jit_pass_dce(c); torch._C._jit_pass_canonicalize(c)
    print(c)
    print(torch._C._jit_pass_canonicalize(g))
    torch._C._jit_pass_inline(c); torch._C._jit_pass_peephole(c); torch._C._jit_pass_lower_all_tuples(c); torch._C._jit_pass_remove_mutation(c)
    torch._C._jit_pass_loop_unrolling(c)
    print(c)
    print(str(c) == str(g), c.alias_db() is not None if hasattr(c, "alias_db") else "")
@sec
def ir():
    t = """graph(%a : Tensor, %b : int):
  %c : int = prim::Constant[value=2]()
  %d : Tensor = aten::mul(%a, %c)
  %e : Tensor = aten::add(%d, %a, %b)
  return (%e)"""
    g = torch._C.parse_ir(t)
    print(g)
    fn = torch._C._create_function_from_graph("myf", g)
    print(fn(torch.ones(2), 3), fn.schema, fn.code)
    torch._C._jit_pass_erase_shape_information(g) if hasattr(torch._C, "_jit_pass_erase_shape_information") else None
    n = g.create("aten::relu", [list(g.outputs())[0]], 1)
    g.appendNode(n)
    g.registerOutput(n.output())
    n.output().setDebugName("zz")
    print(g)
    g.lint()
    g.eraseOutput(0)
    print(g, g.str() if hasattr(g, "str") else "")
    for bad in ("graph(%a):\n return (%b)", "graph(%a : Tensor):\n  %b = aten::nope(%a)\n  return (%b)", "grph", "graph(%a : Foo):\n  return (%a)", "graph(%a : Tensor):\n  %a : Tensor = aten::relu(%a)\n  return (%a)", "graph(%x : Tensor):\n  %y : int = prim::Constant[value=\"a\"]()\n  return (%y"):
        err(torch._C.parse_ir, bad)
    print(torch._C.parse_schema("aten::foo(Tensor(a!) x, int[2] y=[1, 2], *, str? z=None, float w=1e-5) -> (Tensor(a!) out, Dict(str, int))"))
    s = torch._C.parse_schema("ns::f.ov(Tensor a, int b=3, *, bool? c=None) -> Tensor")
    print(s.name, s.overload_name, [(a.name, str(a.type), a.default_value if a.has_default_value() else "-", a.kwarg_only) for a in s.arguments], [str(r.type) for r in s.returns], s.is_mutable if not callable(s.is_mutable) else "")
    for b in ("foo(", "f(Tensr x) -> Tensor", "f(int x=a) -> int", "f(Tensor x) Tensor", "f(int x, int x) -> int", "f(int[] x=[1) -> ()"):
        err(torch._C.parse_schema, b)
    print(torch._C.parse_type("List[Dict[str, Optional[Tensor]]]") if hasattr(torch._C, "parse_type") else "")
    print([str(t) for t in (torch._C.TensorType.get(), torch._C.ListType.ofInts(), torch._C.OptionalType(torch._C.IntType.get()), torch._C.DictType(torch._C.StringType.get(), torch._C.FloatType.get()), torch._C.TupleType([torch._C.BoolType.get(), torch._C.NoneType.get()]), torch._C.AnyType.get(), torch._C.UnionType([torch._C.IntType.get(), torch._C.StringType.get()]), torch._C.FutureType(torch._C.ComplexType.get()))])
    print(torch._C.ListType.ofInts().annotation_str, torch._C.ListType.ofInts().kind(), torch._C.IntType.get().isSubtypeOf(torch._C.NumberType.get()), torch._C.ListType.ofInts().getElementType(), torch._C.ListType.ofInts() == torch._C.ListType(torch._C.IntType.get()))
    print(len(torch._C._jit_get_schemas_for_operator("aten::add")) > 3, [str(s) for s in torch._C._jit_get_schemas_for_operator("aten::relu")], torch._C._jit_get_schemas_for_operator("aten::zzz"))
    print(torch.jit._get_trace_graph(lambda x: x.relu() + 1, (torch.ones(1),))[0])
