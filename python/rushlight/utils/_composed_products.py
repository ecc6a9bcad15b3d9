"""Products of several tensors by the products of matrices that they are: sums over letters, contractions, chains, powers, attention."""

import math

from .. import _rushlight
from ._compositions import _bmm, _mm, _op, _permute, _reshape, _rule, _unsqueeze, _view

# Letters in the order in which sums are taken.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _letters_of(subscript, rank, most):
    """The letters of an operand; dimensions of an ellipsis are numbers, counted from the right."""
    if "..." not in subscript:
        return list(subscript) if len(subscript) == rank else None
    before, _, after = subscript.partition("...")
    hidden = rank - len(before) - len(after)
    if hidden < 0:
        return None
    most.append(hidden)
    return [*before, *range(-hidden, 0), *after]


def _parsed(equation, ranks):
    """The letters of the operands and of the result; None where the equation is not one of them."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks) or not set(left + right) <= set(_LETTERS + ",."):
        return None
    hidden = [0]
    operands = [_letters_of(part, rank, hidden) for part, rank in zip(parts, ranks)]
    if any(letters is None for letters in operands):
        return None
    dots = list(range(-max(hidden), 0))
    if arrow:
        before, ellipsis, after = right.partition("...")
        result = [*before, *(dots if ellipsis else []), *after]
    else:
        seen = [letter for letters in operands for letter in letters if isinstance(letter, str)]
        result = dots + [letter for letter in _LETTERS if seen.count(letter) == 1]
    known = {letter for letters in operands for letter in letters}
    if len(set(result)) != len(result) or not set(result) <= known | set(dots):
        return None
    return operands, result, known


def _without_repeats(x, letters):
    """An operand of which every letter is one dimension."""
    while len(set(letters)) != len(letters):
        second = next(i for i in range(len(letters)) if letters[i] in letters[:i])
        first = letters.index(letters[second])
        x = _op("diagonal")(x, 0, first, second)
        rest = [i for i in range(x.dim() - 1)]
        x = _permute(x, [*rest[:first], x.dim() - 1, *rest[first:]])
        letters = [letter for i, letter in enumerate(letters) if i != second]
    return x, letters


def _laid_out(x, letters, order):
    """An operand with a dimension for each letter, in their order."""
    places = {letter: i for i, letter in enumerate(letters)}
    for letter in order:
        if letter not in places:
            places[letter] = x.dim()
            x = _unsqueeze(x, x.dim())
    return _permute(x, [places[letter] for letter in order])


def _product_of_two(a, b, summed):
    """Two operands of the same letters multiplied, and summed over some of them, which stay as ones."""
    both, of_a, of_b, contracted = [], [], [], []
    for i, (m, n) in enumerate(zip(list(a.shape), list(b.shape))):
        if i in summed:
            if m != 1 and n != 1:
                contracted.append(i)
            elif m != 1:
                a = _op("sum", "dim_IntList")(a, [i], True)
            elif n != 1:
                b = _op("sum", "dim_IntList")(b, [i], True)
        if i not in contracted:
            (both if a.shape[i] != 1 and b.shape[i] != 1 else of_a if a.shape[i] != 1 else of_b).append(i)
    if not contracted:
        return _op("mul", "Tensor")(a, b)
    size = lambda x, dims: math.prod(x.shape[i] for i in dims)  # noqa: E731
    sizes = [a.shape[i] for i in [*both, *of_a]] + [1] * len(contracted) + [b.shape[i] for i in of_b]
    left = _reshape(_permute(a, [*both, *of_a, *contracted, *of_b]), [size(a, both), size(a, of_a), size(a, contracted)])
    right = _reshape(_permute(b, [*both, *contracted, *of_b, *of_a]), [size(b, both), size(b, contracted), size(b, of_b)])
    order = [*both, *of_a, *contracted, *of_b]
    return _permute(_view(_bmm(left, right), sizes), [order.index(i) for i in range(len(order))])


@_rule("einsum")
def _einsum(equation, tensors, path):
    parsed = _parsed(equation, [x.dim() for x in tensors]) if path is None else None
    if parsed is None or not all(x.numel() for x in tensors):
        return NotImplemented
    operands, result, known = parsed
    sizes = {}
    for x, letters in zip(tensors, operands):
        for letter, n in zip(letters, x.shape):
            if sizes.setdefault(letter, n) != n:
                if 1 not in (n, sizes[letter]):
                    return NotImplemented
                sizes[letter] = max(n, sizes[letter])
        if any(x.shape[i] != x.shape[letters.index(letter)] for i, letter in enumerate(letters)):
            return NotImplemented
    order = result + [n for n in sorted(n for n in known if isinstance(n, int)) if n not in result]
    order += [letter for letter in _LETTERS if letter in known and letter not in result]
    last = {}
    for i, letters in enumerate(operands):
        for letter in letters:
            last[letter] = i
    laid = [_laid_out(*_without_repeats(x, letters), order) for x, letters in zip(tensors, operands)]
    summed = [[i for i, letter in enumerate(order) if letter not in result and last[letter] == at] for at in range(len(laid))]
    total = laid[0]
    if summed[0]:
        total = _op("sum", "dim_IntList")(total, summed[0], len(laid) > 1)
    for x, dims in zip(laid[1:], summed[1:]):
        total = _product_of_two(total, x, dims)
    if len(laid) > 1 and len(order) > len(result):
        total = _view(total, list(total.shape)[: len(result)])
    return total


@_rule("tensordot")
def _tensordot(a, b, dims_a, dims_b):
    of_a, of_b = [d % max(a.dim(), 1) for d in dims_a], [d % max(b.dim(), 1) for d in dims_b]
    if len(of_a) != len(of_b) or any(a.shape[i] != b.shape[j] for i, j in zip(of_a, of_b)) or not a.numel() or not b.numel():
        return NotImplemented
    left, right = ([i for i in range(x.dim()) if i not in dims] for x, dims in ((a, of_a), (b, of_b)))
    sizes = [a.shape[i] for i in left], [b.shape[i] for i in right]
    count = math.prod(a.shape[i] for i in of_a)
    first = _reshape(_permute(a, [*left, *of_a]), [math.prod(sizes[0]), count])
    second = _reshape(_permute(b, [*of_b, *right]), [count, math.prod(sizes[1])])
    return _reshape(_mm(first, second), [*sizes[0], *sizes[1]])


def _cheapest(sizes):
    """Where to split each part of a chain of matrices, so that the least is multiplied."""
    count = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], split[i, j] = min(options)
    return split


@_rule("linalg_multi_dot", "chain_matmul")
def _multi_dot(tensors):
    if len(tensors) < 2 or any(x.dim() != 2 for x in tensors[1:-1]) or any(x.dim() not in (1, 2) for x in tensors):
        return NotImplemented
    chain = list(tensors)
    sizes = []
    if chain[0].dim() == 1:
        chain[0] = _unsqueeze(chain[0], 0)
    else:
        sizes.append(chain[0].shape[0])
    if chain[-1].dim() == 1:
        chain[-1] = _unsqueeze(chain[-1], -1)
    else:
        sizes.append(chain[-1].shape[1])
    if any(a.shape[1] != b.shape[0] for a, b in zip(chain, chain[1:])) or not all(x.numel() for x in chain):
        return NotImplemented
    split = _cheapest([chain[0].shape[0], *(x.shape[1] for x in chain)])

    def product(i, j):
        return chain[i] if i == j else _mm(product(i, split[i, j]), product(split[i, j] + 1, j))

    return _view(product(0, len(chain) - 1), sizes)


@_rule("matrix_power", "linalg_matrix_power")
def _matrix_power(x, n):
    if x.dim() < 2 or x.shape[-1] != x.shape[-2] or n < 2:
        return NotImplemented
    times = _op("matmul")
    if n == 3:
        return times(times(x, x), x)
    result, power = None, x
    while True:
        if n & 1:
            result = power if result is None else times(result, power)
        n >>= 1
        if not n:
            return result
        power = times(power, power)


@_rule("inner")
def _inner(a, b):
    if not a.dim() or not b.dim() or a.shape[-1] != b.shape[-1]:
        return NotImplemented
    return _op("tensordot")(a, b, [-1], [-1]) if a.dim() > 1 or b.dim() > 1 else _op("dot")(a, b)


def _as_number(mask, dtype):
    """A mask of what may be seen as what is added to scores."""
    if mask is None or mask.dtype is not _rushlight.dtype_named("bool"):
        return mask
    one = lambda value: _op("scalar_tensor")(value, dtype=dtype)  # noqa: E731
    low = one(-math.inf)
    return _op("where", "self")(mask, one(0.0), low)


def _attention_by_products(query, key, value, mask, p, causal, scale):
    scale = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    scaled = _op("mul", "Scalar")
    query = scaled(query, scale)
    if causal:
        seen = _op("tril")(_op("ones")([query.shape[-2], key.shape[-2]], dtype=_rushlight.dtype_named("bool")))
        mask = _as_number(seen, query.dtype)
    scores = _op("matmul")(query, scaled(_op("transpose", "int")(key, -2, -1), scale))
    if mask is not None:
        scores = _op("add", "Tensor")(scores, mask)
    weights = _op("_safe_softmax")(scores, -1)
    return _op("matmul")(_op("dropout")(weights, p, True) if p else weights, value)


@_rule("scaled_dot_product_attention")
def _attention(query, key, value, mask, p, causal, scale, gqa):
    ranks = {query.dim(), key.dim(), value.dim()}
    if gqa or len(ranks) != 1 or not ranks <= {2, 3, 4} or (mask is not None and causal) or query.shape[-1] != key.shape[-1]:
        return NotImplemented
    rank = ranks.pop()
    if rank == 2:
        return _attention_by_products(query, key, value, _as_number(mask, query.dtype), p, causal, scale)
    if rank == 3:
        query, key, value = _unsqueeze(query, 0), _unsqueeze(key, 0), _unsqueeze(value, 0)
        if mask is not None:
            mask = _unsqueeze(mask if mask.dim() == 3 else _unsqueeze(mask, 0), 0)
    mask = _as_number(mask, query.dtype)
    if mask is not None:
        whole = [*query.shape[:3], key.shape[2]]
        if mask.dim() not in (2, 4) or any(n not in (1, m) for n, m in zip(mask.shape[::-1], whole[::-1])):
            return NotImplemented
    if p or (mask is not None and (mask.requires_grad or key.shape[2] == 0)):
        result = _attention_by_products(query, key, value, mask, p, causal, scale)
    elif mask is None:
        result = _op("_scaled_dot_product_flash_attention_for_cpu")(query, key, value, 0.0, causal, scale=scale)[0]
    else:
        result = _op("_scaled_dot_product_flash_attention_for_cpu")(query, key, value, 0.0, False, attn_mask=mask, scale=scale)[0]
    return _op("squeeze", "dim")(result, 0) if rank == 3 else result
