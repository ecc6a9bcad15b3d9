"""Partitions on Dask: `map_partitions` with the model as an argument."""

import dask
import dask.dataframe
import pandas

from digits import predict

# What Dask has to know of the answers before there are any.
ANSWERS = pandas.DataFrame({"id": pandas.Series(dtype="int64"), "digit": pandas.Series(dtype="int64"), "probability": pandas.Series(dtype="float32")})


def run(frames, model, workers):
    """The answers for all frames, in their order, from `workers` processes."""
    # The pixels stay arrays; Dask would make texts of such columns otherwise.
    with dask.config.set({"dataframe.convert-string": False}):
        table = dask.dataframe.from_delayed([dask.delayed(frame) for frame in frames], meta=frames[0].iloc[:0])
        answers = table.map_partitions(predict, model, meta=ANSWERS)
        parts = answers.to_delayed()
        return list(dask.compute(*parts, scheduler="processes", num_workers=workers))
