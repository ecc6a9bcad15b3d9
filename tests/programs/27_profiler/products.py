"""Which product a `matmul` is, and what other operators are but for their arguments, in profiles."""

import torch
from torch.profiler import ProfilerActivity, profile

a, b, batch, v = torch.ones(2, 3), torch.ones(3, 4), torch.ones(5, 2, 3), torch.ones(3)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as measured:
    a @ b
    a @ v
    v @ v
    batch @ batch.transpose(1, 2)
    batch @ b
    torch.softmax(a, 1)
    torch.log_softmax(a, 1)
    torch.layer_norm(a, (3,))
names = ("aten::mm", "aten::mv", "aten::dot", "aten::bmm", "aten::_softmax", "aten::_log_softmax", "aten::native_layer_norm", "aten::matmul")
counts = {event.key: event.count for event in measured.key_averages()}
print([(name, counts[name]) for name in names])
for event in measured.key_averages(group_by_input_shape=True):
    if event.key in names[:4]:
        print(event.key, event.input_shapes[:2], event.count)
