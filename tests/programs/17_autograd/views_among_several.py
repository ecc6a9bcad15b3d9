"""Writes through one of several views that a call gave, and through results of a custom function."""
import torch


def attempt(name, make):
    try:
        print(name, make())
    except RuntimeError as error:
        print(name)
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


w = torch.arange(12.0).reshape(4, 3).requires_grad_()
y = w * 1
attempt("of a leaf", lambda: w.unbind(0)[0].add_(1))
attempt("unbind", lambda: y.unbind(0)[1].add_(1))
attempt("split", lambda: y.split(2)[1].zero_())
attempt("sizes", lambda: y.split([1, 3])[1].mul_(2))
attempt("chunk", lambda: [t.sigmoid_() for t in y.chunk(3, 1)])
attempt("iter", lambda: [row.add_(1) for row in y])
attempt("view of one", lambda: y.unbind(0)[1][0:2].add_(1))
attempt("item of one", lambda: y.split(2)[1].__setitem__(0, 3.0))

# These are made by calls of their own.
for split in (
    lambda t: t.tensor_split(2)[1],
    lambda t: t.hsplit(3)[1],
    lambda t: t.vsplit(2)[0],
):
    w.grad = None
    y = w * 2
    split(y).mul_(3)
    y.sum().backward()
    print(w.grad)
for split in (lambda t: t.unsafe_chunk(2)[0], lambda t: t.unsafe_split(2)[0]):
    attempt("unsafe", lambda: split(w * 1).add_(1).requires_grad)

y = w * 1
rows = y.unbind(0)
print(rows[0]._base is y, rows[0]._is_view(), y.chunk(2)[1]._base is y)
y.add_(1)
attempt("after the base was written", lambda: rows[0] * 2)
attempt("its node", lambda: rows[0].grad_fn)

plain = torch.ones(4, 3)
print(plain.unbind(0)[0].add_(1))
attempt("brings gradients", lambda: plain.unbind(0)[0].add_(torch.ones(3, requires_grad=True)))
attempt("detach_", lambda: plain[0].detach_())


class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        return g.view(4, 3)


class Rows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[0], x[1]

    @staticmethod
    def backward(ctx, g, h):
        return torch.stack([g, h, g, h])


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


attempt("flat", lambda: Flat.apply(w * 1).add_(1))
attempt("rows", lambda: Rows.apply(w * 1)[0].add_(1))
attempt("same", lambda: Same.apply(w * 1).add_(1))
w.grad = None
(Flat.apply(w).sum() + Rows.apply(w)[1].sum() * 2 + Same.apply(w).sum() * 3).backward()
print(w.grad)
