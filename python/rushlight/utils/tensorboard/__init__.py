"""``torch.utils.tensorboard``: what a program measures, in the files of TensorBoard, whose package does the writing.

There are scalars, texts, histograms, images, figures, curves, tensors and hyperparameters; graphs, embeddings, sounds, videos and
meshes are refused.
"""

from importlib.util import find_spec

if find_spec("tensorboard") is None:
    raise ImportError("TensorBoard is not installed: torch.utils.tensorboard writes its files by the package `tensorboard`")

from tensorboard.summary.writer.record_writer import RecordWriter  # noqa: E402, F401

from .writer import FileWriter, SummaryWriter  # noqa: E402, F401
