"""``torch.fx.passes.dialect``: passes for graphs of operators."""
