# While a trace is recorded gradients are recorded too; detach_ is detach; results must come from what the trace has seen.
import torch


def detached(x, w):
    y = torch.matmul(x, w)
    print(y.requires_grad)
    z = y.detach()
    print(z.requires_grad)
    y.detach_()
    print(y.requires_grad)
    return y + z


x, w = torch.rand(3, 4), torch.rand(4, 5, requires_grad=True)
graph = str(torch.jit.trace(detached, (x, w), check_trace=False).graph)
print(graph.count("aten::detach("), "detach_" in graph)


def copied(x, y):
    out = torch.zeros(x.size())
    out.copy_(y)
    out.add_(1)
    return out


forced = torch.jit.trace(copied, (torch.ones(2), torch.ones(2)), check_trace=False, _force_outplace=True)
print("aten::expand_as" in str(forced.graph), "aten::copy" in str(forced.graph), forced(torch.ones(2), torch.zeros(2)))
known = torch.ones(3)
kept = []


def body(x):
    kept.append(x + 1)
    return x


def through_a_task(x):
    torch.jit.wait(torch.jit.fork(body, x))
    return kept[0]


for function in (lambda x: known, lambda x: (x, known), through_a_task):
    try:
        torch.jit.trace(function, (torch.ones(2),), check_trace=False)
    except RuntimeError as error:
        print(str(error).split("]) ")[-1])
print(torch.jit.trace(lambda x: x + known, torch.ones(3))(torch.zeros(3)))
