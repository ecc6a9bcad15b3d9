# Tables of rows: quantized after training and dynamically, trained with rounding, their weights and states.
import io
import warnings

import torch
import torch.ao.nn.quantized as nnq
from torch import nn
from torch.ao.quantization import (
    convert,
    default_embedding_qat_qconfig,
    float_qparams_weight_only_qconfig,
    get_embedding_qat_module_mappings,
    get_embedding_static_quant_module_mappings,
    prepare,
    prepare_qat,
    quantize_dynamic,
)

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(6, 8)
        self.bags = nn.EmbeddingBag(5, 4, mode="sum", include_last_offset=True)
        self.head = nn.Linear(4, 2)

    def forward(self, indices, offsets):
        return self.rows(indices), self.head(self.bags(indices, offsets))


model = Model()
indices, offsets = torch.tensor([0, 3, 4, 1]), torch.tensor([0, 2, 4])
q = quantize_dynamic(model, {nn.EmbeddingBag: float_qparams_weight_only_qconfig, nn.Embedding: float_qparams_weight_only_qconfig})
print(q)
rows, out = q(indices, offsets)
print(rows, out)
scripted = torch.jit.script(q)
print([torch.equal(a, b) for a, b in zip(scripted(indices, offsets), (rows, out))])
print(q.rows.weight().qscheme(), q.rows.weight().int_repr()[0].tolist(), q.rows.weight().q_per_channel_axis())
print(list(q.state_dict()))
buffer = io.BytesIO()
torch.save(q.state_dict(), buffer)
buffer.seek(0)
torch.manual_seed(5)
other = quantize_dynamic(Model(), {nn.EmbeddingBag, nn.Embedding}, dtype=torch.quint8)
print(other.load_state_dict(torch.load(buffer)), torch.equal(other(indices, offsets)[0], rows))

static = nn.Sequential(nn.Embedding(4, 4))
static.qconfig = float_qparams_weight_only_qconfig
ready = prepare(static.eval())
print(ready)
print(convert(ready), convert(ready)(torch.tensor([1])).shape)

trained = nn.Sequential(nn.EmbeddingBag(4, 4, mode="sum"))
trained.qconfig = default_embedding_qat_qconfig
trained = prepare_qat(trained.train(), mapping=get_embedding_qat_module_mappings())
print(trained)
optimizer = torch.optim.SGD(trained.parameters(), lr=0.5)
for _ in range(2):
    optimizer.zero_grad()
    loss = trained[0](torch.tensor([0, 1, 3]), torch.tensor([0, 2])).pow(2).sum()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
done = convert(trained.eval(), mapping=get_embedding_static_quant_module_mappings())
print(done, [[round(v, 3) + 0.0 for v in row] for row in done[0](torch.tensor([0, 1, 3]), torch.tensor([0, 2])).tolist()])
table = nnq.EmbeddingBag(3, 4)
table.set_weight(torch.quantize_per_channel(torch.arange(12.0).reshape(3, 4), torch.ones(3) / 2, torch.zeros(3), 0, torch.quint8))
print(table(torch.tensor([[0, 1], [2, 2]])), table(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.tensor([1.0, 0.5, 2.0])))
