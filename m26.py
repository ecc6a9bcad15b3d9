def walrus(n: int):
    if (m := n) > 1:
        return m
    return 0

def a_set():
    return {1, 2}

def pairs(n: int):
    return [a * b for a in range(n) for b in range(n)]

def numbers(n: int):
    for i in range(n):
        yield i

def stars(*args):
    return args
