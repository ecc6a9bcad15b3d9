"""``torch.fx.traceback``: what nodes that are made now take over from the node that is being worked on."""

import contextlib
import copy
import functools
import traceback

__all__ = [
    "annotate", "annotate_fn", "preserve_node_meta", "has_preserved_node_meta", "set_stack_trace", "set_grad_fn_seq_nr",
    "reset_grad_fn_seq_nr", "format_stack", "set_current_meta", "get_current_meta",
]

current_meta = {}
should_preserve_node_meta = False


@contextlib.contextmanager
def preserve_node_meta(enable=True):
    """Until it is left, new nodes take over what the current node carries in ``meta``."""
    global should_preserve_node_meta, current_meta
    before, meta = should_preserve_node_meta, current_meta.copy()
    should_preserve_node_meta = enable
    try:
        yield
    finally:
        should_preserve_node_meta, current_meta = before, meta


def has_preserved_node_meta():
    """Whether new nodes take over ``meta``."""
    return should_preserve_node_meta


@contextlib.contextmanager
def annotate(annotation_dict):
    """Until it is left, new nodes carry these entries in ``meta["custom"]``, where ``meta`` is taken over."""
    before = current_meta.get("custom")
    current_meta["custom"] = {**(before or {}), **annotation_dict}
    try:
        yield
    finally:
        if before is None:
            current_meta.pop("custom", None)
        else:
            current_meta["custom"] = before


def annotate_fn(annotation_dict):
    """Runs a function under :func:`annotate`."""

    def decorate(function):
        @functools.wraps(function)
        def annotated(*args, **kwargs):
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


def set_stack_trace(stack):
    """Says where the program is, for nodes that take it over."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


def set_grad_fn_seq_nr(seq_nr):
    """Says which operator of the forward pass is being differentiated."""
    if should_preserve_node_meta:
        current_meta["grad_fn_seq_nr"] = [*current_meta.get("grad_fn_seq_nr", ()), seq_nr]
        current_meta["in_grad_fn"] = current_meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr():
    """Takes back the last :func:`set_grad_fn_seq_nr`."""
    if should_preserve_node_meta:
        level = current_meta.get("in_grad_fn", 0)
        if level <= 1:
            current_meta.pop("in_grad_fn", None)
            current_meta.pop("grad_fn_seq_nr", None)
        else:
            current_meta["in_grad_fn"] = level - 1
            current_meta["grad_fn_seq_nr"] = current_meta["grad_fn_seq_nr"][:-1]


def format_stack():
    """Where the program is, or where the current node says that it was."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def set_current_meta(node, pass_name=""):
    """Makes a node the current one, where ``meta`` is taken over."""
    global current_meta
    if not should_preserve_node_meta or not node.meta:
        yield
        return
    before = current_meta
    current_meta = {**before, **copy.copy(node.meta)}
    try:
        yield
    finally:
        current_meta = before


def get_current_meta():
    """What new nodes take over."""
    return current_meta
