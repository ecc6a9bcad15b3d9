import torch
from typing import List

def has_any(numbers: List[int]) -> bool:
    if numbers:
        return True
    return False

def main():
    x = torch.tensor([3])
    if x > 2:
        print("large")
    print(has_any([]), has_any([0]), 1 < 2 < 3, not 0)
    print(2 and 3, 0 or 5, "" or "text")
