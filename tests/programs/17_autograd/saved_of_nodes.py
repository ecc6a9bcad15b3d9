"""What nodes keep under their names, what programs keep with nodes, and the nodes of losses made of several operators."""
import torch
import torch.nn.functional as F


def attempt(label, f):
    try:
        print(label, f())
    except Exception as error:
        print(label, type(error).__name__, str(error).splitlines()[0][:120])


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.ones(2, 3, requires_grad=True)
y = x.exp()
print(torch.equal(y.grad_fn._saved_result, y), y.grad_fn.requires_grad)
print((x * 3)._version, (x * w).grad_fn._saved_self.tolist(), (x * w).grad_fn._saved_other.tolist())
print((x**3).grad_fn._saved_exponent, (x**3).grad_fn._saved_self.requires_grad)
print(w.sum(1).grad_fn._saved_dim, w.sum(1).grad_fn._saved_self_sym_sizes, w.sum(1).grad_fn._saved_keepdim)
print(x.sum().grad_fn._saved_self_sym_sizes, w.view(6).grad_fn._saved_self_sym_sizes)
print(x.softmax(0).grad_fn._saved_dim, [n for n in dir(x.sigmoid().grad_fn) if n.startswith("_saved")])
print(torch.equal(x.sin().grad_fn._saved_self, x), x.tanh().grad_fn._saved_result.requires_grad)
attempt("unknown", lambda: y.grad_fn._saved_nothing)
s = y.sum()
s.backward()
attempt("freed", lambda: y.grad_fn._saved_result)

node = (x * 2).sum().grad_fn
node.metadata["k"] = 1
node.metadata.update(other=[2])
print(node.metadata, (x + 1).grad_fn.metadata, node.next_functions[0][0].metadata)

logits = torch.zeros(5, 2, 3, requires_grad=True)
alone = torch.zeros(5, 3, requires_grad=True)
for reduction in ("none", "mean", "sum"):
    for zero in (False, True):
        o = F.ctc_loss(logits.log_softmax(-1), torch.tensor([[1, 2], [1, 1]]), (5, 5), (2, 2), reduction=reduction, zero_infinity=zero)
        chain, at = [], o.grad_fn
        while at is not None and len(chain) < 4:
            chain.append(at.name())
            at = at.next_functions[0][0] if at.next_functions else None
        one = F.ctc_loss(alone.log_softmax(-1), torch.tensor([1, 2]), torch.tensor(5), torch.tensor(2), reduction=reduction, zero_infinity=zero)
        print(reduction, zero, chain, one.grad_fn.name(), tuple(one.shape))
        logits.grad = alone.grad = None
        o.sum().backward()
        one.backward()
        print([round(v, 4) + 0.0 for v in logits.grad[:2, 0].flatten().tolist()], [round(v, 4) + 0.0 for v in alone.grad[0].tolist()])
short = F.ctc_loss(torch.zeros(2, 1, 3, requires_grad=True).log_softmax(-1), torch.tensor([[1, 1]]), (2,), (2,), reduction="none", zero_infinity=True)
print(short)

for smoothing in (-1.0, -0.1, 0.0, 0.5, 1.0, 1.5, 2.0, float("nan")):
    for wanted in (torch.tensor([0, 1, 2]), torch.full((3, 4), 0.25)):
        z = torch.arange(12.0).view(3, 4).requires_grad_()
        attempt(f"smoothing {smoothing}", lambda: round(F.cross_entropy(z, wanted, label_smoothing=smoothing).item(), 4))
        attempt("plain", lambda: round(F.cross_entropy(z.detach(), wanted, label_smoothing=smoothing).item(), 4))
for target in ((), (3,), (2,), (3, 1), (3, 4)):
    for one, two in (((3, 4), (3, 4)), ((4,), (4,)), ((3, 4), (3, 5))):
        attempt(f"{target} {one} {two}", lambda: tuple(F.cosine_embedding_loss(torch.zeros(one), torch.zeros(two), torch.ones(target)).shape))
