"""``torch.fx._pytree``: nested containers taken apart along a spec, also where proxies stand for the containers."""

from collections import namedtuple


__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

SUPPORTED_NODES = {}
SUPPORTED_NODES_EXACT_MATCH = {}


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """Says how containers of a class are taken apart along a spec, and whether one fits exactly."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def _deregister_pytree_flatten_spec(cls):
    del SUPPORTED_NODES[cls]
    del SUPPORTED_NODES_EXACT_MATCH[cls]


def tree_flatten_spec(pytree, spec):
    """The leaves of a tree where a spec has leaves."""
    if spec.is_leaf():
        return [pytree]
    if spec.type not in SUPPORTED_NODES:
        raise RuntimeError(
            f"{type(pytree)} does not have a flatten_fn_spec associated with it. Please register one with "
            "torch.fx._pytree.register_pytree_flatten_spec.  If you have serialized your model, make sure that any custom "
            "pytrees have been registered before loading it."
        )
    children = SUPPORTED_NODES[spec.type](pytree, spec)
    return [leaf for child, part in zip(children, spec.children()) for leaf in tree_flatten_spec(child, part)]


def _items_by_number(tree, spec):
    return [tree[index] for index in range(spec.num_children)]


def _items_by_key(tree, spec):
    return [tree[key] for key in spec.context]


def _same_length(tree, spec):
    return len(tree) == spec.num_children


register_pytree_flatten_spec(dict, _items_by_key, lambda tree, spec: list(tree) == list(spec.context))
register_pytree_flatten_spec(list, _items_by_number, _same_length)
register_pytree_flatten_spec(tuple, _items_by_number, _same_length)
register_pytree_flatten_spec(namedtuple, _items_by_number, _same_length)


def _register_immutable():
    from .immutable_collections import immutable_dict, immutable_list

    register_pytree_flatten_spec(immutable_dict, _items_by_key, lambda tree, spec: list(tree) == list(spec.context))
    register_pytree_flatten_spec(immutable_list, _items_by_number, _same_length)


_register_immutable()
