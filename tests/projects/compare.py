"""Whether two outputs of a program agree: the same words, and numbers within 1e-4 of one another."""

import re

# A number with a point, an exponent, or one that is none: what is measured. Whole numbers are compared as words.
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|nan|inf)(?![\w.])")
RELATIVE = 1e-4


def _apart(line):
    """The words around the numbers of a line, and the numbers. Whole numbers after a point was lost count as numbers too."""
    tokens = line.split()
    words, numbers = [], []
    for token in tokens:
        bare = token.strip("[](),")
        try:
            numbers.append(float(bare))
            words.append(token.replace(bare, "#", 1))
        except ValueError:
            words.append(_NUMBER.sub("#", token))
            numbers += [float(found) for found in _NUMBER.findall(token)]
    return words, numbers


def differences(expected, actual):
    """What differs, line by line; nothing if they agree."""
    expected, actual = expected.splitlines(), actual.splitlines()
    found = []
    for number, (want, got) in enumerate(zip(expected, actual), 1):
        if want == got:
            continue
        (words, values), (other_words, others) = _apart(want), _apart(got)
        # Means of numbers that nearly cancel are as exact as the numbers are large.
        scale = max(map(abs, values), default=0.0)
        close = len(values) == len(others) and all(
            a == b or abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + 0.1 * RELATIVE * scale or (a != a and b != b)
            for a, b in zip(values, others)
        )
        if words != other_words or not close:
            found.append(f"line {number}: {want}\n     here: {got}")
    if len(expected) != len(actual):
        found.append(f"{len(expected)} lines expected, {len(actual)} came")
    return found
