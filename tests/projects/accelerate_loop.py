"""accelerate: an ordinary loop on one processor."""
# packages: accelerate
# needs: numpy packaging psutil pyyaml safetensors huggingface_hub
import torch
from accelerate import Accelerator
from show import show

accelerator = Accelerator(cpu=True)
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 3), torch.randn(8, 1)), 4)
model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1), loader)
for x, y in loader:
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    show("loss", loss)
