# Tensors of inference mode remember it: views are of it too, results elsewhere are not, and only there they change.
import torch


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).splitlines()[0])
        print("<<end>>")


x = torch.randn(2, 3)
with torch.inference_mode():
    i = torch.ones(3)
    j = x.view(-1)
    k = x * 2
    i.add_(1)
    x.zero_()
    print(i.is_inference(), j.is_inference(), k.is_inference(), x.is_inference(), i[:2].is_inference())
    print(torch.is_inference(i), torch.is_inference_mode_enabled())
    layer = torch.nn.Linear(2, 2)
    print(layer.weight.is_inference(), layer.weight.requires_grad)
    attempt(lambda: i._version)
    i.requires_grad_(False)
attempt(lambda: i.add_(1))
attempt(lambda: i[:2].add_(1))
attempt(lambda: i.zero_())
attempt(lambda: i.t_())
attempt(lambda: i.copy_(torch.zeros(3)))
attempt(lambda: i.requires_grad_())
attempt(lambda: i._version)
with torch.no_grad():
    attempt(lambda: i.mul_(2))
print(i[:2].is_inference(), (i * 2).is_inference(), i.clone().is_inference(), i.detach().is_inference())
p = torch.ones(3, requires_grad=True)
attempt(lambda: p * i)
print((p + i).requires_grad, torch.zeros(3).copy_(i).is_inference(), j.add_(1).tolist())
with torch.inference_mode():
    print(i.fill_(5))


@torch.jit.script
def step(t: torch.Tensor):
    t += 1
    return t


attempt(lambda: step(i))
with torch.inference_mode():
    i.fill_(1)
    print(step(i))
