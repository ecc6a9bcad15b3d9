"""Writers of TensorBoard's files."""

import datetime
import os
import socket
import time

from tensorboard.compat.proto import event_pb2
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summary
from ._convert_np import make_np
from ._hparams import hparams
from ._utils import figure_to_image

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes events into a file of a folder.

    Args:
        log_dir: the folder.
        max_queue: how many events may wait to be written.
        flush_secs: after how many seconds they are written at the latest.
        filename_suffix: what names of files end with.
    """

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self):
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None):
        """Writes an event, of this moment and of a step."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary, global_step=None, walltime=None):
        """Writes a summary."""
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def flush(self):
        """Writes what waits."""
        self.event_writer.flush()

    def close(self):
        """Writes what waits; no more comes."""
        self.event_writer.close()

    def reopen(self):
        """Goes on after :meth:`close`, in another file."""
        self.event_writer.reopen()


def _bins():
    """Where buckets of histograms end unless somebody says: each a tenth farther from zero than the one before."""
    positive, value = [], 1e-12
    while value < 1e20:
        positive.append(value)
        value *= 1.1
    return [-value for value in reversed(positive)] + [0.0] + positive


class SummaryWriter:
    """Writes what a program measures into files that TensorBoard shows.

    Args:
        log_dir: the folder; ``runs`` with the time and the name of the machine unless given.
        comment: what the folder's name ends with where none is given.
        purge_step: from which step on TensorBoard forgets what an earlier run has written.
        max_queue: how many events may wait to be written.
        flush_secs: after how many seconds they are written at the latest.
        filename_suffix: what names of files end with.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            moment = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step, self.max_queue = log_dir, purge_step, max_queue
        self.flush_secs, self.filename_suffix = flush_secs, filename_suffix
        self.file_writer = self.all_writers = None
        self._get_file_writer()
        self.default_bins = _bins()

    def _get_file_writer(self):
        """The writer of the folder, which is made anew after :meth:`close`."""
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = self._writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                step, self.purge_step = self.purge_step, None
                self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=step, session_log=SessionLog(status=SessionLog.START)))
        return self.file_writer

    def _writer(self, folder):
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _add(self, made, step, walltime=None):
        self._get_file_writer().add_summary(made, step, walltime)

    def get_logdir(self):
        """The folder."""
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A number of a step."""
        self._add(summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision), global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Several numbers of a step in one picture: each has a folder of its own."""
        self._get_file_writer()
        walltime = time.time() if walltime is None else walltime
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.file_writer.get_logdir()}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = self._writer(folder)
            self.all_writers[folder].add_summary(summary.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        """A tensor."""
        self._add(summary.tensor_proto(tag, tensor), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text, in Markdown."""
        self._add(summary.text(tag, text_string), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How often values are where; ``bins`` are limits, or a way of NumPy to find them."""
        bins = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(summary.histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None, walltime=None,  # noqa: A002
    ):
        """A histogram that somebody has counted."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self._add(summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts), global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture: bytes, or floats from 0 to 1."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Pictures, beside one another."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """A figure of matplotlib, or several as pictures beside one another."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats=formats)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """Precision over recall, of labels that are 0 or 1 and predictions from 0 to 1."""
        made = summary.pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self, tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall,
        global_step=None, num_thresholds=127, weights=None, walltime=None,
    ):
        """Precision over recall that somebody has counted."""
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        self._add(summary.pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights), global_step, walltime)

    def add_custom_scalars(self, layout):
        """Which scalars are shown together."""
        self._add(summary.custom_scalars(layout), None)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """Scalars that are lines of one picture."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """Three scalars: a line and its margins."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """Hyperparameters and what came of them, in a folder of their own."""
        made = hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        with SummaryWriter(os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))) as writer:
            for part in made:
                writer._add(part, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def flush(self):
        """Writes what waits."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self):
        """Writes what waits; a later call makes another file."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()


def _refused(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"SummaryWriter.{name} is not part of Rushlight")

    refuse.__name__ = name
    refuse.__doc__ = "Is not part of this version."
    return refuse


for _name in ("add_graph", "add_onnx_graph", "add_embedding", "add_audio", "add_video", "add_mesh", "add_image_with_boxes"):
    setattr(SummaryWriter, _name, _refused(_name))
