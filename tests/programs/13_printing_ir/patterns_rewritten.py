"""Nodes that look like a pattern are replaced by others."""
import re

import torch

PRODUCTS = """
graph(%a, %b, %c):
  %q = aten::mul(%a, %b)
  %r = aten::mul(%q, %c)
  return (%r)"""
FUSED = """
graph(%a, %b, %c):
  %r = my::product(%a, %b, %c)
  return (%r)"""


def rewrite(text, pattern=PRODUCTS, replacement=FUSED):
    graph = torch._C.parse_ir(text)
    torch._C._jit_pass_custom_pattern_based_rewrite_graph(pattern, replacement, graph)
    print(graph)


rewrite("""graph(%x, %y, %z):
  %t = aten::mul(%x, %y)
  %p = aten::mul(%t, %z)
  %u = aten::mul(%p, %x)
  %o = aten::mul(%u, %y)
  return (%o)""")
rewrite("""graph(%x, %y, %z):
  %t = aten::mul(%x, %y)
  %p = aten::mul(%t, %z)
  %u = aten::mul(%p, %x)
  return (%u)""")
# The product on the way is used elsewhere.
rewrite("""graph(%x, %y, %z):
  %t = aten::mul(%x, %y)
  %p = aten::mul(%t, %z)
  %u = aten::relu(%t)
  return (%u, %p)""")
rewrite(
    """graph(%x, %y, %z):
  %t = aten::mul(%x, %y)
  %p = aten::relu(%t)
  return (%p)""",
    "graph(%a, %b):\n  %q = aten::mul(%a, %b)\n  return (%q)",
    "graph(%a, %b):\n  return (%a)",
)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 2, 3)
        self.norm = torch.nn.BatchNorm2d(2)

    def forward(self, x):
        return self.norm(self.conv(x))


graph = torch.jit.script(Model())._c._get_method("forward").graph
torch._C._jit_pass_custom_pattern_based_rewrite_graph(
    """graph(%self, %x):
  %conv = match::module[name="Conv2d"](%self)
  %y = prim::CallMethod[name="forward"](%conv, %x)
  %norm = match::module[name="BatchNorm2d"](%self)
  %z = prim::CallMethod[name="forward"](%norm, %y)
  return (%z)""",
    "graph(%self, %x):\n  %z = my::both(%self, %x)\n  return (%z)",
    graph,
)
print(re.sub(r" #.*", "", str(graph)))
