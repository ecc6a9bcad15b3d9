from typing import List

def first_even(numbers: List[int]) -> int:
    for i, n in enumerate(numbers):
        if n % 2 == 0:
            return i
    return -1

def main():
    print(first_even([1, 3, 4]), [i * i for i in range(4)])
    total = 0
    for a, b in zip([1, 2, 3], [10, 20, 30]):
        total += a * b
    print(total)
