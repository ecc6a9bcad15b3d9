"""``torch.utils.flop_counter``: how many floating point operations products, convolutions and attention of a program take, by module.

Gradients of convolutions are products of matrices here, so they are counted as such.
"""

import math
from collections import defaultdict

from .. import _rushlight
from .._namespaces import NAMESPACES
from ._python_dispatch import TorchDispatchMode

_aten = NAMESPACES["ops"].aten
# What the work of an operator is: a function of sizes, or of tensors where the registration says so.
flop_registry = {}


def _sizes(value):
    if isinstance(value, _rushlight.Tensor):
        return value.shape
    return tuple(map(_sizes, value)) if isinstance(value, (list, tuple)) else value


def register_flop_formula(targets, get_raw=False):
    """Remembers how much work an operator is: a function of the call's arguments, tensors as their sizes, and ``out_shape``
    (``out_val`` and tensors themselves where ``get_raw``)."""

    def register(formula):
        def by_sizes(*args, out_val=None, **kwargs):
            kwargs = {name: _sizes(value) for name, value in kwargs.items()}
            return formula(*map(_sizes, args), out_shape=_sizes(out_val), **kwargs)

        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[target] = formula if get_raw else by_sizes
        return formula

    return register


@register_flop_formula(_aten.mm)
def mm_flop(a_shape, b_shape, *args, out_shape=None, **kwargs):
    """The work of a product of matrices."""
    return 2 * a_shape[0] * a_shape[1] * b_shape[1]


@register_flop_formula(_aten.addmm)
def addmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """The work of a product of matrices that is added to."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(_aten.bmm)
def bmm_flop(a_shape, b_shape, out_shape=None, **kwargs):
    """The work of products of matrices in a batch."""
    return 2 * math.prod(a_shape) * b_shape[-1]


@register_flop_formula(_aten.baddbmm)
def baddbmm_flop(self_shape, a_shape, b_shape, out_shape=None, **kwargs):
    """The work of products of matrices in a batch that are added to."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape, w_shape, out_shape, transposed=False):
    """The work of a convolution: each place of the result (of the input, where transposed) meets each weight of its group."""
    places = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * math.prod(places) * math.prod(w_shape)


@register_flop_formula([_aten.convolution, _aten._convolution])
def conv_flop(x_shape, w_shape, _bias, _stride, _padding, _dilation, transposed, *args, out_shape=None, **kwargs):
    """The work of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@register_flop_formula(_aten._scaled_dot_product_flash_attention_for_cpu)
def sdpa_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs):
    """The work of attention: that of its two products."""
    heads, queries, width = math.prod(query_shape[:-2]), query_shape[-2], query_shape[-1]
    return 2 * heads * queries * key_shape[-2] * (width + value_shape[-1])


def _shown(count):
    """A count in thousands, millions or more, by how much it is."""
    suffixes = ("", "K", "M", "B", "T")
    index = max(0, min(len(suffixes) - 1, (len(str(count)) - 1) // 3))
    return index, suffixes


class _Modules:
    """Which modules a call is inside of, forwards and backwards."""

    def __init__(self):
        self.inside = ["Global"]
        self.names = {}
        self.handles = []

    def _name(self, module):
        if module not in self.names:
            root = type(module).__name__
            self.names[module] = root
            for name, part in module.named_modules():
                if name:
                    self.names.setdefault(part, f"{root}.{name}")
        return self.names[module]

    def _enter(self, name):
        if len(self.inside) == 1 or name not in self.inside:
            self.inside.append(name)

    def _leave(self, name):
        if name in self.inside:
            self.inside.remove(name)

    def _watch(self, values, do):
        from ..utils._pytree import tree_leaves

        for value in tree_leaves(values):
            if isinstance(value, _rushlight.Tensor) and value.requires_grad:
                self.handles.append(value.register_hook(lambda _: do()))

    def _clear_behind(self):
        from ..autograd import Variable

        Variable._execution_engine.queue_callback(lambda: self.inside.__setitem__(slice(None), ["Global"]))

    def before(self, module, args):
        name = self._name(module)
        self._enter(name)
        if _rushlight.is_grad_enabled():
            self._watch(args, lambda: self._leave(name))

    def behind(self, module, args, result):
        name = self._name(module)
        self._leave(name)

        def enter():
            if len(self.inside) == 1:
                self._clear_behind()
            self._enter(name)

        if _rushlight.is_grad_enabled():
            self._watch(result, enter)


class FlopCounterMode(TorchDispatchMode):
    """Counts the floating point operations of products, convolutions and attention inside of a ``with``, forwards and backwards,
    for each module by its path. ``depth`` is how deep modules are shown, ``display`` whether the table is printed at the end."""

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        super().__init__()
        self.depth, self.display = depth, display
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        custom = custom_mapping or {}
        self.flop_registry = {**flop_registry, **{k: v if getattr(v, "_get_raw", False) else _of_sizes(v) for k, v in custom.items()}}
        self._modules, self._hooks = None, []

    def get_total_flops(self):
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """What was counted, by module and operator."""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """What was counted as a table, modules down to a depth."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        index, suffixes = _shown(total)

        def rows_of(module, padding):
            counts = self.flop_counts[module]
            own = sum(counts.values())
            yield [padding + module, own]
            for operator, count in counts.items():
                yield [f"{padding} - {operator}", count]

        rows = []
        for module in sorted(self.flop_counts):
            if module != "Global" and module.count(".") + 1 <= depth:
                rows.extend(rows_of(module, " " * module.count(".")))
        is_all = any(sum(c.values()) == total for m, c in self.flop_counts.items() if m != "Global")
        if "Global" in self.flop_counts and not is_all:
            rows = [*rows_of("Global", ""), *([" " + name, count] for name, count in rows)]
        if not rows:
            rows = [["Global", 0]]

        def shown(count):
            return f"{count / 1000**index:.3f}{suffixes[index]}" if index else str(count)

        rows = [(name.strip(), shown(count), f"{100 * count / (total or 1):.2f}%") for name, count in rows]
        return _tabulated(("Module", "FLOP", "% Total"), rows)

    def __enter__(self):
        from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

        self.flop_counts.clear()
        self._modules = _Modules()
        self._hooks = [register_module_forward_pre_hook(self._modules.before), register_module_forward_hook(self._modules.behind)]
        return super().__enter__()

    def __exit__(self, *args):
        super().__exit__(*args)
        for handle in (*self._hooks, *self._modules.handles):
            handle.remove()
        if self.display:
            print(self.get_table(self.depth))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        packet = func._overloadpacket
        formula = self.flop_registry.get(packet)
        if formula is not None:
            count = formula(*args, **kwargs, out_val=result)
            for module in dict.fromkeys(self._modules.inside):
                self.flop_counts[module][packet] += count
        return result


def _of_sizes(formula):
    return lambda *args, out_val=None, **kwargs: formula(
        *map(_sizes, args), out_shape=_sizes(out_val), **{name: _sizes(value) for name, value in kwargs.items()}
    )


def _tabulated(head, rows):
    """Columns under their heads: the first from the left, numbers from the right."""
    widths = [max(len(head[i]) + 2, *(len(row[i]) for row in rows)) for i in range(len(head))]

    def line(cells):
        first, *numbers = cells
        return "  ".join([first.ljust(widths[0]), *(n.rjust(width) for n, width in zip(numbers, widths[1:]))])

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])
