import io

import torch


class Learner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x):
        return (x * self.w).sum()

    @torch.jit.export
    def learn(self, x, rate: float) -> float:
        loss = (self.forward(x) - 1.0) ** 2
        loss.backward()
        gradient = self.w.grad
        with torch.no_grad():
            self.w.sub_(rate * gradient)
            gradient.zero_()
        return float(loss)

    @torch.jit.export
    def slope(self, x):
        loss = (self.forward(x) - 1.0) ** 2
        return torch.autograd.grad([loss], [self.w])[0]


file = io.BytesIO()
torch.jit.save(torch.jit.script(Learner()), file)
for _ in range(2):
    file.seek(0)
    learner = torch.jit.load(file)
    x = torch.tensor([0.5, -1.0])
    print(learner.slope(x))
    print([round(learner.learn(x, 0.1), 4) for _ in range(4)], learner.w)
    print(learner.learn.code)
    file = io.BytesIO()
    torch.jit.save(learner, file)
