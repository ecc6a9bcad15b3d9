"""lightning: Fabric around an ordinary loop."""
# packages: lightning torchmetrics lightning-utilities pytorch-lightning
# needs: numpy packaging typing_extensions fsspec pyyaml tqdm
import logging

import lightning as L
import torch
from show import show

logging.getLogger("lightning").setLevel(logging.ERROR)
L.seed_everything(1)
fabric = L.Fabric(accelerator="cpu", devices=1)
fabric.launch()
model = torch.nn.Linear(4, 2)
model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
loader = fabric.setup_dataloaders(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randn(8, 2)), 4))
for x, y in loader:
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    fabric.backward(loss)
    optimizer.step()
    show("loss", loss)
