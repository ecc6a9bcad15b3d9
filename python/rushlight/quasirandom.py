"""``torch.quasirandom``: points that fill a cube evenly.

The sequence is Sobol's (USSR Comput. Maths. Math. Phys. 7, 1967) in the order of Antonov and Saleev, from the direction numbers that S. Joe
and F. Y. Kuo published (SIAM J. Sci. Comput. 30, 2635, 2008); scrambling is by random triangular matrices and shifts (J. Matousek,
J. Complexity 14, 527, 1998).
"""

import functools

import rushlight as torch

from . import _sobol_numbers


class SobolEngine:
    """Sobol's sequence, in up to 1111 dimensions here.

    Args:
        dimension: of the points.
        scramble: mix the points at random, which keeps them even.
        seed: where the random numbers for that start; without one the default stream gives them.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        if dimension > _sobol_numbers.DIMENSIONS:
            raise NotImplementedError(f"SobolEngine has {_sobol_numbers.DIMENSIONS} dimensions in Rushlight, not {dimension}")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = torch.tensor([_directions(d) for d in range(dimension)], dtype=torch.long)
        self.shift = torch.zeros(dimension, dtype=torch.long)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def _scramble(self):
        stream = None if self.seed is None else torch.Generator().manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        powers = 2 ** torch.arange(self.MAXBIT)
        self.shift = (torch.randint(2, size, generator=stream) * powers).sum(1)
        matrices = torch.randint(2, (*size, self.MAXBIT), generator=stream).tril()
        matrices.diagonal(dim1=1, dim2=2).fill_(1)
        # Digits of the directions, the highest first, times the matrices.
        places = powers.flip(0)
        digits = (self.sobolstate.unsqueeze(2) // places) % 2
        mixed = (digits.unsqueeze(2) * matrices.unsqueeze(1)).sum(3) % 2
        self.sobolstate = (mixed * places).sum(2)

    def draw(self, n=1, out=None, dtype=None):
        """The next ``n`` points, in rows.

        Args:
            n: how many.
            out: the tensor for them.
            dtype: of the points; the default type without.
        """
        dtype = torch.get_default_dtype() if dtype is None else dtype
        first = self.num_generated == 0
        if first and n == 1:
            result = self._first_point.to(dtype)
        else:
            _check_count(n - first)
            if dtype not in (torch.float32, torch.float64):
                raise NotImplementedError(f"\"_sobol_engine_draw\" not implemented for '{_name_of(dtype)}'")
            points = self._points(range(max(self.num_generated, 1), self.num_generated + n))
            result = points.to(dtype) / 2**self.MAXBIT
            if len(points):
                self.quasi = points[-1].clone()
            if first:
                result = torch.cat((self._first_point.to(dtype), result))
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m, out=None, dtype=None):
        """The next ``2**m`` points; together with those before they have to be a power of two.

        Raises:
            ValueError: if they are not.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """Goes back to the first point."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Leaves out ``n`` points."""
        if n == 0:
            return self
        _check_count(n - (self.num_generated == 0))
        self.num_generated += n
        self.quasi = self._points([self.num_generated - 1])[0]
        return self

    def _points(self, numbers):
        """The points of these numbers as integers: the directions that the digits of their Gray codes name, together."""
        numbers = torch.tensor(list(numbers), dtype=torch.long)
        codes = numbers ^ (numbers >> 1)
        points = self.shift.repeat(len(numbers), 1)
        for digit in range(int(codes.max()).bit_length() if len(numbers) else 0):
            points ^= ((codes >> digit) & 1).unsqueeze(1) * self.sobolstate[:, digit]
        return points

    def __repr__(self):
        scramble = ", scramble=True" if self.scramble else ""
        seed = "" if self.seed is None else f", seed={self.seed}"
        return f"{type(self).__name__}(dimension={self.dimension}{scramble}{seed})"


def _check_count(n):
    if n < 0:
        raise ValueError(f"n must be non-negative, but got {n}")


def _name_of(dtype):
    return torch.empty(0, dtype=dtype).type().removeprefix("torch.").removesuffix("Tensor")


@functools.lru_cache(maxsize=None)
def _directions(dimension):
    """The directions of a dimension: binary fractions of ``MAXBIT`` digits, as integers."""
    polynomial, found = _sobol_numbers.start(dimension)
    degree = len(found)
    for place in range(degree, SobolEngine.MAXBIT):
        number = found[place - degree]
        for step in range(1, degree + 1):
            if polynomial >> (degree - step) & 1:
                number ^= found[place - step] << step
        found.append(number)
    return tuple(number << (SobolEngine.MAXBIT - 1 - place) for place, number in enumerate(found[: SobolEngine.MAXBIT]))
