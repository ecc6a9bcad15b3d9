# Arguments that a Function hands back and marks as not differentiable; backward with inputs that want no gradient
import torch
def err(f):
    try: print(f())
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, marks):
        ctx.mark_non_differentiable(*[t for t, m in ((a, "a"), (b, "b")) if m in marks])
        return a * 2, b
    @staticmethod
    def backward(ctx, g, h):
        return g * 2, h, None
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_non_differentiable(a)
        return a
    @staticmethod
    def backward(ctx, g):
        return g
for first in (True, False):
    for second in (True, False):
        for marks in ("", "a", "b", "ab"):
            a, b = torch.ones(1, requires_grad=first), torch.ones(1, requires_grad=second)
            x, y = Two.apply(a, b, marks)
            print(first, second, marks, x.requires_grad, y.requires_grad, y is b, b.requires_grad, y.grad_fn is None, y.is_leaf)
            if x.requires_grad:
                x.sum().backward()
                print(a.grad, b.grad)
a = torch.ones(2, requires_grad=True)
y = Same.apply(a)
print(y is a, y.requires_grad, a.requires_grad, y.grad_fn, y.data_ptr() == a.data_ptr())
def inputs(choose):
    a, b = torch.ones(1, requires_grad=True), torch.ones(1)
    c = a * 3
    (c * 2).backward(inputs=choose(a, b, c))
    return a.grad
err(lambda: inputs(lambda a, b, c: [b]))
err(lambda: inputs(lambda a, b, c: [a, b]))
err(lambda: inputs(lambda a, b, c: b))
err(lambda: inputs(lambda a, b, c: [c.detach()]))
err(lambda: inputs(lambda a, b, c: (a, c)))
err(lambda: inputs(lambda a, b, c: []))
err(lambda: inputs(lambda a, b, c: [torch.ones(1, dtype=torch.long)]))
err(lambda: torch.autograd.grad(a.sum(), [torch.ones(1)]))
