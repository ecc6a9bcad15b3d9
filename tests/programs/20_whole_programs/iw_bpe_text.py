import io
import torch
import torch.nn as nn
from typing import Dict, List, Optional, Tuple


class BPE(nn.Module):
    ranks: Dict[str, int]
    vocab: Dict[str, int]
    inv: Dict[int, str]
    cache: Dict[str, List[int]]

    def __init__(self, merges: List[Tuple[str, str]], extra: str):
        super().__init__()
        self.ranks = {a + " " + b: i for i, (a, b) in enumerate(merges)}
        toks = ["<unk>", "<s>", "</s>"] + sorted(set(extra)) + [a + b for a, b in merges]
        self.vocab = {}
        for t in toks:
            if t not in self.vocab:
                self.vocab[t] = len(self.vocab)
        self.inv = {v: k for k, v in self.vocab.items()}
        self.cache = {}
        self.hits = 0

    def _merge(self, parts: List[str]) -> List[str]:
        while len(parts) > 1:
            best = -1
            rank = 1 << 30
            for i in range(len(parts) - 1):
                k = parts[i] + " " + parts[i + 1]
                r = self.ranks.get(k, 1 << 30)
                if r < rank:
                    rank = r
                    best = i
            if best < 0:
                break
            parts = parts[:best] + [parts[best] + parts[best + 1]] + parts[best + 2:]
        return parts

    def _word(self, w: str) -> List[int]:
        if w in self.cache:
            self.hits += 1
            return self.cache[w]
        parts: List[str] = []
        for ch in w:
            parts.append(ch)
        ids = [self.vocab.get(p, 0) for p in self._merge(parts)]
        self.cache[w] = ids
        return ids

    @torch.jit.export
    def split(self, text: str) -> List[str]:
        out: List[str] = []
        cur = ""
        for ch in text.lower():
            if ch.isalpha():
                cur += ch
            else:
                if len(cur) > 0:
                    out.append(cur + "_")
                    cur = ""
                if not ch.isspace():
                    out.append(ch)
        if cur != "":
            out.append(cur + "_")
        return out

    def forward(self, texts: List[str], max_len: int = 12, pad: int = 2) -> Tuple[torch.Tensor, torch.Tensor]:
        rows: List[List[int]] = []
        longest = 0
        for t in texts:
            ids = [self.vocab["<s>"]]
            for w in self.split(t):
                ids.extend(self._word(w))
            ids = ids[:max_len]
            longest = max(longest, len(ids))
            rows.append(ids)
        out = torch.full((len(rows), longest), pad, dtype=torch.long)
        lens = torch.zeros(len(rows), dtype=torch.long)
        for i, r in enumerate(rows):
            out[i, :len(r)] = torch.tensor(r)
            lens[i] = len(r)
        return out, lens

    @torch.jit.export
    def decode(self, ids: List[int], skip: bool = True) -> str:
        toks: List[str] = []
        for i in ids:
            t = self.inv[i]
            if skip and t.startswith("<") and t.endswith(">"):
                continue
            toks.append(t)
        return "".join(toks).replace("_", " ").strip()


@torch.jit.script
def learn(words: Dict[str, int], n: int) -> List[Tuple[str, str]]:
    splits: Dict[str, List[str]] = {}
    for w in words.keys():
        splits[w] = [c for c in w]
    merges: List[Tuple[str, str]] = []
    for _ in range(n):
        counts: Dict[str, int] = {}
        for w, f in words.items():
            s = splits[w]
            for i in range(len(s) - 1):
                k = s[i] + " " + s[i + 1]
                if k in counts:
                    counts[k] += f
                else:
                    counts[k] = f
        if len(counts) == 0:
            break
        best = ""
        for k in sorted(counts.keys()):
            if best == "" or counts[k] > counts[best]:
                best = k
        pair = best.split(" ")
        merges.append((pair[0], pair[1]))
        for w in words.keys():
            s = splits[w]
            out: List[str] = []
            i = 0
            while i < len(s):
                if i + 1 < len(s) and s[i] == pair[0] and s[i + 1] == pair[1]:
                    out.append(s[i] + s[i + 1])
                    i += 2
                else:
                    out.append(s[i])
                    i += 1
            splits[w] = out
    return merges


words = {"low_": 5, "lower_": 2, "newest_": 6, "widest_": 3}
merges = learn(words, 8)
print(merges)
bpe = torch.jit.script(BPE(merges, "abcdefghijklmnopqrstuvwxyz_,.!?"))
print(bpe.split("Hello, World!  New-est\tlow"))
ids, lens = bpe(["lowest newest", "widest, low!", "", "lower lower lower lower lower"])
print(ids.tolist())
print(lens.tolist(), bpe.hits, len(bpe.cache), sorted(bpe.cache.keys()))
for row, n in zip(ids.tolist(), lens.tolist()):
    print(repr(bpe.decode(row[:n])))
print(bpe.decode([1, 0, 2], skip=False))
try:
    bpe.decode([9999])
except Exception as e:
    print(type(e).__name__, str(e).strip().splitlines()[-1])
b = io.BytesIO()
torch.jit.save(bpe, b)
b.seek(0)
l = torch.jit.load(b)
print(torch.equal(l(["newest lower"])[0], bpe(["newest lower"])[0]), l.hits, len(l.vocab), l.inv[1], list(l.ranks.items())[:3])


@torch.jit.script
def strings(s: str, n: int) -> List[str]:
    out = [s.upper(), s.title(), s.swapcase(), s.capitalize(), s.center(14, "*"), s.rjust(12), s.zfill(12)]
    out.append(str(s.find("l")) + "/" + str(s.rfind("l")) + "/" + str(s.count("l")))
    out.append("|".join(s.partition("l")))
    out.append("-".join(s.rsplit("l", 1)))
    out.append("%d:%s:%f %i" % (n, s, n / 4, n))
    out.append("{} and {}".format(s, n))
    out.append(s[::-1] + s[1:-1:2] + s[-3:])
    out.append(s + s + hex(n) + oct(n) + bin(n))
    out.append(str(s.isdigit()) + str(s.islower()) + str("7".isnumeric()) + str(s < "help"))
    out.append(s.lstrip("h").rstrip("o").expandtabs(4))
    out.append(str(ord(s[0])) + chr(ord("a") + n % 26) + str(float(n)) + str(True) + str([1, 2]))
    return out


for v in strings("hello", 29):
    print(repr(v))
