"""L-BFGS: the line search takes no more evaluations than a step may have."""

import torch
from torch import optim

for most in (None, 5, 6, 9):
    for search in ("strong_wolfe", None):
        xy = torch.nn.Parameter(torch.tensor([-1.2, 1.0], dtype=torch.float64))
        optimizer = optim.LBFGS([xy], lr=1 if search else 1e-3, max_iter=4, max_eval=most, history_size=5, line_search_fn=search)
        count = 0

        def closure():
            global count
            count += 1
            optimizer.zero_grad()
            loss = (1 - xy[0]) ** 2 + 100 * (xy[1] - xy[0] ** 2) ** 2
            loss.backward()
            return loss

        for _ in range(7):
            loss = optimizer.step(closure)
            print(most, search, count, f"{loss.item():.6f}", [round(v, 6) for v in xy.tolist()])
