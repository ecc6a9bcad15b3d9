def check(n: int) -> int:
    assert n >= 0, "n is negative"
    if n > 10:
        raise ValueError("n is large")
    return n

def careful(n: int) -> int:
    try:
        return check(n)
    except ValueError:
        return 0
