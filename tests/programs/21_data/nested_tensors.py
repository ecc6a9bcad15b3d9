"""Nested tensors of both layouts: made, taken apart, padded, what layers and functions give, and gradients."""
import torch
import torch.nn.functional as F

a, b = torch.arange(6.0).view(2, 3), torch.arange(9.0).view(3, 3) - 4


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).split("\n")[0])
        print("<<end>>")


def parts(nested):
    return [part.tolist() for part in nested.unbind()]


for layout in (torch.strided, torch.jagged):
    print(layout)
    n = torch.nested.nested_tensor([a, b], layout=layout)
    print(n.is_nested, n.layout, n.dim(), n.size(0), n.size(-1), n.numel(), n.dtype, n.requires_grad, isinstance(n, torch.Tensor))
    print(n[1], n[0, 1], [part.shape for part in n])
    print(n.to_padded_tensor(0.0))
    print(torch.nested.to_padded_tensor(n, -1.0, (2, 4, 3)).shape)
    for name, call in {
        "add": lambda: n + 1, "both": lambda: n + n, "mul": lambda: n * 2, "neg": lambda: -n, "relu": lambda: F.relu(n),
        "abs": lambda: n.abs(), "clone": lambda: n.clone(), "double": lambda: n.double(), "zeros_like": lambda: torch.zeros_like(n),
        "softmax": lambda: (n * 0).softmax(-1), "linear": lambda: F.linear(n, torch.ones(2, 3), torch.ones(2)),
        "layer_norm": lambda: F.layer_norm(n * 0, (3,), torch.ones(3), torch.ones(3)), "transpose": lambda: n.transpose(1, 2),
        "sum": lambda: n.sum(-1, keepdim=True), "cat": lambda: torch.cat([n, n], -1), "masked_fill": lambda: n.masked_fill(n > 0, 9.0),
        "mul_": lambda: n.clone().mul_(2), "detach": lambda: n.detach(),
    }.items():
        attempt(name, lambda: parts(call()))
    x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
    made = torch.nested.as_nested_tensor([x, y], layout=layout)
    (made * made).to_padded_tensor(0.0).sum().backward()
    print(x.grad, y.grad)
    leaf = torch.nested.nested_tensor([a, b], layout=layout, requires_grad=True)
    weight = torch.ones(2, 3, requires_grad=True)
    out = F.linear(leaf, weight)
    out.to_padded_tensor(0.0).sum().backward()
    print(weight.grad, parts(leaf.grad), out.requires_grad, out.is_leaf, leaf.is_leaf)
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4), torch.nn.Dropout(0.0))
    print([part.shape for part in layers(n).unbind()])
    attempt("unbind", lambda: n.unbind(1))
    attempt("mixed", lambda: torch.nested.nested_tensor([a, a[0]], layout=layout))
    attempt("bool", lambda: bool(n))
    attempt("item", lambda: n.item())
    attempt("lists", lambda: parts(torch.nested.nested_tensor([[1.0, 2.0], [3.0]], layout=layout)))
print(torch.nested.nested_tensor([a, b]))

values, offsets = torch.arange(10.0).view(5, 2), torch.tensor([0, 2, 5])
jagged = torch.nested.nested_tensor_from_jagged(values, offsets)
print(jagged.offsets(), jagged.lengths(), parts(jagged))
print(parts(torch.nested.nested_tensor_from_jagged(values, offsets, torch.tensor([1, 2]))))
print(torch.nested.nested_tensor_from_jagged(values, lengths=torch.tensor([3, 2])).offsets())
attempt("neither", lambda: torch.nested.nested_tensor_from_jagged(values))
print(parts(torch.nested.narrow(torch.arange(12.0).view(2, 6), 1, torch.tensor([0, 1]), torch.tensor([3, 2]), layout=torch.jagged)))
print(parts(torch.nested.masked_select(torch.arange(6).view(2, 3), torch.tensor([[1, 0, 1], [0, 0, 1]], dtype=torch.bool))))
n = torch.nested.nested_tensor([a, b], layout=torch.jagged)
for name, call in {
    "sum": lambda: n.sum(), "ragged": lambda: n.sum(1), "mean": lambda: n.mean(1), "max": lambda: n.max(), "rows": lambda: parts(n.mean(-1)),
    "dense": lambda: parts(n + torch.ones(3)), "by row": lambda: parts(n * torch.tensor([1.0, 2.0]).view(2, 1, 1)),
    "matmul": lambda: parts(n @ torch.ones(3, 2)), "heads": lambda: n.unsqueeze(2).transpose(1, 2).size(1), "len": lambda: len(n),
    "sigmoid": lambda: parts((n * 0).sigmoid()), "where": lambda: parts(torch.where(n > 0, n, n * 2)), "view": lambda: parts(n.view(2, -1, 3, 1)),
    "embedding": lambda: parts(F.embedding(torch.nested.nested_tensor([torch.tensor([0, 1]), torch.tensor([2])], layout=torch.jagged), b)),
    "same size": lambda: n.size(1) == (n + 1).size(1), "other size": lambda: n.size(1) == torch.nested.nested_tensor([a, b], layout=torch.jagged).size(1),
}.items():
    attempt(name, call)
