def deep(n: int) -> int:
    total = 0
    while n > 0:
        n -= 1
        total += n
    return total

def main():
    print(deep(1000000))
