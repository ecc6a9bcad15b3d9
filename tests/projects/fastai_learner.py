"""fastai: a Learner on tensors."""
# packages: fastai fasttransform fastdownload torchvision
# needs: numpy fastcore fastprogress pandas matplotlib pyyaml pillow requests scikit-learn scipy plum-dispatch packaging
import torch
from fastai.callback.progress import ProgressCallback
from fastai.basics import DataLoaders, Learner, MSELossFlat, set_seed
from show import show

set_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(32, 3), torch.randn(32, 1))
loaders = DataLoaders(torch.utils.data.DataLoader(data, 8), torch.utils.data.DataLoader(data, 8))
learner = Learner(loaders, torch.nn.Linear(3, 1), loss_func=MSELossFlat())
with learner.no_bar(), learner.no_logging():
    learner.fit(2, 0.01)
show("weights", list(learner.model.parameters()))
