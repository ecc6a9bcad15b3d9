"""What scripting needs to know of module classes: found out once per class.

The extension walks module instances (``src/modules`` there); what does not change between the instances of a class, and
what Python objects mean, it asks here.
"""

import contextlib
import functools
import sys
import types
import typing
import warnings

from .. import _jit_internal, _library, _resolve, _rushlight
from .._jit_internal import check_annotated, missing_body
from ..nn.modules.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from ..nn.modules.module import Module
from ..nn.parameter import is_lazy
from . import _names
from ._observed import types_of
from ._notices import annotation_is_not_seen, unseen_annotations

# Attributes of instances that belong to ``Module`` itself.
_INTERNAL = frozenset(
    {
        "_version", "_parameters", "_buffers", "_non_persistent_buffers_set", "_backward_hooks", "_backward_pre_hooks",
        "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
        "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks", "_modules", "_initializing", "dump_patches",
    }
)

# Containers whose parts are known while compiling, and how they are gone over.
_CONTAINERS = (
    (ModuleDict, "dict"),
    (ModuleList, "list"),
    (Sequential, "list"),
    (ParameterList, "parameter_list"),
    (ParameterDict, "parameter_dict"),
)

_VALID_CONSTANTS = (bool, float, int, str, type(None), _rushlight.device, _rushlight.dtype, _rushlight.Code)

_facts = {}


# Whether a module is being looked at for a trace, which runs no class that an annotation names.
_for_trace = [False]


@contextlib.contextmanager
def for_trace():
    """Within, annotations with classes that cannot be scripted do no harm."""
    before, _for_trace[0] = _for_trace[0], True
    try:
        yield
    finally:
        _for_trace[0] = before


def class_facts(cls):
    """The facts of a module class; raises where an annotation names a class that cannot be scripted, unless for a trace."""
    found = _facts.get(cls)
    if found is None or found.ignored != _ignored(cls):
        found = _facts[cls] = ClassFacts(cls)
    elif found.is_outdated():
        found.forget()
    if found.refused is not None and not _for_trace[0]:
        raise found.refused
    return found


def _ignored(cls):
    """The attributes that scripts of a class leave out; a program may change them between two scripts."""
    return frozenset(getattr(cls, "__jit_ignored_attributes__", ()))


def instance_facts(module):
    """The facts of an instance that has functions of its own: a ``forward`` (``m.forward = m.infer``), exported methods."""
    cls = type(module)
    shared = class_facts(cls)
    own, hidden = _own_entries(module, shared)
    if not own and not hidden:
        return shared
    key = (cls, tuple(own.items()), hidden)
    found = _facts.get(key)
    if found is None:
        found = _facts[key] = ClassFacts(cls)
        found._own.update(own)
        found._members.update(own)
        found.hidden = hidden
        found.left_out = found.left_out | own.keys()
    return found


def _own_entries(module, shared):
    """The functions that are compiled in the place of the class's, and the exported methods of the class that are not,
    since the instance has something else under their names."""
    own, hidden = {}, set()
    for name, value in module.__dict__.items():
        function = getattr(value, "__func__", value)
        is_function = isinstance(function, types.FunctionType)
        if name == "forward":
            if is_function and getattr(value, "__self__", None) is module and shared.member(name) is not function:
                own[name] = function
        elif is_function and _modifier(function) == "export":
            own[name] = function
        elif callable(value) and _modifier(shared.member(name)) == "export":
            hidden.add(name)
    return own, frozenset(hidden)


def _annotation_names(cls):
    """Names that string annotations of a class may use."""
    module = sys.modules.get(cls.__module__)
    names = dict(vars(module)) if module else {}
    names.setdefault(cls.__name__, cls)
    return names


def _hints(cls):
    """The annotations that attribute types come from: those of the nearest class that has any."""
    names = None
    hints = {}
    # Asking the class itself would not look at its bases.
    owners = (base.__dict__["__annotations__"] for base in cls.__mro__ if "__annotations__" in base.__dict__)
    for name, hint in next(owners, {}).items():
        if isinstance(hint, str):
            names = names or _annotation_names(cls)
            try:
                hint = eval(hint, names)  # noqa: S307  the program's own text
            except Exception:
                continue
        hints[name] = hint
    return hints


def _is_final(hint):
    return hint is typing.Final or typing.get_origin(hint) is typing.Final


def _modifier(function):
    return _jit_internal.modifier_of(function)


def stays_python(function):
    """Whether a function is marked to be left to Python."""
    return _modifier(function) in ("ignore", "unused")


@functools.cache
def _marked_names(base):
    """The names of a class's own properties and exported methods: (properties, exported)."""
    members = vars(base).items()
    properties = [name for name, member in members if isinstance(member, property)]
    exported = [name for name, member in members if isinstance(member, types.FunctionType) and _modifier(member) == "export"]
    return properties, exported


class ClassFacts:
    """What scripting needs to know of a module class."""

    def __init__(self, cls):
        self.cls = cls
        self.name = cls.__name__
        self.qualified = _resolve._qualified_class(cls)
        hints = _hints(cls)
        # Why an annotation is no type of a script.
        self.refused = None
        self.annotations = {}
        for name, hint in hints.items():
            described = None if _is_final(hint) else self._described(hint)
            if described is not None:
                self.annotations[name] = described
        is_own = not _library.is_compiled(cls.__module__)
        # Annotations that are no type of a script: with module classes, and others of a program's classes.
        self.module_hints = {name: hint for name, hint in hints.items() if _is_module_class(hint)}
        self.unknown_hints = {n: h for n, h in hints.items() if is_own and n not in self.annotations and _is_unknown(h)}
        # Whether instances have to be looked at before they are scripted.
        self.unseen = unseen_annotations(cls) if is_own else []
        self.checked = bool(self.module_hints or self.unknown_hints or self.unseen) or hasattr(cls, "cls_to_become")
        # In order, each once.
        self.constants = list(dict.fromkeys([*getattr(cls, "__constants__", ()), *(n for n, h in hints.items() if _is_final(h))]))
        self.container = next((kind for base, kind in _CONTAINERS if issubclass(cls, base)), "")
        self.ignored = _ignored(cls)
        self.left_out = _INTERNAL | self.ignored
        self.overloads = _names.declared_overloads(cls)
        # Subclasses of ScriptModule say themselves which methods are scripts.
        self.marked = cls.__dict__.get("_script_methods")
        # What the instance has in the place of what its class has, and the exported methods that it hides.
        self._own = {}
        self.hidden = frozenset()
        self._members = {}
        # What the class itself had under the names of the members.
        self._found = {}
        self._known = {}

    def _described(self, hint):
        if _is_module_class(hint):
            return None
        try:
            return _resolve.describe_type(hint)
        except OSError as error:
            self.refused = self.refused or error
            return None

    def is_outdated(self):
        """Whether the class has other members by now than those that were asked for."""
        return any(self._look_up(name) is not found for name, found in self._found.items())

    def _look_up(self, name):
        owners = (base.__dict__ for base in self.cls.__mro__ if name in base.__dict__)
        return next(owners, {}).get(name)

    def forget(self):
        """Forgets what may change: the methods of a class that could not be read may be others the next time."""
        self._members = dict(self._own)
        self._found.clear()
        self._known.clear()

    def member(self, name):
        """The class's own attribute of a name, functions unbound; None when there is none."""
        if self.marked and name in self.marked:
            return self.marked[name]
        if name not in self._members:
            found = self._found[name] = self._look_up(name)
            # In other modules than a ``ScriptModule`` the mark of methods does ``forward`` no harm, and hides others.
            if marked := getattr(found, "_marked_function", None):
                found = marked if name == "forward" else None
            self._members[name] = found
        return self._members[name]

    def _once(self, question, answer):
        """The answer to a question that does not change."""
        if question not in self._known:
            self._known[question] = answer()
        return self._known[question]

    def info(self, function):
        """The description of a method, made once unless calls have shown types of its parameters."""
        if types_of(function):
            return _resolve.function_info(function)
        return self._once(function, lambda: _resolve.function_info(function))

    def entry_methods(self):
        """See :meth:`_entry_methods`."""
        return self._once("entry_methods", self._entry_methods)

    def exported_methods(self):
        """The methods marked with ``export``, described as by :meth:`_entry_methods`."""
        # Traces ask for these alone: of what they call, no source is needed.
        names = self._once("exported_methods", lambda: [name for name in self._entry_names() if name != "forward"])
        return self._with_infos(names)

    def overload_methods(self):
        """See :meth:`_overload_methods`."""
        return self._once("overload_methods", self._overload_methods)

    def properties(self):
        """See :meth:`_properties`."""
        return self._once("properties", self._properties)

    def own_special(self, name):
        """The description of a special method that a program's class has in the place of the container's; None for others."""
        member = self.member(name)
        is_own = isinstance(member, types.FunctionType) and not member.__module__.startswith(("rushlight.", "torch."))
        return self.info(member) if is_own else None

    def method(self, name):
        """See :meth:`_method`."""
        return self._once(("method", name), lambda: self._method(name))

    def _marked(self, which):
        """The names, sorted, that the class or a base marks; see :func:`_marked_names`."""
        return sorted({name for base in self.cls.__mro__ for name in _marked_names(base)[which]})

    def _entry_methods(self):
        """The methods that are compiled whether something calls them or not: (name, description of the function)."""
        return self._with_infos(self._entry_names())

    def _with_infos(self, names):
        functions = self.marked if self.marked is not None else {name: self.member(name) for name in names}
        return [(name, self.info(functions[name])) for name in names]

    def _entry_names(self):
        if self.marked is not None:
            return list(self.marked)
        out = []
        forward = self.member("forward")
        if isinstance(forward, types.FunctionType) and forward is not Module.forward and _modifier(forward) not in ("ignore", "unused"):
            out.append("forward")
        for name in sorted({*self._marked(1), *self._own} - self.hidden):
            if _modifier(self.member(name)) == "export" and name not in out:
                out.append(name)
        return [name for name in out if name not in self.overloads]

    def _overload_methods(self):
        """The methods with overloads: (name, [declaration], implementation)."""
        out = []
        for name, declarations in self.overloads.items():
            implementation = self.member(name)
            if implementation in declarations:
                raise RuntimeError(missing_body(implementation, "method"))
            for declaration in declarations:
                check_annotated(declaration)
            infos = [self.info(d) for d in declarations]
            out.append((name, infos, self.info(implementation)))
        return out

    def _properties(self):
        """The properties to compile: (name, getter, setter or None)."""
        unused = {*getattr(self.cls, "__jit_unused_properties__", ()), *self.left_out}
        out = []
        for name in self._marked(0):
            member = self.member(name)
            if not isinstance(member, property) or name in unused:
                continue
            if self.marked is not None and member.fget.__module__ == _names.__package__ + "._script_module":
                continue
            if _modifier(member.fget) in ("unused", "ignore"):
                continue
            setter = None if member.fset is None else self.info(member.fset)
            out.append((name, self.info(member.fget), setter))
        return out

    def _method(self, name):
        """A method that scripts may call, in the resolver's terms; None when the class has none of that name."""
        member = self.member(name)
        if isinstance(member, staticmethod):
            return _resolve.describe(member.__func__)
        if isinstance(member, classmethod):
            return ("method", self.info(member.__func__))
        if not isinstance(member, types.FunctionType):
            return None
        if _modifier(member) in ("ignore", "unused"):
            return ("ignored_method", self.info(member), _modifier(member) == "unused")
        if getattr(Module, name, None) is member:
            return None
        return ("method", self.info(member))

    def python_method(self, name):
        """A method that scripted modules call in Python: an ignored or unused one; None for others."""
        member = self.member(name)
        if isinstance(member, types.FunctionType) and stays_python(member):
            return member
        return None


def _is_module_class(hint):
    return isinstance(hint, type) and issubclass(hint, Module) and not getattr(hint, "__torch_script_interface__", False)


def _is_unknown(hint):
    # Bare forms (`Optional`, `NoReturn`) say nothing, and nothing is said of them.
    says_something = not isinstance(hint, (str, typing._SpecialForm))
    return says_something and not (_is_final(hint) or _is_module_class(hint) or _is_interface(hint))


def _is_interface(hint):
    return isinstance(hint, type) and getattr(hint, "__torch_script_interface__", False)


def check_initialised(module):
    """Raises when ``Module.__init__`` has not run, when parameters wait for their sizes, or when the class annotates a
    submodule with its class."""
    cls = type(module)
    if "_parameters" in module.__dict__:
        waiting = [name for name, tensor in module._parameters.items() if is_lazy(tensor)]
        if waiting:
            raise RuntimeError(
                f"'{cls.__module__}.{cls.__qualname__}' has uninitialized parameters {waiting[0]}. Did you forget to run a "
                "forward pass?"
            )
        facts = class_facts(cls)
        for _ in facts.unseen:
            annotation_is_not_seen()
        for name, hint in facts.module_hints.items():
            if module._modules.get(name) is not None or name in module.__dict__:
                raise ValueError(f"Unknown type annotation: '{hint}' at ")
        if not _for_trace[0]:
            _check_hints(module, facts)
    else:
        raise RuntimeError(f"'{cls.__module__}.{cls.__qualname__}' has not been initialized, did you forget to call 'super()'?")


def _check_hints(module, facts):
    """Raises where an annotation of something that the module has is no type of a script."""
    for name, hint in facts.unknown_hints.items():
        held = (module.__dict__, module._parameters, module._buffers, module._modules)
        if name not in facts.left_out and name not in facts.constants and any(name in table for table in held):
            raise _without_parts(name, getattr(module, name), hint) or _unknown_hint(hint)


# Containers without the types that they hold, and what is missing.
_BARE = {
    typing.List: "List without a contained type. Please add a contained type, e.g. List[int]",
    typing.Dict: "Dict without contained types. Please add contained type, e.g. Dict[int, int]",
}


def _without_parts(name, value, hint):
    """What is raised for a container that does not say what it holds; None for other annotations."""
    missing = next((text for bare, text in _BARE.items() if hint is bare), None)
    if missing is None and typing.get_origin(hint) is tuple and ... in typing.get_args(hint):
        return RuntimeError(f"Error inferring type for {name}: {value}: Can not create tuple with None type")
    return missing and RuntimeError(f"Error inferring type for {name}: {value}: Attempted to use {missing}")


def _unknown_hint(hint):
    """What is raised for an annotation that is no type of a script."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    unknown = [argument for argument in arguments if _resolve.describe_type(argument) is None]
    if origin in (typing.Union, types.UnionType) and unknown:
        return AssertionError(f"Unsupported annotation {hint} could not be resolved because {unknown[0]} could not be resolved. At\n")
    if origin is dict and unknown:
        return _unknown_hint(unknown[0])
    return ValueError(f"Unknown type annotation: '{hint}' at ")


def constant_value(facts, name, module):
    """The value of a constant, in a tuple; None where the name is no constant, after a warning."""
    if name in module._modules or name in module._parameters or name in module._buffers:
        kind = "submodule" if name in module._modules else "parameter" if name in module._parameters else "buffer"
        if kind == "submodule" and module._modules[name] is None:
            return None
        warnings.warn(
            f"'{name}' was found in ScriptModule constants,  but it is a non-constant {kind}. Consider removing it.",
            stacklevel=2,
        )
        return None
    if not hasattr(module, name):
        warnings.warn(
            f"'{name}' was found in ScriptModule constants, but was not actually set in __init__. Consider removing it.",
            stacklevel=2,
        )
        return None
    return (_valid_constant(name, getattr(module, name), facts.name),)


def _valid_constant(name, value, owner):
    if isinstance(value, _VALID_CONSTANTS):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(_valid_constant(name, item, owner) for item in value)
    from .._functions import typename

    raise TypeError(
        f"\n'{typename(type(value))}' object in attribute '{owner}.{name}' is not a valid constant.\n"
        "Valid constants are:\n"
        "1. a nn.ModuleList\n"
        "2. a value of type {bool, float, int, str, NoneType, torch.device, torch.layout, torch.dtype, torch.qscheme}\n"
        "3. a list or tuple of (2)\n"
    )


def _is_method_of_tensor(value):
    """Whether an object is a method taken from a tensor, which no script can have."""
    return isinstance(value, _rushlight.Builtin) and "::" in value.path


def attribute_kind(value):
    """What an attribute of an instance is beyond a plain value: ``("function", object)``, ``("typed", value, type)`` or None."""
    if isinstance(_names.Attribute, type) and isinstance(value, _names.Attribute):
        described = _resolve.describe_type(value.type)
        if described is None or described[0] == "module_class":
            raise _unknown_hint(value.type)
        return ("typed", value.value, described)
    if _is_method_of_tensor(value):
        return None
    if isinstance(value, (types.FunctionType, _rushlight.ScriptFunction, _rushlight.Builtin)):
        return ("function", value)
    if isinstance(getattr(value, "_rushlight_path", None), str):
        return ("function", value)
    # Texts are bytes to the interpreter.
    if isinstance(value, bytes):
        return ("typed", value.decode(), ("simple", "str"))
    # A function of the interpreter is one where the language has it.
    if isinstance(value, types.BuiltinFunctionType) and _resolve.describe(value)[0] != "unsupported":
        return ("function", value)
    return None


def type_of_instance(value):
    """The described type of an object of a class that scripts can use; None for others."""
    cls = type(value)
    if isinstance(value, (type, types.ModuleType, Module)) or cls.__module__ == "builtins":
        return None
    return _resolve.describe_type(cls)


def type_name(value):
    """The name of an object's type, as messages about attributes show it."""
    from .._functions import typename

    return "builtin_function_or_method" if _is_method_of_tensor(value) else typename(type(value))


for _name in ("class_facts", "instance_facts", "check_initialised", "constant_value", "attribute_kind", "type_of_instance", "type_name"):
    _rushlight.register("module." + _name, globals()[_name])
