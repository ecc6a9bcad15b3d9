"""The buffers of a loaded program, each once."""
import io

import torch
import torch.nn as nn

script = torch.jit.script(nn.Sequential(nn.BatchNorm2d(4), nn.BatchNorm2d(2)))
kept = io.BytesIO()
torch.jit.save(script, kept)
kept.seek(0)
loaded = torch.jit.load(kept)
print([name for name, _ in loaded.named_buffers()])
print([name for name, _ in loaded.named_parameters()])
print(len(list(loaded.buffers())))
