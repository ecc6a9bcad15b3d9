# calls of operators with wrong arguments: which one is wrong, what is missing, or the signatures that there are
import torch
import torch.nn.functional as F


def err(f):
    try:
        r = f()
        print(tuple(r.shape), r.dtype)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


x = torch.ones(2, 3)
err(lambda: torch.add(x, "a"))
err(lambda: torch.add(x))
err(lambda: x.add("a"))
err(lambda: x + "a")
err(lambda: "a" + x)
err(lambda: x.sum("a"))
err(lambda: x.sum(1, 2))
err(lambda: x.transpose(0))
err(lambda: torch.transpose(x))
err(lambda: x.transpose(0, 1, 2))
err(lambda: x.relu(1))
err(lambda: torch.relu(x, x))
err(lambda: torch.topk(x, 1, 2, 3, 4, 5))
err(lambda: torch.relu(1))
err(lambda: torch.relu(x, input=x))
err(lambda: torch.softmax(x))
err(lambda: F.softmax(x, "a"))
err(lambda: torch.zeros("a"))
err(lambda: torch.zeros((2, "a")))
err(lambda: torch.zeros(2, 2.5))
err(lambda: torch.zeros(2, dtype=3))
err(lambda: torch.zeros(2, dtype=int))
err(lambda: torch.zeros(2, foo=1))
err(lambda: torch.full((2,)))
err(lambda: torch.cat(x))
err(lambda: torch.cat([1]))
err(lambda: x.squeeze("a"))
err(lambda: torch.randint(5))
err(lambda: torch.where(1, 2, 3))
err(lambda: torch.maximum(1, x))
err(lambda: torch.fmod(1, x))
err(lambda: torch.mul(2, x))
err(lambda: torch.gather(x, 0, x, foo=1))
err(lambda: torch.permute(x, 0, 1))
err(lambda: x.permute(1, 0))
err(lambda: F.linear(x, torch.ones(4, 3, dtype=torch.float64)))
err(lambda: F.conv1d(x, torch.ones(1, 2, 1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)))
