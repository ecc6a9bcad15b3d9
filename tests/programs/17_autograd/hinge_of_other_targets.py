import torch
import torch.nn.functional as F

for targets in ([1.0, -1.0, 1.0, -1.0], [0.5, -1.0, 0.25, 1.0]):
    x = torch.tensor([0.25, -0.5, 1.25, 0.75], requires_grad=True)
    loss = F.hinge_embedding_loss(x, torch.tensor(targets), margin=1.5)
    loss.backward()
    print(loss.item(), x.grad.tolist())
    print(F.hinge_embedding_loss(x, torch.tensor(targets), reduction="none").tolist())
