# dropout of a scripted module: zeros and scale when training, nothing when evaluating
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x) + 1


m = torch.jit.script(Net())
torch.manual_seed(4)
print(m(torch.ones(12)))
m.eval()
print(m(torch.ones(4)))
