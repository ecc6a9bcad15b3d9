"""Losses of label sequences whose rows are padded with anything."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
logs = torch.randn(6, 2, 5).log_softmax(-1).requires_grad_()
for targets, lengths in (
    (torch.tensor([[1, 2, -1], [3, -1, -1]]), [2, 1]),
    (torch.tensor([[1, 2, 9], [3, 9, 77]]), [2, 1]),
    (torch.tensor([[1, 2, 7], [4, 0, 0]]), [2, 1]),
    (torch.tensor([[1, 2, 3], [-5, -5, -5]]), [3, 0]),
    (torch.tensor([1, 2, 3]), [2, 1]),
):
    logs.grad = None
    loss = F.ctc_loss(logs, targets, torch.tensor([6, 5]), torch.tensor(lengths), reduction="none")
    loss.sum().backward()
    print(loss.detach(), logs.grad.abs().sum())
