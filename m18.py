def factorial(n: int) -> int:
    if n < 2:
        return 1
    return n * factorial(n - 1)

def outer(n: int):
    double = lambda x: 2 * x
    return double(n)
