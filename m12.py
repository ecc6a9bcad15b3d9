def wide(n: int):
    return f"{n:>5}"
