from typing import List

def mixed():
    return [1, "a"] + [2]

def empty():
    numbers = []
    numbers.append(1)
