"""Passes on graphs that are Python over the graphs' own methods: ``torch._C._jit_pass_*`` that no compiled program runs through."""

import importlib

# Where each pass is.
_PLACES = {
    "AliasDb": "alias",
    "_debug_set_autodiff_subgraph_inlining": "profile",
    "_jit_debug_module_iterators": "modules",
    "_jit_erase_non_input_shape_information": "properties",
    "_jit_pass_create_autodiff_subgraphs": "autodiff",
    "_jit_pass_create_functional_graphs": "functional",
    "_jit_decomposition_graph_for_node": "decompose",
    "_jit_pass_dce_allow_deleting_nodes_with_side_effects": "refine",
    "_jit_pass_decompose_ops": "decompose",
    "_jit_pass_erase_number_types": "numbers",
    "_jit_pass_fuse_add_relu": "fuse",
    "_jit_pass_fuse_addmm": "fuse",
    "_jit_pass_inline_functional_graphs": "functional",
    "_jit_pass_integer_value_refinement": "refine",
    "_jit_pass_lower_graph": "modules",
    "_jit_pass_peephole_list_idioms": "modules",
    "_jit_pass_propagate_device": "device",
    "_jit_pass_propagate_dtype": "properties",
    "_jit_pass_propagate_shapes_on_graph": "properties",
    "_jit_pass_remove_dropout": "modules",
    "_jit_pass_run_decompositions": "decompose",
    "_jit_pass_transform_conv1d_to_conv2d": "convolutions",
    "_jit_register_decomposition_for_schema": "decompose",
    "_jit_register_shape_compute_graph_for_node": "shape_functions",
    "_jit_set_symbolic_shapes_test_mode": "properties",
    "_jit_shape_compute_graph_for_node": "shape_functions",
    "_jit_symbolic_shapes_test_mode_enabled": "properties",
    "_new_symbolic_shape_symbol": "properties",
}


def find(name):
    """A pass by name, or None."""
    place = _PLACES.get(name)
    return None if place is None else getattr(importlib.import_module(f"{__package__}.{place}"), name)


def every_node(block):
    """The nodes of a graph or block and of the blocks inside it, in order."""
    for node in list(block.nodes()):
        yield node
        for inner in node.blocks():
            yield from every_node(inner)


def replace(node, results):
    """Puts other values in the place of what a node gives, and takes the node out."""
    for output, result in zip(node.outputs(), results):
        output.replaceAllUsesWith(result)
    node.destroy()


def call_instead(graph, nodes, kind, body, given, taken):
    """Puts a call of a graph, which is of such a kind and holds copies of nodes, in the place of the last of those.

    ``given`` are the values that the graph around gives it, ``taken`` those of the nodes that it uses of it.
    """
    call = graph.create(kind, given, len(taken))
    call.g_("Subgraph", body)
    call.insertAfter(nodes[-1])
    for value, result in zip(taken, call.outputs()):
        result.setType(value.type())
        value.replaceAllUsesWith(result)
    for node in reversed(nodes):
        node.destroy()
