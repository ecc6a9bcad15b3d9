"""One model over partitions: what every engine does to each of them.

A partition is a pandas frame with the columns `id` and `pixels` (28 by 28 numbers of a picture, 0..1). `predict` adds what the
digits model says of each picture. The engines bring partitions to `predict`; the model goes along as an argument, because
scripted modules pickle as their archive.
"""

import pathlib

import numpy
import pandas
import rushlight as torch

ARCHIVE = pathlib.Path(__file__).resolve().parents[1] / "digits" / "digits.pt"
SIDE = 28


def load():
    """The trained network."""
    return torch.jit.load(ARCHIVE)


def partitions(rows, parts, seed=0):
    """`rows` made-up pictures in `parts` frames: strokes of noise on dark paper, the same for the same seed."""
    noise = numpy.random.default_rng(seed)
    out = []
    for ids in numpy.array_split(numpy.arange(rows), parts):
        pictures = noise.random((len(ids), SIDE, SIDE), dtype=numpy.float32)
        pictures *= noise.random((len(ids), SIDE, SIDE)) < 0.3
        out.append(pandas.DataFrame({"id": ids, "pixels": list(pictures.reshape(len(ids), -1))}))
    return out


def predict(frame, model, batch=256, threads=1):
    """The `id`, most likely `digit` and its `probability` for every row of a frame, `batch` rows at a time.

    Engines run a process for each processor, where more `threads` than one would only stand in one another's way.
    """
    torch.set_num_threads(threads)
    digits, chances = [], []
    with torch.inference_mode():
        for start in range(0, len(frame), batch):
            pixels = numpy.stack(frame["pixels"].iloc[start : start + batch].tolist()).astype(numpy.float32)
            best = model.scores(torch.from_numpy(pixels.reshape(-1, 1, SIDE, SIDE))).softmax(1).max(1)
            digits.append(best.indices.numpy())
            chances.append(best.values.numpy())
    return pandas.DataFrame(
        {
            "id": frame["id"].to_numpy(),
            "digit": numpy.concatenate(digits) if digits else numpy.empty(0, numpy.int64),
            "probability": numpy.concatenate(chances) if chances else numpy.empty(0, numpy.float32),
        }
    )
