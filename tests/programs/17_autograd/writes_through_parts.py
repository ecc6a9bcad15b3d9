# Writes in place through views and parts of complex numbers, what keeps gradients then, and how gradients of leaves are laid out.
import torch, torch.nn.functional as F
from torch import nn
T=torch.tensor
for op in 'exp_ relu_ sigmoid_ tanh_ sqrt_ reciprocal_'.split():
    x=T([1.,2.],requires_grad=True)
    w=x*1
    y=getattr((w*3).view(1,2),op)()
    g,=torch.autograd.grad(y.sum(),w,create_graph=True)
    (g.sum()+y.sum()).backward()
    print(op, x.grad)
x=T([1.,2.],requires_grad=True)
w=x*1
y=F.leaky_relu((w*3).view(1,2), inplace=True)
g,=torch.autograd.grad(y.sum(),w,create_graph=True)
(g.sum()+y.sum()).backward()
print(x.grad)
a=torch.ones(3,requires_grad=True)
b=torch.ones(3,requires_grad=True)
z=torch.complex(a,b)
z.imag.copy_(a*b*5)
z.imag.sum().backward()
print(a.grad,b.grad)
a=torch.ones(2,2,requires_grad=True)
z=torch.view_as_complex(a*1)
z.mul_(3)
z.real.sum().backward()
print(a.grad)
a=torch.ones(2,requires_grad=True)
z=torch.view_as_real(torch.complex(a,a))
z[...,0].mul_(5)
z[...,0].sum().backward()
print(a.grad)
a=torch.ones(2,requires_grad=True)
z=torch.complex(a,a*2)
z.real=a*a*3
z.imag.mul_(a)
(z*z.conj()).real.sum().backward()
print(a.grad)
a=torch.ones(2,requires_grad=True)*1.5
a.retain_grad()
z=torch.complex(a,a*2)
z.imag.mul_(a)
l=(z*z.conj()).real.sum()
g,=torch.autograd.grad(l,a,create_graph=True)
print(g)
g.sum().backward()
print(a.grad)
x=T([0.,1.,-1.],requires_grad=True)
torch.manual_seed(0)
print(x.grad)
a=torch.ones(2,requires_grad=True)
z=a*2
z.retain_grad()
z.mul_(3)
z.sum().backward()
print(z.grad, a.grad)
a=torch.ones(4,requires_grad=True)
z=a*2
v=z[:2]
v.retain_grad()
z.retain_grad()
v.mul_(3)
z.sum().backward()
print(z.grad, v.grad, a.grad)
print(torch.func.jacfwd(lambda x:x.scatter_add(0,T([0]),x))(torch.ones(3)))
x=torch.ones(3,3,requires_grad=True)
g,=torch.autograd.grad((x**2).trace(),x,create_graph=True)
print(torch.autograd.grad((g**2).sum(),x)[0])
x=torch.ones(1,2,2,2).to(memory_format=torch.channels_last).requires_grad_()
(x*2).sum().backward()
print(x.grad.stride())
x=torch.ones(3,2).t().requires_grad_()
(x@torch.ones(3,4)).sum().backward()
print(x.stride(), x.grad.stride())
c=nn.Conv2d(2,3,3).to(memory_format=torch.channels_last)
c(torch.ones(1,2,5,5)).sum().backward()
print(c.weight.grad.stride(), c.bias.grad)
x=torch.ones(2,3)[:, ::2].detach().requires_grad_()
(x*2).sum().backward()
print(x.grad.stride())
x=torch.ones(2,3,requires_grad=True)
y=x.sum()
y.backward()
print(x.grad.stride())
g0=x.grad
(x*x).sum().backward()
print(g0 is x.grad, x.grad)
g=torch.ones(2)
x=torch.ones(2,requires_grad=True)
(x*1).backward(g)
x.grad.add_(1)
print(g)
x=torch.ones(2,requires_grad=True)
y=x+0
y.backward(g)
x.grad.add_(1)
print(g, x.grad)
x=torch.ones(2,requires_grad=True)
w=torch.ones(2,requires_grad=True)
(x+w).sum().backward()
x.grad.add_(1)
print(w.grad)
x=torch.ones(2,requires_grad=True)
w=torch.ones(2,requires_grad=True)
(x+w).backward(torch.ones(2))
x.grad.add_(1)
print(w.grad)


def through(f):
    a = torch.ones(2, requires_grad=True)
    z = torch.complex(a, a * 2)
    f(z, a)
    (z * z.conj()).real.sum().backward()
    print(f.__name__, a.grad)


def real_set(z, a):
    z.real = a * a * 3


def imag_mul(z, a):
    z.imag.mul_(a)


def both(z, a):
    real_set(z, a)
    imag_mul(z, a)


for f in (real_set, imag_mul, both):
    through(f)
t=torch.ones(2)
for n in ('T','mT','H','mH'):
    try: setattr(t,n,1)
    except Exception as e: print(type(e),e)
try: t.imag=1
except Exception as e: print(type(e),e)
try: t.real=torch.ones(3)
except Exception as e: print(type(e),e)
t.real=5
print(t)
z=torch.zeros(2,dtype=torch.cfloat)
z.imag=3
z.real=torch.tensor([1.,2.])
print(z, callable(torch.Tensor.T))
z.real+=2
z.imag*=3
z.real[0]=9
print(z)
a=torch.ones(2,requires_grad=True)
try: a.real=2
except Exception as e: print(type(e),e)
