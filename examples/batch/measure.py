"""Rows per second on each engine, the start of its processes included."""

import argparse
import importlib
import importlib.util
import time

import pandas
from digits import load, partitions, predict

# The engines, and what each needs from PyPI.
ENGINES = {"processes": None, "dask": "dask", "ray": "ray", "spark": "pyspark"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(ENGINES)}; all by default")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    for name in asked.engines:
        if name not in ENGINES:
            parser.error(f"there is no engine {name}; known are {', '.join(ENGINES)}")
    model, frames = load(), partitions(asked.rows, asked.parts)
    for threads in sorted({asked.workers, 1}, reverse=True):
        begun = time.perf_counter()
        wanted = pandas.concat([predict(frame, model, threads=threads) for frame in frames])
        taken = time.perf_counter() - begun
        print(f"{f'{threads} threads':<12} {asked.rows / taken:8.0f} rows/s  {taken:6.2f} s  this process")
    for name in asked.engines or ENGINES:
        needed = ENGINES[name]
        if needed is not None and importlib.util.find_spec(needed) is None:
            print(f"{name:<12} left out: pip install {needed}")
            continue
        engine = importlib.import_module(f"on_{name}")
        begun = time.perf_counter()
        answers = pandas.concat(engine.run(frames, model, asked.workers))
        taken = time.perf_counter() - begun
        same = "same answers" if answers.reset_index(drop=True).equals(wanted.reset_index(drop=True)) else "OTHER ANSWERS"
        print(f"{name:<12} {asked.rows / taken:8.0f} rows/s  {taken:6.2f} s  {asked.workers} workers, {same}")


if __name__ == "__main__":
    main()
