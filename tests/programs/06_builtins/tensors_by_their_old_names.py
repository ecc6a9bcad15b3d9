import torch


def copied():
    return torch.LongTensor([3]), torch.HalfTensor([1.5]), torch.DoubleTensor()


def sized(n: int):
    return torch.LongTensor(2, n), torch.FloatTensor(n)


def kept(x):
    return torch.IntTensor(x), isinstance(x, torch.Tensor)


for function in (copied, sized):
    print(torch.jit.script(function).graph.str(False))
print(torch.jit.script(copied)())
print([t.shape for t in torch.jit.script(sized)(3)])
print(torch.jit.script(kept)(torch.tensor(2.7)))


def mixed():
    return torch.LongTensor(1, [2])


def named():
    return torch.LongTensor(hello="1")


for function in (mixed, named):
    try:
        torch.jit.script(function)
    except RuntimeError as error:
        print(str(error).strip().splitlines()[:4])

x = torch.tensor([1.5, 2.0])
print(x.type(torch.HalfTensor).dtype, x.type("torch.IntTensor"), isinstance(x, torch.FloatTensor), isinstance(x, torch.LongTensor))
