from typing import Tuple

def pick(pair: Tuple[int, str], i: int):
    return pair[i]
