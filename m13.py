import torch
from typing import Optional

def main():
    nothing: Optional[int] = None
    print(["a", "b"], {"k": "v"}, (1, "a"), nothing, 1.0, 1e20)
    print(torch.ones(2))
