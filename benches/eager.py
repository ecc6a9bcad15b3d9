"""What one eager operator costs when called from Python.

    PYTHON eager.py MODULE     prints nanoseconds per call, one case per line, with MODULE (rushlight or torch) as torch
"""

import importlib
import sys
import timeit

CASES = {
    "x + y, 4 elements": "x + y",
    "x.add_(y), 4 elements": "x.add_(y)",
    "torch.add(x, y), 4 elements": "torch.add(x, y)",
    "x.sum(), 4 elements": "x.sum()",
    "x[0], 4 elements": "x[0]",
    "x.shape": "x.shape",
}


def main():
    torch = importlib.import_module(sys.argv[1])
    names = {"torch": torch, "x": torch.zeros(4), "y": torch.ones(4)}
    for name, code in CASES.items():
        count = 20000
        seconds = min(timeit.repeat(code, globals=names, number=count, repeat=5))
        print(f"{seconds / count * 1e9:.1f}\t{name}")


if __name__ == "__main__":
    main()
