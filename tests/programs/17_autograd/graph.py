# anomaly, graph walking, saved tensors, hooks on nodes
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * 2).exp().sum()
def walk(f, d=0):
    if f is None: return
    print("  " * d + type(f).__name__)
    for n, i in f.next_functions: walk(n, d + 1)
walk(y.grad_fn)
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
walk(m(x).grad_fn)
walk(torch.nn.functional.mse_loss(m(x), torch.zeros(1)).grad_fn)
with torch.autograd.set_detect_anomaly(True):
    y.backward()
print(x.grad)
with torch.autograd.detect_anomaly():
    pass
print(torch.is_anomaly_enabled())
