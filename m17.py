def add(a: int, b: int = 1) -> int:
    return a + b

def main():
    print(add(1), add(b=5, a=2))
