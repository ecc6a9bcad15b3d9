"""Sparse tensors through files and pickles, as buffers of modules, copied."""
import copy
import io
import pickle
import warnings
import zipfile

import torch

warnings.simplefilter("ignore")
s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
m = s.to_sparse_csr()
file = io.BytesIO()
torch.save({"s": s, "m": m, "c": s.coalesce(), "e": torch.sparse_coo_tensor((2, 2))}, file)
print(sorted(zipfile.ZipFile(file).namelist()))
file.seek(0)
for key, value in torch.load(file).items():
    print(key, value, value.layout)
print(torch.load(io.BytesIO(file.getvalue()), weights_only=True)["c"].is_coalesced())
print(copy.deepcopy(s), pickle.loads(pickle.dumps(s)))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", s.coalesce())
        self.layer = torch.nn.Linear(3, 2, bias=False)

    def forward(self, x):
        return torch.sparse.mm(self.edges, self.layer.weight.t() * 0 + 1) @ x


net = Net().double().float()
print(net(torch.ones(2, 2)), net.edges.indices(), list(net.state_dict()))
other = Net()
other.load_state_dict(net.state_dict())
print(other.edges, copy.deepcopy(net).edges.to_dense())
