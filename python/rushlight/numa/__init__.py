"""``torch.numa``: which cores of a machine processes run on."""
