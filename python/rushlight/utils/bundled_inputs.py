"""``torch.utils.bundled_inputs``: example inputs that travel with a scripted module, behind methods that give them."""

import io
import itertools
import re
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import rushlight as torch

from .. import _resolve, _rushlight
from ..jit._load import load_quietly
from ..jit._script_module import wrap

__all__ = [
    "MAX_RAW_TENSOR_SIZE", "InflatableArg", "augment_many_model_functions_with_bundled_inputs", "augment_model_with_bundled_inputs",
    "bundle_inputs", "bundle_large_tensor", "bundle_randn",
]

# Tensors of more elements are not kept as they are.
MAX_RAW_TENSOR_SIZE = 16


class InflatableArg(NamedTuple):
    """An argument that is made when it is asked for.

    Attributes:
        value: what is kept.
        fmt: the expression that makes the argument, ``{}`` standing for the value.
        fmt_fn: the source of a method that makes it, ``{}`` standing for its name; used where ``fmt`` is not given.
    """

    value: Any
    fmt: str = "{}"
    fmt_fn: str = ""


def bundle_randn(*size, dtype=None):
    """A tensor of random numbers, drawn when it is asked for."""
    return InflatableArg(torch.zeros(1, dtype=dtype).expand(*size), "torch.randn_like({})")


def bundle_large_tensor(t):
    """A tensor that is kept whole however large it is."""
    return InflatableArg(t, "{}")


def _need_script(model):
    if not isinstance(model, torch.jit.ScriptModule):
        raise Exception("Only ScriptModule is supported.")  # noqa: TRY002  the reference's type


def bundle_inputs(model, inputs, info=None, *, _receive_inflate_expr=None):
    """A copy of a scripted module that has example inputs.

    Args:
        model: the module; example inputs that it has are not taken over.
        inputs: tuples of arguments of ``forward``, or such lists by method.
        info: texts that go with the inputs, in a list or in lists by method.
    """
    _need_script(model)
    inputs, info = _by_method(model, inputs, info)
    had_inputs = model._c._has_method("get_bundled_inputs_functions_and_info")
    return wrap(_augmented(model._c, inputs, info, _receive_inflate_expr, afresh=had_inputs))


def augment_model_with_bundled_inputs(model, inputs=None, _receive_inflate_expr=None, info=None, skip_size_check=False):
    """Gives ``forward`` of a scripted module example inputs."""
    _need_script(model)
    method = model.forward
    augment_many_model_functions_with_bundled_inputs(
        model, {method: inputs}, _receive_inflate_expr, {method: info} if info else None, skip_size_check
    )


def augment_many_model_functions_with_bundled_inputs(model, inputs, _receive_inflate_expr=None, info=None, skip_size_check=False):
    """Gives methods of a scripted module example inputs."""
    _need_script(model)
    if not inputs:
        raise Exception("Please provide inputs for at least 1 function")  # noqa: TRY002
    if model._c._has_method("get_bundled_inputs_functions_and_info"):
        raise Exception(  # noqa: TRY002
            "Models can only be augmented with bundled inputs once. This Model seems to have already been augmented with bundled inputs. "
            "Please start afresh with one that doesn't have bundled inputs."
        )
    model._reconstruct(_augmented(model._c, inputs, info, _receive_inflate_expr, skip_size_check))


def _by_method(model, inputs, info):
    """Inputs and texts by method."""
    if isinstance(inputs, dict):
        if not inputs:
            raise Exception("Please provide inputs for at least 1 function")  # noqa: TRY002
        if info is not None and not isinstance(info, dict):
            raise AssertionError("If inputs is a dict, info must be a dict or None")
        return inputs, info
    if info is not None and not isinstance(info, list):
        raise AssertionError("If inputs is a list, info must be a list or None")
    method = model.forward
    return {method: inputs}, {method: info} if info else None


def _name_of(method):
    name = getattr(method, "name", None) or getattr(method, "__name__", None)
    if name is None:
        raise Exception(  # noqa: TRY002
            'At least one of your functions has no attribute name please ensure all have one. m.foo.name = "foo"'
        )
    return name


def _augmented(inner, inputs, info, received, skip_size_check=False, afresh=False):
    """Another script object with the same tensors, and with attributes and methods for the inputs."""
    texts = {_name_of(method): text for method, text in (info or {}).items()}
    values, types, sources = {}, {}, []
    for method, examples in inputs.items():
        name = _name_of(method)
        if examples is not None and not isinstance(examples, Sequence):
            raise TypeError(f"Error inputs for function {name} is not a Sequence")
        maker = f"_generate_bundled_inputs_for_{name}"
        is_made = inner._has_method(maker) and not afresh
        if not examples and not is_made:
            raise Exception(f"inputs for {name} must be specified if {maker} is not already defined")  # noqa: TRY002
        if examples:
            if is_made:
                raise Exception(f"inputs[{name}] is not None, but {maker} is already defined")  # noqa: TRY002
            attribute = f"_bundled_inputs_deflated_{name}"
            kinds = ", ".join(argument.type.annotation_str for argument in method.schema.arguments[1:])
            types[attribute] = f"List[Tuple[{kinds or '()'}]]"
            values[attribute], expressions, helpers = _deflated(name, examples, skip_size_check)
            if received is not None:
                received.append(expressions)
            sources += helpers
            sources.append(f"def {maker}(self):\n    deflated = self.{attribute}\n    return [\n{expressions}\n    ]\n")
        sources.append(
            f"def get_all_bundled_inputs_for_{name}(self):\n    all_inputs = self.{maker}()\n    return all_inputs\n"
        )
        if name == "forward":
            sources.append("def get_all_bundled_inputs(self):\n    return self.get_all_bundled_inputs_for_forward()\n")
            sources.append("def get_num_bundled_inputs(self):\n    return len(self.get_all_bundled_inputs_for_forward())\n")
    sources.append(_directory(map(_name_of, inputs), texts))
    made = _with_attributes(inner, types, afresh)
    _share_tensors(inner, made)
    for attribute, value in values.items():
        made._set(attribute, value)
    for source in sources:
        _rushlight.define_methods(made, source, _resolve.frame_scope(0))
    return made


def _directory(names, texts):
    """The source of the method that says which methods have inputs."""
    lines = ["def get_bundled_inputs_functions_and_info(self):", "    all_inputs: Dict[str, Dict[str, List[str]]] = {}"]
    for name in names:
        info = texts.get(name)
        lines += [
            "    temp_dict: Dict[str, List[str]] = {}",
            f"    info: List[str] = {list(info) if info else []!r}",
            "    temp_dict['info'] = info",
            f"    temp_dict['get_inputs_function_name'] = ['get_all_bundled_inputs_for_{name}']",
            f"    all_inputs['{name}'] = temp_dict",
        ]
    return "\n".join([*lines, "    return all_inputs\n"])


def _deflated(name, examples, skip_size_check):
    """What is kept of the inputs of a method, the expressions that make the inputs of that, and methods that these call."""
    kept, text, helpers = [], [], []
    for number, arguments in enumerate(examples):
        if not isinstance(arguments, (tuple, list)):
            raise TypeError(f"Error bundled input for function {name} idx: {number} is not a Tuple or a List")
        values = []
        text.append("(\n")
        for place, argument in enumerate(arguments):
            helper = f"_inflate_helper_for_{name}_input_{number}_arg_{place}"
            value, expression, source = _deflated_one(argument, f"deflated[{number}][{place}]", helper, skip_size_check)
            values.append(value)
            text.append(f"    {expression},\n")
            if source:
                helpers.append(source)
        text.append("),\n")
        kept.append(tuple(values))
    return kept, "".join(text), helpers


def _deflated_one(argument, place, helper, skip_size_check):
    if isinstance(argument, InflatableArg):
        if argument.fmt_fn:
            if argument.fmt not in ("{}", ""):
                raise Exception(  # noqa: TRY002
                    f"Bundled input argument at position '{place}' has both arg.fmt_fn => \n{argument.fmt_fn} "
                    f"\n and arg.fmt  => {argument.fmt}. Please choose `arg.fmt` if the deflater is straightforward or "
                    "`arg.fmt_fn` if you need a function."
                )
            return argument.value, f"self.{helper}({place})", textwrap.dedent(argument.fmt_fn.format(helper)).strip("\n") + "\n"
        return argument.value, argument.fmt.format(place), None
    if not isinstance(argument, torch.Tensor) or skip_size_check or argument._typed_storage().size() <= MAX_RAW_TENSOR_SIZE:
        return argument, place, None
    if argument.numel() <= MAX_RAW_TENSOR_SIZE:
        # A small part of a large storage.
        return argument.clone(), place, None
    # One value everywhere is kept once.
    for form in ("contiguous_format", "channels_last"):
        if not argument.is_contiguous(memory_format=getattr(torch, form)):
            continue
        first = argument.flatten()[:1]
        if bool((argument == first).all()):
            return first.clone().expand(argument.size()), f"{place}.contiguous(memory_format=torch.{form})", None
    raise Exception(  # noqa: TRY002
        f"Bundled input argument at position '{place}' is a tensor with storage size {argument._typed_storage().size()}. You probably "
        "don't want to bundle this as an input. "
    )


def _with_attributes(inner, types, afresh):
    """A script object of a class of its own, made of the archive of another, with more attributes that have no value yet.

    ``afresh`` leaves out the attributes and methods for inputs that the class has.
    """
    records = _rushlight.read_archive(wrap(inner).save_to_buffer())
    whole = inner._class_name()
    scope, _, name = whole.rpartition(".")
    path = f"code/{scope.replace('.', '/')}.py"
    source = records[path].decode()
    begin = re.search(rf"^class {re.escape(name)}\(Module\):\n", source, re.MULTILINE).end()
    end = re.compile(r"^\S", re.MULTILINE).search(source, begin)
    end = end.start() if end else len(source)
    attributes, *methods = re.split(r"(?m)^(?=  def )", source[begin:end])
    if afresh:
        attributes = re.sub(r"(?m)^  _bundled_inputs_deflated_.*\n", "", attributes)
        methods = [text for text in methods if not re.match(_ADDED, text)]
    added = "".join(f"  {attribute} : {kind}\n" for attribute, kind in types.items())
    # A name of its own, in a file of its own: methods are known by the name of their class.
    own_scope = re.sub(r"\.___torch_mangle_\d+$", "", scope) + f".___torch_mangle_{next(_numbers)}"
    made = f"class {name}(Module):\n" + attributes + added + "".join(methods)
    made = re.sub(rf"\b{re.escape(whole)}\b(?!\.)", f"{own_scope}.{name}", made)
    before = source[:begin].rpartition("class ")[0]
    records[f"code/{own_scope.replace('.', '/')}.py"] = made.encode()
    records[path] = (before + source[end:]).encode()
    records["data.pkl"] = records["data.pkl"].replace(f"c{scope}\n{name}\n".encode(), f"c{own_scope}\n{name}\n".encode())
    # The places of the source have moved, and the writer names archives itself.
    records.pop(path + ".debug_pkl", None)
    records.pop(".data/serialization_id", None)
    return load_quietly(io.BytesIO(_rushlight.write_archive("archive", list(records.items()))))._c


# Numbers of classes, beyond those that scripting gives.
_numbers = itertools.count(1_000_000)

_ADDED = (
    r"  def (_inflate_helper_for_|_generate_bundled_inputs_for_|get_all_bundled_inputs|get_num_bundled_inputs\b|"
    r"get_bundled_inputs_functions_and_info\b)"
)


def _share_tensors(inner, made):
    """Lets the parts of a copy hold the tensors themselves."""
    for name, kind in inner._attributes():
        if not made._has_value(name):
            continue
        if kind == "module":
            _share_tensors(inner._get_object(name), made._get_object(name))
        elif isinstance(value := inner._get(name), torch.Tensor):
            made._set(name, value)
