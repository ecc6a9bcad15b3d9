# The adaptive softmax: targets of the head, of clusters and of both, single samples, all log probabilities, what is refused.
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = nn.AdaptiveLogSoftmaxWithLoss(16, 20, [4, 10, 15], div_value=2.0)
x = torch.randn(6, 16)


def rounded(t):
    return [round(v, 4) for v in t.detach().flatten().tolist()]


for target in ([0, 1, 2, 3, 1, 0], [5, 12, 19, 16, 9, 4], [0, 5, 1, 12, 2, 19], [17] * 6):
    output, loss = model(x, torch.tensor(target))
    print(rounded(output), round(loss.item(), 4))
for target in (2, 13):
    output, loss = model(x[0], torch.tensor(target))
    print(tuple(output.shape), rounded(output), round(loss.item(), 4))
everything = model.log_prob(x)
print(tuple(everything.shape), rounded(everything.exp().sum(1)), rounded(everything[0, ::5]))
print(model.predict(x).tolist(), model.predict(x[:1] * 3).tolist())


def attempt(f):
    try:
        f()
    except (RuntimeError, ValueError) as e:
        print(f"<<{type(e).__name__}>>")
        print(e)
        print("<<end>>")


attempt(lambda: model(x, torch.tensor([0, 1, 2, 3, 4, 20])))
attempt(lambda: model(x, torch.tensor([0, 1])))
attempt(lambda: model(x, torch.tensor(1)))
attempt(lambda: model(x, torch.zeros(6, 1, dtype=torch.long)))
for cutoffs in ([], [3, 2], [0, 3], [3, 3], [20], [1.5]):
    attempt(lambda: nn.AdaptiveLogSoftmaxWithLoss(16, 20, cutoffs))
