"""Prime numbers.

    rushlight run examples/primes.py:primes 50
    rushlight run examples/primes.py:factorise 123456789
    rushlight run examples/primes.py:goldbach 100
"""

from typing import Dict, List, Optional, Tuple


def primes(n: int) -> List[int]:
    """All primes up to `n`, by the sieve of Eratosthenes."""
    is_prime = [True] * (n + 1)
    found: List[int] = []
    for i in range(2, n + 1):
        if is_prime[i]:
            found.append(i)
            for j in range(i * i, n + 1, i):
                is_prime[j] = False
    return found


def factorise(n: int) -> Dict[int, int]:
    """The prime factors of `n` and how often each occurs."""
    if n < 1:
        raise ValueError(f"cannot factorise {n}")
    factors: Dict[int, int] = {}
    candidate = 2
    while candidate * candidate <= n:
        while n % candidate == 0:
            factors[candidate] = factors.get(candidate, 0) + 1
            n = n // candidate
        candidate += 1
    if n > 1:
        factors[n] = factors.get(n, 0) + 1
    return factors


def goldbach(n: int) -> Optional[Tuple[int, int]]:
    """Two primes that add up to `n`, the smaller as small as possible; `None` where there are none."""
    candidates = primes(n)
    for p in candidates:
        if (n - p) in candidates:
            return p, n - p
    return None
