"""Derivatives of functions: ``grad``, ``vjp``, ``jvp``, Jacobians.

They rest on the record of gradients. Inside ``vmap`` the record is of all samples, and a tensor that is differentiated gets a
copy for each sample first, so that gradients are those of single samples. Derivatives in a direction (``jvp``, ``linearize``)
differentiate the product on the other side a second time. A Jacobian is as many runs backwards as the results have elements.
"""

import math
import sys

from .. import _rushlight
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten, treespec_pprint
from . import _levels, _shown  # noqa: F401  what prints inside of transforms
from ._batched import Batched, batched_at, canonical, from_canonical, plainest, sample
from ._dispatch import stack_results

Tensor = _rushlight.Tensor


class _Watched:
    """The leaves that a function is differentiated by: what it is called with, and the plain tensors to differentiate by."""

    def __init__(self, tensors, kind):
        self.levels = _levels.batches()
        self.kind = kind
        # Where nothing is ever recorded, a transform records all the same.
        inference = _rushlight.is_inference_mode()
        if inference:
            _rushlight.set_inference_mode(False)
            try:
                tensors = [t.clone() for t in tensors]
            finally:
                _rushlight.set_inference_mode(True)
        # Whether what surrounds the transform wants derivatives of its results.
        self.outer = _rushlight.is_grad_enabled()
        self.plain = []
        for tensor in tensors:
            value = canonical(tensor, self.levels)
            if not (value.is_floating_point() or value.is_complex()):
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            if self.outer and value.requires_grad:
                self.plain.append(value.view_as(value))
            else:
                self.plain.append(value.detach().requires_grad_())
        self.own = [p for p in self.plain if p.is_leaf]
        self.connected = self.outer and len(self.own) < len(self.plain)
        self.tensors = [from_canonical(p, self.levels) for p in self.plain]

    def run(self, func, args, kwargs):
        """Calls the function, its record switched on."""
        inference = _rushlight.is_inference_mode()
        _rushlight.set_inference_mode(False)
        before = _rushlight.set_grad_enabled(True)
        try:
            with _levels.entered(self.kind) as level:
                level.watched = self
                return func(*args, **kwargs)
        finally:
            _rushlight.set_grad_enabled(before)
            _rushlight.set_inference_mode(inference)

    def see(self, outputs):
        """Finds out whether results depend on tensors outside that derivatives are wanted by."""
        if self.outer and not self.connected:
            self.connected = _reaches_others(outputs, self.own)

    def gradients(self, outputs, seeds, create=False, retain=True):
        """The gradients of plain outputs by the watched tensors; None for those that have no part."""
        pairs = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
        if not pairs:
            return [None] * len(self.plain)
        create = create or self.connected
        return _rushlight.run_gradients(
            [o for o, _ in pairs], [s for _, s in pairs], self.plain, accumulate=False, retain=retain or create,
            create_graph=create, allow_unused=True,
        )

    def released(self, tensor):
        """A result as the surroundings see it: without the record of this transform unless it leads to theirs."""
        if not isinstance(tensor, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(tensor)}")
        if self.connected or not tensor.requires_grad:
            return tensor
        return tensor.detach()

    def results(self, found, connected=None):
        """Gradients as the surroundings see them: zeros where there are none."""
        out = []
        for gradient, plain in zip(found, self.plain):
            if gradient is None:
                gradient = plain.detach().new_zeros(plain.shape)
            elif not (self.connected if connected is None else connected):
                gradient = gradient.detach()
            out.append(from_canonical(gradient, self.levels))
        return out


def _reaches_others(outputs, own):
    """Whether the record of outputs leads to a leaf that is none of our own."""
    if not any(output.requires_grad for output in outputs):
        return False
    before = _rushlight.set_grad_enabled(True)
    try:
        return _walk(outputs, own)
    finally:
        _rushlight.set_grad_enabled(before)


def _walk(outputs, own):
    # Where the record begins at our own leaves: looking stops there.
    seen, stack = {leaf.view_as(leaf).grad_fn.next_functions[0][0] for leaf in own}, []
    for output in outputs:
        if not output.requires_grad:
            continue
        if output.is_leaf:
            if not any(output is o or output._same(o) for o in own):
                return True
            continue
        stack.append(output.grad_fn)
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        following = node.next_functions
        if not following and node.name().endswith("AccumulateGrad"):
            return True
        stack.extend(n for n, _ in following if n is not None)
    return False


# What a call says that goes wrong.


def _check_argnums(argnums, count):
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, tuple):
        if not argnums:
            raise RuntimeError("argnums must be non-empty")
        if len(set(argnums)) != len(argnums):
            raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    for number in numbers:
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")


def _slice_argnums(args, argnums, as_tuple=True):
    _check_argnums(argnums, len(args))
    if isinstance(argnums, int):
        return (args[argnums],) if as_tuple else args[argnums]
    return tuple(args[i] for i in argnums)


def _replace_args(old_args, new_args, argnums):
    args = list(old_args)
    if isinstance(argnums, int):
        if len(new_args) != 1:
            raise RuntimeError(f"new_args should be of size 1, was of size {len(new_args)}")
        args[argnums] = new_args[0]
    else:
        for number, arg in zip(argnums, new_args):
            args[number] = arg
    return tuple(args)


def _check_unique_non_empty(argnums):
    if isinstance(argnums, tuple):
        if not argnums:
            raise RuntimeError("argnums must be non-empty")
        if len(set(argnums)) != len(argnums):
            raise RuntimeError(f"argnums elements must be unique, got {argnums}")


def _pair(output, name):
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def _not_empty(flat, where):
    if not flat or flat == [None]:
        raise RuntimeError(f"{where}: Expected f to be a function that has non-empty output (got output = {flat})")


def _differentiable(leaves):
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")


def _check_primals(leaves):
    for primal in leaves:
        if not (primal.is_floating_point() or primal.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")


# Gradients.


def grad_and_value_impl(func, argnums, has_aux, args, kwargs):
    """The gradient of a function of one number, and the number."""
    chosen = _slice_argnums(args, argnums, as_tuple=False)
    leaves, spec = tree_flatten(chosen)
    _differentiable(leaves)
    watched = _Watched(leaves, "grad")
    given = tree_unflatten(watched.tensors, spec)
    replaced = _replace_args(args, (given,) if isinstance(argnums, int) else given, argnums)
    output = watched.run(func, replaced, kwargs)
    aux = None
    if has_aux:
        output, aux = _pair(output, "grad_and_value(f)(*args)")
    if not isinstance(output, Tensor):
        raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
    if output.dim() != 0:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )
    plain = canonical(output, watched.levels)
    if plain.is_complex() and plain.requires_grad:
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {plain.dtype}")
    watched.see([plain])
    found = watched.gradients([plain], [plain.detach().new_ones(plain.shape)], retain=has_aux)
    gradient = tree_unflatten(watched.results(found), spec)
    value = watched.released(output)
    if not has_aux:
        return gradient, value
    return gradient, (value, tree_map(watched.released, aux))


def grad_impl(func, argnums, has_aux, args, kwargs):
    """The gradient of a function of one number."""
    gradient, value = grad_and_value_impl(func, argnums, has_aux, args, kwargs)
    return (gradient, value[1]) if has_aux else gradient


def _of_sample(tensors, level, index):
    return [sample(t, index) if batched_at(t, level) else t for t in tensors]


class _Pullback:
    """The function that :func:`vjp` returns."""

    def __init__(self, watched, in_spec, outputs, out_spec):
        self.watched = watched
        self.in_spec = in_spec
        self.outputs = [canonical(o, watched.levels) for o in outputs]
        self.shapes = [o.shape for o in outputs]
        self.out_spec = out_spec

    def __call__(self, cotangents, retain_graph=True, create_graph=None):
        flat, spec = tree_flatten(cotangents)
        _differentiable(flat)
        if spec != self.out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {treespec_pprint(spec)}, primal output: {treespec_pprint(self.out_spec)}"
            )
        for i, (seed, shape) in enumerate(zip(flat, self.shapes)):
            if seed.shape != shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {seed.shape} and output[{i}] has a shape of {shape}.")
        return tree_unflatten(self.run(flat, create_graph), self.in_spec)

    def run(self, seeds, create_graph=None):
        """The gradients for the seeds of the outputs, which may be of more samples than the record."""
        watched = self.watched
        extra = [level for level in _levels.batches() if level not in watched.levels]
        for level in reversed(extra):
            if any(batched_at(s, level) for s in seeds):
                rows = [self.run(_of_sample(seeds, level, i), create_graph) for i in range(level.batch_size)]
                return list(stack_results(rows, level))
        plain = [canonical(s, watched.levels).to(o.dtype) for s, o in zip(seeds, self.outputs)]
        wanted = _rushlight.is_grad_enabled() if create_graph is None else create_graph
        create = wanted and (watched.connected or any(s.requires_grad for s in plain))
        found = watched.gradients(self.outputs, plain, create=create)
        return watched.results(found, connected=create)


def _vjp(func, primals, has_aux, name="vjp(f, *primals)", kind="grad"):
    leaves, spec = tree_flatten(primals)
    _differentiable(leaves)
    watched = _Watched(leaves, kind)
    output = watched.run(func, tree_unflatten(watched.tensors, spec), {})
    aux = None
    if has_aux:
        output, aux = _pair(output, name)
    flat, out_spec = tree_flatten(output)
    _not_empty(flat, name)
    for leaf in flat:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
        if name.startswith("vjp") and not (leaf.dtype.is_floating_point or leaf.dtype.is_complex):
            raise RuntimeError(f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {leaf.dtype}")
    pullback = _Pullback(watched, spec, flat, out_spec)
    watched.see(pullback.outputs)
    released = tree_unflatten([watched.released(o) for o in flat], out_spec)
    return released, pullback, (tree_map(watched.released, aux) if has_aux else None)


def vjp(func, *primals, has_aux=False):
    """The results of a function, and a function from gradients of these to gradients of its arguments.

    Called under an inner ``vmap``, that function runs backwards once for each sample.
    """
    output, pullback, aux = _vjp(func, primals, has_aux)

    def vjp_fn(*cotangents, retain_graph=True, create_graph=None):
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        return pullback(given, retain_graph, create_graph)

    return (output, vjp_fn, aux) if has_aux else (output, vjp_fn)


# Derivatives in a direction.


# So many elements of results at most are gone through one by one where a second derivative is missing.
_FEW = 4096


class _Pushforward:
    """The derivatives of outputs in directions of the inputs, from what was recorded once."""

    def __init__(self, watched, outputs):
        self.watched = watched
        self.outputs = outputs
        self.plain = [canonical(o, watched.levels) for o in outputs]
        before = _rushlight.set_grad_enabled(True)
        try:
            self.seeds = [p.detach().new_zeros(p.shape).requires_grad_() if p.requires_grad else None for p in self.plain]
            known = [(p, s) for p, s in zip(self.plain, self.seeds) if s is not None]
            self.products = [None] * len(watched.plain)
            if known:
                self.products = _rushlight.run_gradients(
                    [p for p, _ in known], [s for _, s in known], watched.plain, accumulate=False, retain=True, create_graph=True,
                    allow_unused=True,
                )
        finally:
            _rushlight.set_grad_enabled(before)

    def by_elements(self, given, create):
        """The tangents of the outputs one element after the other, by running backwards for each."""
        watched, out = self.watched, []
        for plain, seed in zip(self.plain, self.seeds):
            if seed is None:
                continue
            values = []
            for element in range(plain.numel()):
                one = plain.detach().new_zeros(plain.shape)
                one.reshape(-1)[element] = 1
                rows = watched.gradients([plain], [one], create=create)
                parts = [(row * tangent).sum() for row, tangent in zip(rows, given) if row is not None]
                values.append(sum(parts) if parts else plain.detach().new_zeros(()))
            import rushlight

            out.append(rushlight.stack(values).reshape(plain.shape) if values else plain.detach().new_zeros(plain.shape))
        return out

    def run(self, tangents):
        """The tangents of the outputs for those of the inputs, which may be of more samples than the record."""
        watched = self.watched
        extra = [level for level in _levels.batches() if level not in watched.levels]
        for level in reversed(extra):
            if any(batched_at(t, level) for t in tangents):
                rows = [self.run(_of_sample(tangents, level, i)) for i in range(level.batch_size)]
                return list(stack_results(rows, level))
        given = [canonical(t, watched.levels) for t in tangents]
        products = self.products or [None] * len(given)
        pairs = [(p, g) for p, g in zip(products, given) if p is not None and p.requires_grad]
        wanted = [s for s in self.seeds if s is not None]
        create = watched.outer and (watched.connected or any(g.requires_grad for g in given))
        found = [None] * len(wanted)
        if self.products is None:
            found = self.by_elements(given, create)
        elif pairs and wanted:
            try:
                found = _rushlight.run_gradients(
                    [p for p, _ in pairs], [g.to(p.dtype) for p, g in pairs], wanted, accumulate=False, retain=True, create_graph=create,
                    allow_unused=True,
                )
            except RuntimeError:
                # An operator on the way has no second derivative.
                if watched.levels or sum(s.numel() for s in wanted) > _FEW:
                    raise
                self.products = None
                found = self.by_elements(given, create)
        known = iter(found)
        out = []
        for plain, seed in zip(self.plain, self.seeds):
            tangent = next(known) if seed is not None else None
            if tangent is None:
                tangent = plain.detach().new_zeros(plain.shape)
            out.append(from_canonical(tangent if create else tangent.detach(), watched.levels))
        return out


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """The results of a function, and their derivative in a direction.

    Args:
        primals: the arguments, in a tuple.
        tangents: the direction, in the same form.
        strict: refuse functions whose results do not depend on the arguments.
        has_aux: ``func`` returns a pair, of which the second part is handed on.
    """
    return _jvp(func, primals, tangents, None, strict, has_aux)


def _jvp(func, primals, tangents, argnums, strict, has_aux):
    where = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{where}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    chosen = primals if argnums is None else _slice_argnums(primals, argnums)
    leaves, spec = tree_flatten(chosen)
    flat_tangents, tangents_spec = tree_flatten(tangents)
    if spec != tangents_spec:
        raise RuntimeError(
            f"{where}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
            f"tensors, tangents also must be. Got primals with structure {spec} and tangents with structure {tangents_spec}"
        )
    for name, flat in (("primals", leaves), ("tangents", flat_tangents)):
        if not flat:
            raise RuntimeError(f"{where}: Expected {name} to contain at least one Tensor.")
        for leaf in flat:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"{where}: Expected {name} to only contain Tensors, got {type(leaf)}")
    for primal, tangent in zip(leaves, flat_tangents):
        if primal.shape != tangent.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                f"Tensor is of size {list(primal.shape)} while the given forward gradient is of size {list(tangent.shape)}."
            )
    _check_primals(leaves)
    watched = _Watched(leaves, "jvp")
    watched.connected = watched.connected or watched.outer and any(plainest(t).requires_grad for t in flat_tangents)
    given = tree_unflatten(watched.tensors, spec)
    output = watched.run(func, given if argnums is None else _replace_args(primals, given, argnums), {})
    aux = None
    if has_aux:
        output, aux = _pair(output, where)
    flat, out_spec = tree_flatten(output)
    _not_empty(flat, where)
    for leaf in flat:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{where}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
    if strict and any(not plainest(o).requires_grad for o in flat):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with strict=True."
        )
    watched.see([canonical(o, watched.levels) for o in flat])
    found = _Pushforward(watched, flat).run(flat_tangents)
    result = tree_unflatten([watched.released(o) for o in flat], out_spec), tree_unflatten(found, out_spec)
    return (*result, tree_map(watched.released, aux)) if has_aux else result


def linearize(func, *primals):
    """The results of a function, and a function from directions to derivatives there; ``func`` is called once."""
    leaves, spec = tree_flatten(primals)
    _differentiable(leaves)
    watched = _Watched(leaves, "jvp")
    output = watched.run(func, tree_unflatten(watched.tensors, spec), {})
    flat, out_spec = tree_flatten(output)
    for leaf in flat:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"linearize(f, *primals): expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
    watched.see([canonical(o, watched.levels) for o in flat])
    forward = _Pushforward(watched, flat)

    def jvp_fn(*tangents):
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}")
        for i, (tangent, primal) in enumerate(zip(given, leaves)):
            if tangent.shape != primal.shape:
                raise RuntimeError(
                    f"tangent:{i} with shape {tangent.shape} in flattened pytree doesn't match the shape {primal.shape} of the "
                    "corresponding primal."
                )
            if tangent.device != primal.device:
                raise RuntimeError(
                    f"tangent:{i} with device {tangent.device} in flattened pytree doesn't match the device {primal.device} of the "
                    "corresponding primal."
                )
            if tangent.dtype != primal.dtype:
                raise RuntimeError(
                    f"tangent:{i} with dtype {tangent.dtype} in flattened pytree doesn't match the dtype {primal.dtype} of the "
                    "corresponding primal."
                )
        return tree_unflatten(forward.run(given), out_spec)

    return tree_unflatten([watched.released(o) for o in flat], out_spec), jvp_fn


class Recorded(_Watched):
    """What was recorded between seeds and one tensor, outside of any transform."""

    def __init__(self, seeds, tensor):
        self.levels, self.outer, self.plain, self.own = [], True, list(seeds), list(seeds)
        self.connected = _reaches_others([tensor], self.own)
        self.forward = _Pushforward(self, [tensor])
        # Whether the tensor depends on any of the seeds.
        self.depends = any(product is not None for product in self.forward.products)


# Jacobians.


def _one_hots(pullback):
    """For each output, the seeds of its elements one by one: lists of seeds for all outputs."""
    watched = pullback.watched
    for number, (plain, shape) in enumerate(zip(pullback.outputs, pullback.shapes)):
        count = math.prod(shape)
        for element in range(count):
            seeds = []
            for other, value in enumerate(pullback.outputs):
                seed = value.detach().new_zeros(value.shape)
                if other == number:
                    seed.reshape(*[level.batch_size for level in watched.levels], -1)[..., element] = 1
                seeds.append(from_canonical(seed, watched.levels))
            yield number, seeds


def _jacobian(pullback, create=None):
    """For each output the derivatives by each input: a list of lists of tensors."""
    import rushlight

    watched = pullback.watched
    rows = [[[] for _ in watched.plain] for _ in pullback.outputs]
    for number, seeds in _one_hots(pullback):
        for column, gradient in zip(rows[number], pullback.run(seeds, create)):
            column.append(gradient)
    table = []
    for shape, columns in zip(pullback.shapes, rows):
        line = []
        for column, tensor in zip(columns, watched.tensors):
            if column:
                line.append(rushlight.stack(column).reshape((*shape, *tensor.shape)))
            else:
                line.append(tensor.detach().new_zeros([*shape, *tensor.shape]))
        table.append(line)
    return table


def _arranged(table, in_spec, out_spec, argnums):
    """The table of derivatives in the form of the results, each in that of the arguments."""
    lines = [tree_unflatten(line, in_spec) for line in table]
    if isinstance(argnums, int):
        lines = [line[0] for line in lines]
    return tree_unflatten(lines, out_spec)


def _jacobian_of(func, argnums, has_aux, args, kwargs, name):
    _check_unique_non_empty(argnums)
    chosen = _slice_argnums(args, argnums)
    output, pullback, aux = _vjp(
        lambda *given: func(*_replace_args(args, given, argnums), **kwargs), chosen, has_aux, name=name
    )
    found = _arranged(_jacobian(pullback), pullback.in_spec, pullback.out_spec, argnums)
    return (found, aux) if has_aux else found


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives the Jacobian of ``func``: sizes of the results, then of the arguments.

    It runs backwards once for each element of the results, so that ``chunk_size`` has no effect on memory.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def wrapper_fn(*args, **kwargs):
        return _jacobian_of(func, argnums, has_aux, args, kwargs, "vjp(f, *primals)")

    from .apis import _as

    return _as(wrapper_fn, func)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives the Jacobian of ``func``, as :func:`jacrev`: here too with runs backwards, as many as the smaller of
    the numbers of elements of arguments and results."""

    def wrapper_fn(*args, **kwargs):
        with_random = _Randomness(func, randomness)
        chosen = _slice_argnums(args, argnums)
        leaves, spec = tree_flatten(chosen)
        _differentiable(leaves)
        _check_primals(leaves)
        output, pullback, aux = _vjp(
            lambda *given: with_random(*_replace_args(args, given, argnums), **kwargs), chosen, has_aux, name="jvp(f, primals, tangents)",
            kind="jacfwd",
        )
        watched = pullback.watched
        inputs = sum(math.prod(leaf.shape) for leaf in leaves)
        outputs = sum(math.prod(shape) for shape in pullback.shapes)
        table = None
        if inputs <= outputs:
            table = _by_directions(watched, pullback, leaves)
        if table is None:
            table = _jacobian(pullback)
        found = _arranged(table, pullback.in_spec, pullback.out_spec, argnums)
        return (found, aux) if has_aux else found

    from .apis import _as

    return _as(wrapper_fn, func)


def _by_directions(watched, pullback, leaves):
    """The table of derivatives, one direction of the arguments after the other; None where second derivatives are missing."""
    import rushlight

    flat = [from_canonical(o, watched.levels) for o in pullback.outputs]
    try:
        forward = _Pushforward(watched, flat)
        columns = []
        for number, leaf in enumerate(leaves):
            count = math.prod(leaf.shape)
            found = []
            for element in range(count):
                directions = []
                for other, tensor in enumerate(watched.plain):
                    direction = tensor.detach().new_zeros(tensor.shape)
                    if other == number:
                        direction.reshape(*[level.batch_size for level in watched.levels], -1)[..., element] = 1
                    directions.append(from_canonical(direction, watched.levels))
                found.append(forward.run(directions))
            columns.append(found)
    except RuntimeError:
        return None
    table = []
    for number, shape in enumerate(pullback.shapes):
        line = []
        for found, leaf in zip(columns, leaves):
            line.append(rushlight.stack([f[number] for f in found], -1).reshape((*shape, *leaf.shape)))
        table.append(line)
    return table


class _Randomness:
    """A function in which random operators are refused unless they are allowed."""

    def __init__(self, func, randomness):
        from .apis import _check_randomness_arg

        _check_randomness_arg(randomness)
        self.func = func
        self.randomness = randomness

    def __call__(self, *args, **kwargs):
        if self.randomness != "error":
            return self.func(*args, **kwargs)
        from ._interpose import interposed

        with interposed(), _levels.entered("directions", randomness="error"):
            return self.func(*args, **kwargs)


def hessian(func, argnums=0):
    """A function that gives the second derivatives of ``func``."""
    return jacfwd(jacrev(func, argnums), argnums)


def functionalize(func, *, remove="mutations"):
    """The function without effects inside: modes that see operators, such as that of ``make_fx``, see none that write in place.

    Args:
        func: the function. What it writes into its arguments is written at its end.
        remove: ``"mutations"``, or ``"mutations_and_views"`` for copies in the place of views.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with their "
            "non-aliasing counterparts, {view}_copy.\n"
        )
    import functools

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        dispatching = sys.modules.get("rushlight.utils._python_dispatch")
        if dispatching is None or not dispatching._thread.modes:
            return func(*args, **kwargs)
        from .functionalization import Functional

        mode = Functional(remove == "mutations_and_views")
        with mode:
            result = func(*args, **kwargs)
        result = mode.value_of(result)
        mode.finish(tree_flatten((args, kwargs))[0])
        return result

    return wrapped


def debug_unwrap(tensor, *, recurse=True):
    """What stands behind a tensor inside a transform: the tensor of all samples."""
    if type(tensor) is not Batched:
        return tensor.detach() if _levels.current() and tensor.requires_grad else tensor
    return plainest(tensor) if recurse else tensor.value
