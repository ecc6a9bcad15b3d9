"""``torch.utils.tensorboard``: writes what TensorBoard shows, which needs its package; Rushlight does not write its files."""

raise ImportError("torch.utils.tensorboard is not part of Rushlight: it does not write the files of TensorBoard (tensorboardX writes them)")
