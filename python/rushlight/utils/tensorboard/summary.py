"""Summaries: what TensorBoard shows, as its messages."""

import io

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2

from ._convert_np import make_np
from ._utils import convert_to_HWC

# How TensorBoard calls the types of elements, and the field that has the elements.
_TYPES = {
    "float16": ("DT_HALF", "half_val"), "bfloat16": ("DT_BFLOAT16", "half_val"), "float32": ("DT_FLOAT", "float_val"),
    "float64": ("DT_DOUBLE", "double_val"), "int8": ("DT_INT8", "int_val"), "uint8": ("DT_UINT8", "uint32_val"),
    "int16": ("DT_INT16", "int_val"), "int32": ("DT_INT32", "int_val"), "int64": ("DT_INT64", "int64_val"), "bool": ("DT_BOOL", "bool_val"),
    "complex64": ("DT_COMPLEX64", "scomplex_val"), "complex128": ("DT_COMPLEX128", "dcomplex_val"),
}


def _plugin(name, content=b""):
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=name, content=content))


def _one(**parts):
    return Summary(value=[Summary.Value(**parts)])


def _shape(sizes):
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """A number over steps."""
    value = make_np(tensor).squeeze()
    if value.ndim != 0:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions).             Was given size: {value.size} and {value.ndim} dimensions."
        )
    number = float(value.item())
    if not new_style:
        return _one(tag=name, simple_value=number)
    field = {"dtype": "DT_DOUBLE", "double_val": [number]} if double_precision else {"dtype": "DT_FLOAT", "float_val": [number]}
    return _one(tag=name, tensor=TensorProto(**field), metadata=_plugin("scalars"))


def tensor_proto(tag, tensor):
    """A tensor."""
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in _TYPES:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    kind, field = _TYPES[name]
    array = make_np(tensor)
    # 16-bit floats are written by the bits of floats of 32 bits, as PyTorch does.
    elements = np.atleast_1d(array).astype(np.float32).view(np.int32) if field == "half_val" else array
    if "complex" in field:
        elements = np.stack((array.real, array.imag), -1)
    proto = TensorProto(dtype=kind, tensor_shape=_shape(array.shape), **{field: elements.ravel().tolist()})
    return _one(tag=tag, tensor=proto, metadata=_plugin("tensor"))


def text(tag, text):
    """A text, in Markdown."""
    proto = TensorProto(dtype="DT_STRING", string_val=[text.encode("utf_8")], tensor_shape=_shape([1]))
    return _one(tag=tag + "/text_summary", tensor=proto, metadata=_plugin("text"))


def histogram_raw(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):  # noqa: A002  the reference's names
    """A histogram that somebody has counted."""
    proto = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return _one(tag=name, histo=proto)


def histogram(name, values, bins, max_bins=None):
    """How often values are where."""
    values = make_np(values).astype(float).reshape(-1)
    if values.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _coarser(counts, limits, len(counts) // max_bins)
    filled = np.flatnonzero(counts)
    if filled.size == 0:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, end = filled[0], filled[-1] + 1
    # Before the first that is filled stands an empty one, for where values begin.
    return histogram_raw(
        name, values.min(), values.max(), len(values), values.sum(), values.dot(values), limits[first:end + 1].tolist(),
        [0.0, *counts[first:end].tolist()],
    )


def _coarser(counts, limits, together):
    """Neighbouring buckets together."""
    left = len(counts) % together
    if left:
        counts = np.pad(counts, (0, together - left))
    merged = np.empty(len(counts) // together + 1, limits.dtype)
    merged[:-1], merged[-1] = limits[:-1:together], limits[-1]
    return counts.reshape(-1, together).sum(axis=1), merged


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """A picture, or several beside one another: bytes, or floats from 0 to 1."""
    from PIL import Image

    picture = convert_to_HWC(make_np(tensor), dataformats)
    factor = 1 if picture.dtype == np.uint8 else 255
    picture = (picture.astype(np.float32) * factor).clip(0, 255).astype(np.uint8)
    drawn = Image.fromarray(picture)
    if rescale != 1:
        drawn = drawn.resize((int(drawn.width * rescale), int(drawn.height * rescale)), Image.LANCZOS)
    written = io.BytesIO()
    drawn.save(written, format="PNG")
    proto = Summary.Image(height=drawn.height, width=drawn.width, colorspace=picture.shape[2], encoded_image_string=written.getvalue())
    return _one(tag=tag, image=proto)


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Precision over recall, of labels that are 0 or 1 and predictions from 0 to 1."""
    # More than that make a file that TensorBoard takes long to read.
    num_thresholds = min(num_thresholds, 127)
    weights = np.ones_like(labels, dtype=float) if weights is None else weights
    places = np.floor(predictions * (num_thresholds - 1)).astype(np.int32)
    kept = {"bins": num_thresholds, "range": (0, num_thresholds - 1)}
    right, _ = np.histogram(places, weights=labels.astype(float) * weights, **kept)
    wrong, _ = np.histogram(places, weights=(1.0 - labels.astype(float)) * weights, **kept)
    tp, fp = np.cumsum(right[::-1])[::-1], np.cumsum(wrong[::-1])[::-1]
    precision, recall = tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp[0])
    return pr_curve_raw(tag, tp, fp, fp[0] - fp, tp[0] - tp, precision, recall, num_thresholds)


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """Precision over recall that somebody has counted."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    num_thresholds = min(num_thresholds, 127)
    rows = np.stack((tp, fp, tn, fn, precision, recall))
    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    proto = TensorProto(dtype="DT_FLOAT", float_val=rows.ravel().tolist(), tensor_shape=_shape(rows.shape))
    return _one(tag=tag, tensor=proto, metadata=_plugin("pr_curves", content))


def custom_scalars(layout):
    """Which scalars are shown together: by category, by title, ``["Multiline", tags]`` or ``["Margin", tags]``."""
    categories = []
    for category, charts in layout.items():
        made = []
        for title, (kind, tags) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise AssertionError(f"Expected 3 tags, but got {len(tags)}")
                series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                made.append(layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series])))
            else:
                made.append(layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags)))
        categories.append(layout_pb2.Category(title=category, chart=made))
    content = layout_pb2.Layout(category=categories).SerializeToString()
    proto = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=TensorShapeProto())
    return _one(tag="custom_scalars__config__", tensor=proto, metadata=_plugin("custom_scalars"))
