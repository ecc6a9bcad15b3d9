"""What notebooks show in place of text: tensors as a small table, modules as a tree that folds, functions as their code.

Graphs show their picture (`_repr_svg_` of the extension). Jupyter asks for `_repr_html_`; None means that the text is shown.
"""

from . import _rushlight

# So many numbers from each end of a dimension; what lies between is left out.
_EDGE = 4
_STYLE = "border:1px solid #ccc;padding:2px 6px;text-align:right;font-family:monospace"
_GAP = "\u2026"


def _escaped(text):
    """Text as HTML has it. Python's own module is imported where something is shown: programs outside notebooks do without."""
    import html

    return html.escape(text)


def _shown(count):
    """The positions of a dimension that are shown; None stands for those that are left out."""
    if count <= 2 * _EDGE + 1:
        return list(range(count))
    return [*range(_EDGE), None, *range(count - _EDGE, count)]


def _number(value):
    if isinstance(value, (bool, int)):
        return str(value)
    return f"{value:.5g}"


def _cell(value):
    return f'<td style="{_STYLE}">{_escaped(_GAP if value is None else _number(value))}</td>'


def _corner(tensor):
    """The first matrix of a tensor as rows of numbers, without what lies between the ends; None for what is left out."""
    while tensor.dim() > 2:
        tensor = tensor[0]
    while tensor.dim() < 2:
        tensor = tensor.unsqueeze(0)
    rows, columns = _shown(tensor.shape[0]), _shown(tensor.shape[1])
    return [[None if r is None or c is None else tensor[r, c].item() for c in columns] for r in rows]


def tensor_html(tensor):
    """A tensor as a table of its first matrix under a line with shape and dtype; None where there are no numbers to show."""
    from .nn.parameter import Buffer, Parameter

    # What programs and transforms derive from tensors shows as its text.
    if type(tensor) not in (_rushlight.Tensor, Parameter, Buffer):
        return None
    facts = [f"shape {tuple(tensor.shape)}", str(tensor.dtype).removeprefix("torch.")]
    if tensor.device.type != "cpu":
        facts.append(str(tensor.device))
    if tensor.requires_grad:
        facts.append("requires grad")
    plain = tensor.detach()
    if plain.is_quantized:
        plain = plain.dequantize()
        facts.append("dequantized")
    head = _escaped(", ".join(facts))
    if tensor.is_meta or not tensor.numel():
        return f"<div><em>{type(tensor).__name__}</em> of {head}</div>"
    if plain.dim() > 2:
        head += f", here [{', '.join(['0'] * (plain.dim() - 2))}]"
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in _corner(plain))
    return f'<div><em>{type(tensor).__name__}</em> of {head}<table style="border-collapse:collapse">{rows}</table></div>'


def _is_lazy(tensor):
    """Whether a parameter waits for its first input to have a shape."""
    from .nn.parameter import is_lazy

    return is_lazy(tensor)


def _shape(tensor):
    return "not yet known" if _is_lazy(tensor) else _escaped(str(tuple(tensor.shape)))


def module_html(module, name=""):
    """A module as a tree that folds: the class, what it says of itself, its parameters, and its parts."""
    kind = getattr(module, "original_name", None) or module._get_name()
    own = [(label, value) for label, value in module.named_parameters(recurse=False)]
    own += [(label, value) for label, value in module.named_buffers(recurse=False)]
    known = [value for value in module.parameters() if not _is_lazy(value)]
    count = sum(value.numel() for value in known)
    title = f"<b>{_escaped(kind)}</b>" + (f" <code>{_escaped(name)}</code>" if name else "")
    said = module.extra_repr()
    if said and not said.startswith("original_name="):
        title += f" <code>{_escaped(said)}</code>"
    title += f' <span style="color:#888">{count:,} parameters</span>'
    inside = [
        f"<li><code>{_escaped(label)}</code> {_shape(value)} {_escaped(str(value.dtype).removeprefix('torch.'))}</li>"
        for label, value in own
    ]
    inside += [f"<li>{module_html(child, label)}</li>" for label, child in module.named_children()]
    if not inside:
        return f"<div>{title}</div>"
    opened = "" if name else ' open="open"'
    items = "".join(inside)
    return f'<details{opened}><summary>{title}</summary><ul style="list-style:none;margin:0">{items}</ul></details>'


def function_html(function):
    """A scripted function as its schema, with its code below it."""
    code = _escaped(function.code)
    return f'<details open="open"><summary><code>{_escaped(str(function.schema))}</code></summary><pre>{code}</pre></details>'


def install():
    """Gives the classes of the extension what notebooks ask for."""
    _rushlight.Tensor._repr_html_ = tensor_html
    _rushlight.ScriptFunction._repr_html_ = function_html
