def check(n: int) -> int:
    assert n >= 0, "n is negative"
    if n > 10:
        raise ValueError("n is large")
    return n

def main():
    print(check(3))
    check(11)
