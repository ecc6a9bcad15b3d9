"""torch.utils.tensorboard: the files that it writes, read again."""
# packages: tensorboard
# needs: tensorboard numpy pillow matplotlib protobuf setuptools
import os
import tempfile

import matplotlib
import numpy as np
import torch
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import event_pb2
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from torch.utils.tensorboard import SummaryWriter

matplotlib.use("agg")
from matplotlib import pyplot


def dump(folder):
    """Prints the events of all files of a folder, without moments."""
    for place, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            print("==", os.path.relpath(place, folder), file.endswith(".x"))
            for raw in RawEventFileLoader(os.path.join(place, file)).Load():
                event = event_pb2.Event.FromString(raw)
                event.wall_time = 0 if event.wall_time > 1e6 else event.wall_time
                for value in event.summary.value:
                    if value.metadata.plugin_data.plugin_name == "hparams":
                        data = HParamsPluginData.FromString(value.metadata.plugin_data.content)
                        value.metadata.plugin_data.content = b""
                        print(data.experiment, data.session_end_info, sorted((k, str(v)) for k, v in data.session_start_info.hparams.items()))
                print(str(event)[:900])


with tempfile.TemporaryDirectory() as folder:
    w = SummaryWriter(folder, purge_step=4, filename_suffix=".x")
    print(w.log_dir == folder, len(w.default_bins), w.default_bins[-1])
    w.add_scalar("a", torch.tensor(2.5), 4, walltime=7.0)
    w.add_scalar("a b/c", 1, new_style=True, double_precision=True)
    w.add_scalars("many", {"x": 1, "y": 2.0}, 5)
    w.add_text("t", "hello", 1)
    w.add_histogram("h", torch.tensor([1.0, 2.0, 3.0, -1.0]), 2)
    w.add_histogram("coarse", np.arange(100), 2, bins=10, max_bins=3)
    w.add_histogram("limits", torch.tensor([5.0]), 2, bins=[0, 1, 6, 7])
    w.add_image("i", torch.rand(3, 2, 2, generator=torch.Generator().manual_seed(0)), 1)
    w.add_image("bytes", torch.full((2, 2, 3), 200, dtype=torch.uint8), 1, dataformats="HWC")
    w.add_images("several", torch.rand(9, 1, 2, 2, generator=torch.Generator().manual_seed(0)), 1)
    w.add_pr_curve("p", torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.6, 0.9]), 1, num_thresholds=5)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int64, torch.bool, torch.complex64):
        w.add_tensor(str(dtype), torch.tensor([[1, 0], [3, 4]]).to(dtype), 1)
    w.add_custom_scalars({"c": {"l": ["Multiline", ["a", "b"]], "m": ["Margin", ["a", "b", "c"]]}})
    w.add_hparams({"lr": 0.1, "bs": 2, "n": "s", "b": True}, {"acc": 0.5}, hparam_domain_discrete={"lr": [0.1, 0.2]}, run_name="r", global_step=7)
    figure = pyplot.figure(figsize=(1, 1), dpi=20)
    w.add_figure("figure", figure, 1)
    w.close()
    dump(folder)
for bad in (
    lambda w: w.add_scalar("x", "no"),
    lambda w: w.add_scalar("x", torch.ones(2)),
    lambda w: w.add_scalar("x", None),
    lambda w: w.add_histogram("x", torch.tensor([])),
    lambda w: w.add_hparams(1, 2),
    lambda w: w.add_image("x", torch.ones(3)),
    lambda w: w.add_custom_scalars_marginchart(["a"]),
):
    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as w:
        try:
            bad(w)
        except (ValueError, TypeError, AssertionError, NotImplementedError) as error:
            print(type(error).__name__, error)
