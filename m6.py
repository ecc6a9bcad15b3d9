from typing import Any

def use(x: Any):
    return x + 1
