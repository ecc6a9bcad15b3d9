"""torch.fx: modules as graphs, the generated code, attributes, leaves and scopes"""
import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, down=False):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.down = nn.Sequential(nn.Conv2d(width, width, 1), nn.BatchNorm2d(width)) if down else None
        self.scale = nn.Parameter(torch.ones(width, 1, 1))
        self.register_buffer("shift", torch.zeros(width, 1, 1))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.bn1(self.conv1(x))) * self.scale + self.shift
        return self.relu(out + identity)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.layers = nn.Sequential(Block(4), Block(4, down=True))
        self.heads = nn.ModuleList([nn.Linear(4, 2), nn.Linear(4, 3)])
        self.drop = nn.Dropout(0.5)
        self.extra = torch.ones(1)

    def forward(self, x: torch.Tensor):
        x = self.layers(F.relu(self.stem(x)))
        x = torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1)
        x = self.drop(x) + self.extra + torch.full((1,), 2.0)
        return [head(x) for head in self.heads]


torch.manual_seed(0)
net = Net().eval()
gm = fx.symbolic_trace(net)
print(gm.code)
print(gm.graph)
print(gm)
x = torch.randn(2, 3, 6, 6)
print([torch.equal(a, b) for a, b in zip(gm(x), net(x))])
print(sorted(gm.state_dict()) == sorted([*net.state_dict(), "extra", "_tensor_constant0"]))
print(type(gm).__name__, gm.training, gm.graph.owning_module is gm)
for node in gm.graph.nodes:
    if node.op == "call_module":
        stack = node.meta["nn_module_stack"]
        print(node.name, node.target, list(stack), [kind.__name__ for _, kind in stack.values()])


class Shy(fx.Tracer):
    """Looks into nothing; buffers are proxies."""

    proxy_buffer_attributes = True

    def is_leaf_module(self, m, name):
        print("leaf?", type(m).__name__, name)
        return True


tracer = Shy()
graph = tracer.trace(net)
print(graph)
print(tracer.node_name_to_scope["layers"][0])


class Own(fx.Tracer):
    def call_module(self, m, forward, args, kwargs):
        print("call", self.path_of_module(m))
        return super().call_module(m, forward, args, kwargs)

    def is_leaf_module(self, m, name):
        return isinstance(m, Block) or super().is_leaf_module(m, name)


print(fx.GraphModule(net, Own().trace(net), "Short").code)


class Attention(nn.Module):
    def __init__(self, width=4, heads=2):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.token = nn.Parameter(torch.zeros(1, 1, width))

    def forward(self, x):
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1)
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.softmax(q @ k.transpose(-2, -1) * (d // self.heads) ** -0.5, dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, d)), F.scaled_dot_product_attention(q, k, v).shape


attention = Attention()
gm = fx.symbolic_trace(attention)
print(gm.code)
x = torch.randn(2, 3, 4)
print(torch.equal(gm(x)[0], attention(x)[0]), gm(x)[1])
