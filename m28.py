def broken(x: int) -> int:
    y = unknown
    return x + missing
