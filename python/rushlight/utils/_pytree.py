"""``torch.utils._pytree``: nested containers as a list of leaves and what holds them together."""

import dataclasses
import functools
import importlib
import json
import types
import typing
from collections import OrderedDict, defaultdict, deque, namedtuple

__all__ = [
    "PyTree", "Context", "FlattenFn", "UnflattenFn", "DumpableContext", "ToDumpableContextFn", "FromDumpableContextFn",
    "PyTreeSpec", "TreeSpec", "LeafSpec", "keystr", "key_get", "register_pytree_node", "register_dataclass",
    "register_constant", "tree_is_leaf", "tree_flatten", "tree_flatten_with_path", "tree_unflatten", "tree_iter",
    "tree_leaves", "tree_leaves_with_path", "tree_structure", "tree_map", "tree_map_with_path", "tree_map_",
    "tree_map_only", "tree_map_only_", "tree_all", "tree_any", "tree_all_only", "tree_any_only", "treespec_dumps",
    "treespec_loads", "treespec_pprint", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance", "is_structseq",
    "is_structseq_class", "is_structseq_instance",
]

PyTree = Context = DumpableContext = typing.Any
FlattenFn = typing.Callable[[PyTree], tuple[list, Context]]
UnflattenFn = typing.Callable[[typing.Iterable, Context], PyTree]
ToDumpableContextFn = typing.Callable[[Context], DumpableContext]
FromDumpableContextFn = typing.Callable[[DumpableContext], Context]


# What says where a leaf is.


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """The place in a sequence."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """What is there."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """The key in a mapping."""

    key: typing.Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """What is there."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """The attribute of an object."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """What is there."""
        return getattr(obj, self.name)


KeyEntry = typing.Union[SequenceKey, MappingKey, GetAttrKey]
KeyPath = tuple[KeyEntry, ...]


def keystr(kp):
    """A path as Python would write it."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """What is at the end of a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


# Kinds of containers.


class NodeDef(typing.NamedTuple):
    """How a container is taken apart and put together."""

    type: typing.Any
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: typing.Optional[typing.Callable]


class _Serialization(typing.NamedTuple):
    """How the spec of a container is written down: a name for its type, and its context as JSON and back."""

    name: str
    to_dumpable: typing.Optional[ToDumpableContextFn] = None
    from_dumpable: typing.Optional[FromDumpableContextFn] = None


SUPPORTED_NODES = {}
# By type, and the types by name.
_SERIALIZATION = {}
_SERIALIZED_NAMES = {}
# Objects that are no leaves: they belong to the structure.
CONSTANT_NODES = set()


def is_namedtuple_class(cls):
    """Whether a class is one of named tuples."""
    fields = getattr(cls, "_fields", None)
    is_tuple = isinstance(cls, type) and issubclass(cls, tuple)
    return is_tuple and isinstance(fields, tuple) and all(isinstance(field, str) for field in fields)


def is_namedtuple_instance(obj):
    """Whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    """Whether an object or a class is one of named tuples."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls):
    """Whether a class is one of results with several parts, as operators and Python's own functions give."""
    if not isinstance(cls, type) or not issubclass(cls, tuple):
        return False
    return cls.__module__ == "torch.return_types" or isinstance(getattr(cls, "n_sequence_fields", None), int)


def is_structseq_instance(obj):
    """Whether an object is a result with several parts."""
    return is_structseq_class(type(obj))


def is_structseq(obj):
    """Whether an object or a class is one of results with several parts."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _with_places(children):
    return [(SequenceKey(i), child) for i, child in enumerate(children)]


def _tuple_flatten(d):
    return list(d), None


def _tuple_flatten_with_keys(d):
    return _with_places(d), None


def _tuple_unflatten(values, context):
    return tuple(values)


def _list_flatten(d):
    return d, None


_list_flatten_with_keys = _tuple_flatten_with_keys


def _list_unflatten(values, context):
    return list(values)


def _dict_flatten(d):
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d):
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def _dict_unflatten(values, context):
    return dict(zip(context, values))


def _namedtuple_flatten(d):
    return list(d), type(d)


def _namedtuple_flatten_with_keys(d):
    return [(GetAttrKey(name), value) for name, value in zip(d._fields, d)], type(d)


def _namedtuple_unflatten(values, context):
    return context(*values)


def _ordereddict_unflatten(values, context):
    return OrderedDict(zip(context, values))


_ordereddict_flatten, _ordereddict_flatten_with_keys = _dict_flatten, _dict_flatten_with_keys
_odict_flatten, _odict_unflatten = _dict_flatten, _ordereddict_unflatten


def _defaultdict_flatten(d):
    values, keys = _dict_flatten(d)
    return values, [d.default_factory, keys]


def _defaultdict_flatten_with_keys(d):
    values, keys = _dict_flatten_with_keys(d)
    return values, [d.default_factory, keys]


def _defaultdict_unflatten(values, context):
    factory, keys = context
    return defaultdict(factory, zip(keys, values))


def _defaultdict_serialize(context):
    factory, keys = context
    return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__, "dict_context": keys}


def _defaultdict_deserialize(dumped):
    factory = getattr(importlib.import_module(dumped["default_factory_module"]), dumped["default_factory_name"])
    return [factory, dumped["dict_context"]]


def _deque_flatten(d):
    return list(d), d.maxlen


def _deque_flatten_with_keys(d):
    return _with_places(d), d.maxlen


def _deque_unflatten(values, context):
    return deque(values, maxlen=context)


def _namedtuple_serialize(context):
    known = _SERIALIZATION.get(context)
    if known is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a serialized_type_name. Please "
            "register using `_register_namedtuple`."
        )
    return known.name


def _namedtuple_deserialize(dumped):
    if dumped not in _SERIALIZED_NAMES:
        raise NotImplementedError(f"Can't deserialize TreeSpec of namedtuple class {dumped}: no class is registered under it.")
    return _SERIALIZED_NAMES[dumped]


def _add(cls, flatten, unflatten, with_keys, name=None, to_dumpable=None, from_dumpable=None):
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten, unflatten, with_keys)
    if name is not None:
        _SERIALIZATION[cls] = _Serialization(name, to_dumpable, from_dumpable)
        _SERIALIZED_NAMES[name] = cls


_add(tuple, _tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys, "builtins.tuple")
_add(list, _list_flatten, _list_unflatten, _list_flatten_with_keys, "builtins.list")
_add(dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys, "builtins.dict")
_add(
    namedtuple, _namedtuple_flatten, _namedtuple_unflatten, _namedtuple_flatten_with_keys, "collections.namedtuple",
    _namedtuple_serialize, _namedtuple_deserialize,
)
_add(OrderedDict, _dict_flatten, _ordereddict_unflatten, _dict_flatten_with_keys, "collections.OrderedDict")
_add(
    defaultdict, _defaultdict_flatten, _defaultdict_unflatten, _defaultdict_flatten_with_keys, "collections.defaultdict",
    _defaultdict_serialize, _defaultdict_deserialize,
)
_add(deque, _deque_flatten, _deque_unflatten, _deque_flatten_with_keys, "collections.deque")

STANDARD_DICT_TYPES = frozenset((dict, OrderedDict, defaultdict))
BUILTIN_TYPES = frozenset((tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque))


def _register_size():
    from .. import Size

    _add(Size, _tuple_flatten, lambda values, _: tuple(values), _tuple_flatten_with_keys, "torch.Size")


_register_size()


def register_pytree_node(
    cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None, from_dumpable_context=None,
    flatten_with_keys_fn=None,
):
    """Makes a class one of containers: how its objects are taken apart and put together."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered."
        )
    _add(
        cls, flatten_fn, unflatten_fn, flatten_with_keys_fn, serialized_type_name, to_dumpable_context, from_dumpable_context
    )


_register_pytree_node = _private_register_pytree_node = register_pytree_node


def _deregister_pytree_node(cls):
    SUPPORTED_NODES.pop(cls, None)
    known = _SERIALIZATION.pop(cls, None)
    if known is not None:
        _SERIALIZED_NAMES.pop(known.name, None)


def _register_namedtuple(cls, *, serialized_type_name):
    """Gives a class of named tuples the name under which it is written down."""
    _SERIALIZATION[cls] = _Serialization(serialized_type_name)
    _SERIALIZED_NAMES[serialized_type_name] = cls


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Makes a dataclass one of containers, with its fields as children."""
    dropped = list(drop_field_names or ())
    if dataclasses.is_dataclass(cls):
        own = {field.name for field in dataclasses.fields(cls) if field.init}
        if field_names is None:
            field_names = [field.name for field in dataclasses.fields(cls) if field.init and field.name not in dropped]
        for told, these, others in (
            ("Missing", own - {*field_names, *dropped}, "field_names"), ("Invalid", {*field_names, *dropped} - own, "fields"),
        ):
            if these and told == "Missing":
                raise ValueError(
                    "field_names does not include all dataclass fields.\n"
                    f"Missing fields in `{others}`: {these}. If you want to include these fields in the pytree, please add them "
                    "to `field_names`, otherwise please add them to `drop_field_names`.\n"
                )
            if these:
                raise ValueError(f"field_names include fields that the dataclass does not have: {these}")
    elif field_names is None:
        raise ValueError(
            f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a dataclass."
        )

    def parts(obj):
        there = [(name, getattr(obj, name)) for name in field_names]
        return [part for part in there if part[1] is not None], [name for name, value in there if value is None]

    def flatten(obj):
        given, absent = parts(obj)
        return [value for _, value in given], [[name for name, _ in given], absent]

    def flatten_with_keys(obj):
        given, absent = parts(obj)
        return [(GetAttrKey(name), value) for name, value in given], [[name for name, _ in given], absent]

    def unflatten(values, context):
        given, absent = context
        return cls(**dict(zip(given, values)), **dict.fromkeys(absent))

    register_pytree_node(
        cls, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys, serialized_type_name=serialized_type_name
    )


def register_constant(cls):
    """Makes the objects of a class part of the structure instead of leaves."""
    if cls.__eq__ is object.__eq__:
        raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `__eq__` implementation. Got: {cls}")
    if cls.__hash__ in (None, object.__hash__):
        raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `__hash__` implementation. Got: {cls}")
    register_pytree_node(
        cls, lambda obj: ([], ConstantNode(obj)), lambda _, context: context.value,
        flatten_with_keys_fn=lambda obj: ([], ConstantNode(obj)),
    )
    CONSTANT_NODES.add(cls)


def is_constant_class(cls):
    """Whether objects of a class are part of the structure."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    """An object that is part of the structure."""

    value: typing.Any


def _add_result(kind):
    """A class of results of operators as a kind of container."""
    _add(kind, _tuple_flatten, lambda values, _: kind(values), _tuple_flatten_with_keys, f"torch.return_types.{kind.__name__}")
    return kind


def _get_node_type(tree):
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind
    if kind.__module__ == "torch.return_types":
        # Made when an operator first gives such a result; then it is known.
        return _add_result(kind)
    return namedtuple if is_namedtuple_class(kind) else kind


def tree_is_leaf(tree, is_leaf=None):
    """Whether something is a leaf: of no known kind of container, or said to be one."""
    if is_leaf is not None and is_leaf(tree):
        return True
    return _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


# What holds leaves together.


@dataclasses.dataclass(init=False, frozen=True, eq=True, repr=False)
class TreeSpec:
    """The containers of a tree without its leaves."""

    type: typing.Any
    context: typing.Any
    children_specs: list
    num_nodes: int = dataclasses.field(compare=False)
    num_leaves: int = dataclasses.field(compare=False)
    num_children: int = dataclasses.field(compare=False)

    def __init__(self, type, context, children_specs):
        children = list(children_specs)
        is_leaf = type is None and not children
        facts = {
            "type": type, "context": context, "children_specs": children,
            "num_nodes": 1 + sum(child.num_nodes for child in children),
            "num_leaves": 1 if is_leaf else sum(child.num_leaves for child in children), "num_children": len(children),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __hash__(self):
        node = self.type
        context = None if node is None else self.context[1] if node is defaultdict else self.context
        try:
            key = hash(tuple(context) if isinstance(context, list) else context)
        except TypeError:
            key = 0
        return hash((node, key, tuple(self.children_specs)))

    def __repr__(self, indent=0):
        if self.is_leaf():
            return "*"
        inner = indent + 2
        separator = ",\n" + " " * inner
        children = separator.join(child.__repr__(inner) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    __str__ = __repr__

    def is_leaf(self):
        """Whether this is a leaf and no container."""
        return self.type is None

    def children(self):
        """The specs of what is inside."""
        return list(self.children_specs)

    def child(self, index):
        """The spec of one thing inside."""
        return self.children_specs[index]

    def flatten_up_to(self, tree):
        """What stands in a tree where this spec has its leaves."""
        found = []
        pending = [(self, tree)]
        while pending:
            spec, part = pending.pop()
            if spec.is_leaf():
                found.append(part)
            else:
                pending.extend(reversed(list(zip(spec.children_specs, spec._children_of(part)))))
        return found

    def _children_of(self, tree):
        """The parts of a tree whose outermost container is to be like this one."""
        kind, expected = _get_node_type(tree), self.type
        if expected not in BUILTIN_TYPES:
            if kind is not expected:
                raise ValueError(f"Type mismatch; expected {expected!r}, but got {kind!r}.")
            children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
            self._check_arity(children)
            if context != self.context:
                raise ValueError(f"Node context mismatch for custom node type {expected!r}.")
            return children
        both_dicts = kind in STANDARD_DICT_TYPES and expected in STANDARD_DICT_TYPES
        if kind is not expected and not both_dicts:
            raise ValueError(f"Node type mismatch; expected {expected!r}, but got {kind!r}.")
        if both_dicts:
            self._check_arity(tree)
            keys = self.context[1] if expected is defaultdict else self.context
            missing, extra = set(keys) - set(tree), set(tree) - set(keys)
            if missing or extra:
                told = [f"missing key(s): {missing}"] if missing else []
                told += [f"extra key(s): {extra}"] if extra else []
                raise ValueError(f"Node keys mismatch; {'; '.join(told)}.")
            return [tree[key] for key in keys]
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        self._check_arity(children)
        if expected is not deque and context != self.context:
            raise ValueError(
                f"Node context mismatch for node type {expected!r}; expected {self.context!r}, but got {context!r}."
            )
        return children

    def _check_arity(self, children):
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")

    def unflatten(self, leaves):
        """The tree with these leaves."""
        leaves = leaves if isinstance(leaves, (list, tuple)) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
                f"{self.num_leaves} items ({self})."
            )
        return self._build(iter(leaves))

    def _build(self, leaves):
        if self.is_leaf():
            return next(leaves)
        children = [child._build(leaves) for child in self.children_specs]
        return SUPPORTED_NODES[self.type].unflatten_fn(children, self.context)


PyTreeSpec = TreeSpec
_LEAF_SPEC = TreeSpec(None, None, [])


class _LeafSpecs(type):
    def __call__(cls, *args, **kwargs):
        return _LEAF_SPEC

    def __instancecheck__(cls, instance):
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafSpecs):
    """The specs of leaves."""


def treespec_leaf():
    """The spec of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable=()):
    """The spec of a tuple of specs."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping=(), **kwargs):
    """The spec of a dictionary of specs."""
    specs = dict(mapping, **kwargs)
    return TreeSpec(dict, list(specs), list(specs.values()))


def _require_spec(spec):
    if not isinstance(spec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(spec)}.")


# Trees and leaves.


def _flatten(tree, leaves, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF_SPEC
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_flatten(tree, is_leaf=None):
    """The leaves, and the spec of what holds them together."""
    leaves = []
    spec = _flatten(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves, treespec):
    """The tree of leaves and a spec."""
    _require_spec(treespec)
    return treespec.unflatten(leaves)


def tree_iter(tree, is_leaf=None):
    """The leaves one after the other."""
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in SUPPORTED_NODES[_get_node_type(tree)].flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree, is_leaf=None):
    """The leaves."""
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    """What holds the leaves together."""
    return tree_flatten(tree, is_leaf)[1]


def arg_tree_leaves(*args, **kwargs):
    """The leaves of the arguments of a call."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_iter(tree)]


def _results(func, tree, rests, is_leaf):
    leaves, spec = tree_flatten(tree, is_leaf)
    return map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests)), spec


def tree_map(func, tree, *rests, is_leaf=None):
    """The tree with the results of a function in place of its leaves; the rests give it further arguments."""
    results, spec = _results(func, tree, rests, is_leaf)
    return spec.unflatten(list(results))


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls a function on every leaf and gives the tree as it was."""
    deque(_results(func, tree, rests, is_leaf)[0], maxlen=0)
    return tree


def map_only(type_or_types_or_pred, /):
    """Makes a function change only values of some types, or for which a predicate holds."""
    if isinstance(type_or_types_or_pred, (type, tuple, types.UnionType)):

        def concerns(value):
            return isinstance(value, type_or_types_or_pred)

    elif callable(type_or_types_or_pred):
        concerns = type_or_types_or_pred
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def wrapper(func):
        @functools.wraps(func)
        def wrapped(value):
            return func(value) if concerns(value) else value

        return wrapped

    return wrapper


def tree_map_only(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """:func:`tree_map` for some of the leaves; the others stay."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """:func:`tree_map_` for some of the leaves."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Whether something holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Whether something holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, /, pred, tree, is_leaf=None):
    """Whether something holds for all leaves of some types."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types, /, pred, tree, is_leaf=None):
    """Whether something holds for a leaf of some types."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def _generate_key_paths(path, tree, is_leaf=None):
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    kind = _get_node_type(tree)
    flatten = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if flatten is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    for key, child in flatten(tree)[0]:
        yield from _generate_key_paths((*path, key), child, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    """The leaves, each with where it is."""
    return list(_generate_key_paths((), tree, is_leaf))


def tree_flatten_with_path(tree, is_leaf=None):
    """The leaves, each with where it is, and the spec of what holds them together."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """:func:`tree_map` with a function that is told where each leaf is."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(path, leaf, *more) for (path, leaf), *more in zip(found, *others)])


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of a tree, each as often as a spec has leaves where it stands; None where it has a deeper structure."""
    _require_spec(treespec)
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    kind = _get_node_type(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    if kind is not treespec.type or context != treespec.context or len(children) != treespec.num_children:
        return None
    found = []
    for child, spec in zip(children, treespec.children_specs):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found.extend(part)
    return found


# Specs as text.

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


def _spec_to_json(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    known = _SERIALIZATION.get(spec.type)
    if known is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with a "
            "`serialized_type_name` kwarg."
        )
    if known.to_dumpable is not None:
        context = known.to_dumpable(spec.context)
    else:
        try:
            context = json.dumps(spec.context)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using "
                "_register_pytree_node."
            ) from error
    return {"type": known.name, "context": context, "children_spec": [_spec_to_json(c) for c in spec.children_specs]}


def _spec_from_json(schema):
    name = schema["type"]
    if name is None:
        return _LEAF_SPEC
    if name.startswith("torch.return_types.") and name not in _SERIALIZED_NAMES:
        from .._return_types import return_types

        _add_result(getattr(return_types, name.rpartition(".")[2]))
    if name not in _SERIALIZED_NAMES:
        raise NotImplementedError(f"Deserializing `{name}` in pytree is not registered.")
    kind = _SERIALIZED_NAMES[name]
    read = _SERIALIZATION[kind].from_dumpable or json.loads
    return TreeSpec(kind, read(schema["context"]), [_spec_from_json(child) for child in schema["children_spec"]])


def treespec_dumps(treespec, protocol=None):
    """A spec as text."""
    _require_spec(treespec)
    protocol = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return json.dumps([protocol, _spec_to_json(treespec)])


def treespec_loads(serialized):
    """The spec that :func:`treespec_dumps` wrote."""
    protocol, schema = json.loads(serialized)
    if protocol != DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return _spec_from_json(schema)


class _Star:
    def __repr__(self):
        return "*"


def treespec_pprint(treespec):
    """The tree of a spec with stars for leaves."""
    return repr(treespec.unflatten([_Star()] * treespec.num_leaves))


pytree_to_str, str_to_pytree = treespec_dumps, treespec_loads
