# Refusals that once were answers: derivatives of what has none, decompositions of what is no number, lists of tensors joined.
import torch, warnings
from torch.func import *
warnings.simplefilter("ignore")
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, str(e).split("\n")[0])
x = torch.arange(3.); i = torch.arange(3); y = torch.ones(2); J = torch.autograd.functional.jacobian
for n, f in {"jacrev": jacrev, "jacfwd": jacfwd, "hessian": hessian}.items():
    t(n, lambda: f(lambda a: a > 1)(x)); t(n + "i", lambda: f(lambda a: a.argsort())(x)); t(n + "in", lambda: f(lambda a: a * 2.)(i)); t(n + " two", lambda: f(lambda a: (a, a > 1))(x)); t(n + " num", lambda: f(lambda a: 3.)(x))
t("vjp", lambda: vjp(lambda a: a > 1, x)[0]); t("vjp2", lambda: vjp(lambda a: (a, a.argsort()), x)[0]); t("jvp", lambda: jvp(lambda a: a > 1, (x,), (x,)))
t("fw", lambda: J(lambda a: a * 2, x, strategy="forward-mode", vectorize=True)); t("fw2", lambda: J(lambda a, b: (a * 2, b.sum()), (x, y), strategy="forward-mode", vectorize=True)); t("fw3", lambda: J(lambda a: (a * 2,), x, strategy="forward-mode", vectorize=True)); t("fw4", lambda: J(lambda a: a * 2, (x,), strategy="forward-mode", vectorize=True))
N = torch.nested.nested_tensor
a = N([torch.arange(3.), torch.arange(2.)]); j = N([torch.arange(3.), torch.arange(2.)], layout=torch.jagged)
t("cat", lambda: torch.cat([a, a]).unbind()); t("cat j", lambda: torch.cat([j, j]).unbind()); t("cat ragged", lambda: torch.cat([j, j], 1)); t("cat plain", lambda: torch.cat([a, torch.ones(2, 3)])); w = N([torch.ones(2, 3), torch.ones(1, 3)], layout=torch.jagged); t("cat last", lambda: torch.cat([w, w], 2).unbind()); t("cat -1", lambda: torch.cat([w, w], -1).unbind())
L = torch.linalg; nan = float("nan")
def m(n, v=nan, i=2, k=0): a = torch.eye(n); a[i, k] = v; return a
for n in (3, 5):
    for v in (nan, float("inf")): t((n, v), lambda: L.eigvalsh(m(n, v))); t((n, v, "eigh"), lambda: L.eigh(m(n, v))[0]); t((n, v, "upper"), lambda: L.eigvalsh(m(n, v), "U"))
t("batch", lambda: L.eigvalsh(torch.stack([torch.eye(3), m(3)]))); t("norm", lambda: L.matrix_norm(m(3), 2)); t("nuc", lambda: L.matrix_norm(m(3), "nuc")); t("fro", lambda: L.matrix_norm(m(3)))
g = torch.ones(2, dtype=torch.double, requires_grad=True)
for v in (torch.ones(3), torch.ones(3, dtype=torch.double), torch.ones(2, dtype=torch.long), torch.ones(2, dtype=torch.half), 3): t(("grad", v), lambda: setattr(g, "grad", v))
for v in ("a", 3, (1, 2), [torch.ones(1)], torch.ones(1)): t(("backward", v), lambda: torch.ones(1, requires_grad=True).sum().backward(v)); t(("grad of", v), lambda: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), torch.ones(1, requires_grad=True), v))
for v in ("a", 1.5, None, [1, "a"], (1, 2), [1, 2], range(2), 2, True): t(("split", v), lambda: torch.split(x, v))
for k in ({"a": 1}, {"dtype": 3}, {"device": 3.5}, {"requires_grad": 3}, {"pin_memory": "a"}): t(k, lambda: torch.tensor(1, **k)); t((k, "alone"), lambda: torch.tensor(**k))
import torch.distributions as D
for c in (.2, .5, 1., 1.5): t(c, lambda: (D.GeneralizedPareto(0., 1., c).mean, D.GeneralizedPareto(0., 1., c).variance))
t("fork", lambda: torch.jit.fork(3)); t("fork2", lambda: torch.jit.fork(len, [1]).wait())
import copy
for n, v in {"coo": torch.eye(2).to_sparse(), "csr": torch.eye(2).to_sparse_csr(), "strided": a, "jagged": j}.items(): t(("copy", n), lambda: (copy.copy(v), copy.copy(v) is v))
