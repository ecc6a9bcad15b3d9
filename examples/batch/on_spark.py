"""Partitions on Spark: `DataFrame.mapInPandas` with the model in the closure of the function that it takes.

    spark.read.parquet("pictures").mapInPandas(answers(load()), SCHEMA).write.parquet("answers")
"""

import os
import pathlib
import sys

import pandas
from digits import predict

SCHEMA = "id long, digit long, probability float"

# Of a Spark on this machine alone: reached from nowhere else, without a page of its own, frames as Arrow.
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.ui.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def answers(model):
    """A function over the frames of a partition. Spark sends it with cloudpickle, and the model in it as its archive."""

    def over(frames):
        for frame in frames:
            yield predict(frame, model)

    return over


def run(frames, model, workers):
    """The answers for all frames, in their order, from a Spark of this machine. Needs Java 17 or newer."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master(f"local[{workers}]").config(map=SETTINGS).getOrCreate()
    try:
        session.sparkContext.addPyFile(str(pathlib.Path(__file__).with_name("digits.py")))
        rows = session.createDataFrame(pandas.concat(frames))
        answered = rows.repartition(len(frames)).mapInPandas(answers(model), SCHEMA).toPandas().set_index("id")
        # Rows come in the order of partitions: each frame gets its own back.
        return [answered.loc[frame["id"]].reset_index() for frame in frames]
    finally:
        session.stop()
