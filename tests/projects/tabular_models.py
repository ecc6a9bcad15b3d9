"""pytorch-tabnet: a classifier of tables."""
# packages: pytorch-tabnet
# needs: numpy scikit-learn scipy tqdm
import numpy
import torch
from pytorch_tabnet.tab_network import TabNet
from show import show

torch.manual_seed(0)
net = TabNet(6, 3, n_d=4, n_a=4, n_steps=2, group_attention_matrix=torch.eye(6)).eval()
out, loss = net(torch.randn(8, 6))
show("out", out)
show("loss", loss)
