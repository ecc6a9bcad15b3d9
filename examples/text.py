"""Words in a text: strings, dictionaries and a class.

    rushlight run examples/text.py:top '"the cat and the dog and the bird"' 2
    rushlight run examples/text.py:longest '"a list of words of several lengths"'
    rushlight run examples/text.py:caesar '"Veni, vidi, vici."' 3
"""

from typing import Dict, List, Tuple

import torch


@torch.jit.script
class Counter:
    """Counts strings; remembers in which order they first came."""

    def __init__(self) -> None:
        self.counts: Dict[str, int] = {}
        self.total = 0

    def add(self, word: str) -> None:
        self.counts[word] = self.counts.get(word, 0) + 1
        self.total += 1

    def __len__(self) -> int:
        return len(self.counts)

    def __contains__(self, word: str) -> bool:
        return word in self.counts

    def ranked(self) -> List[Tuple[int, str]]:
        """The strings with their counts, the most frequent first, equally frequent ones by alphabet."""
        pairs = [(-count, word) for word, count in self.counts.items()]
        pairs.sort()
        return [(-count, word) for count, word in pairs]


def words(text: str) -> List[str]:
    """The words of a text in lower case, without punctuation."""
    found: List[str] = []
    for piece in text.lower().split():
        word = piece.strip(".,;:!?()'")
        if len(word) > 0:
            found.append(word)
    return found


def count(text: str) -> Counter:
    counter = Counter()
    for word in words(text):
        counter.add(word)
    return counter


def top(text: str, n: int) -> Dict[str, int]:
    """The `n` most frequent words and their counts."""
    counter = count(text)
    print(counter.total, "words,", len(counter), "different")
    result: Dict[str, int] = {}
    for times, word in counter.ranked()[:n]:
        result[word] = times
    return result


def longest(text: str) -> str:
    """The longest word; the first of them where there are several."""
    best = ""
    for word in words(text):
        if len(word) > len(best):
            best = word
    return best


def caesar(text: str, shift: int) -> str:
    """The text with each letter moved along the alphabet."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    letters: List[str] = []
    for letter in text:
        place = alphabet.find(letter.lower())
        if place < 0:
            letters.append(letter)
        else:
            moved = alphabet[(place + shift) % len(alphabet)]
            letters.append(moved.upper() if letter.isupper() else moved)
    return "".join(letters)
