"""torch_geometric: layers over graphs, batches, training."""
# packages: torch_geometric
# needs: numpy aiohttp fsspec jinja2 psutil pyparsing requests tqdm xxhash scipy
import torch
from show import saved, show, steps
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, TransformerConv, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, to_undirected

torch.manual_seed(0)
edges = to_undirected(torch.randint(0, 10, (2, 20)))
x = torch.randn(10, 6)
show("degree", degree(edges[0], 10))
show("loops", add_self_loops(edges)[0].sum(1))
for layer in (GCNConv(6, 4), GATConv(6, 4, heads=2), SAGEConv(6, 4), GINConv(torch.nn.Linear(6, 4)), TransformerConv(6, 4)):
    show(type(layer).__name__, layer(x, edges))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GCNConv(6, 8), GCNConv(8, 3)

    def forward(self, x, edges, batch):
        return global_mean_pool(self.two(self.one(x, edges).relu(), edges), batch)


net = Net()
items = [Data(x=torch.randn(5, 6), edge_index=torch.randint(0, 5, (2, 8)), y=torch.tensor([i % 3])) for i in range(6)]
for batch in DataLoader(items, batch_size=3):
    print(batch)
    steps("net", net, lambda: torch.nn.functional.cross_entropy(net(batch.x, batch.edge_index, batch.batch), batch.y))
