"""Run the models that make.py made with the command, and compare with the answers that were recorded.

    python3 check.py RUSHLIGHT OUT [NAME ...]

RUSHLIGHT is the command (a release build); needs numpy, not PyTorch. A model matches when every output is within
rtol 1e-3 and atol 1e-4 of the recorded one.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np


def verdict(command, directory, name):
    """None where the model matches, else why it does not."""
    arrays = np.load(directory / f"{name}.npz")
    inputs = sum(key.startswith("input_") for key in arrays)
    with tempfile.TemporaryDirectory() as scratch:
        result = pathlib.Path(scratch) / "result.npz"
        arguments = [f"@{directory / name}.npz:input_{i}" for i in range(inputs)]
        ran = subprocess.run(
            [command, "run", "--seed", "0", "--out", str(result), str(directory / f"{name}.pt"), *arguments],
            capture_output=True,
            text=True,
            timeout=300,
        )
        if ran.returncode != 0:
            return " / ".join((ran.stderr or f"status {ran.returncode}").strip().splitlines()[-3:])
        got = np.load(result)
        return difference([arrays[k] for k in arrays if k.startswith("output_")], [got[k] for k in got])


def difference(want, got):
    """None where two lists of arrays are equal within the tolerance."""
    if len(want) != len(got):
        return f"{len(got)} outputs, not {len(want)}"
    for i, (w, g) in enumerate(zip(want, got)):
        if w.shape != g.shape:
            return f"output {i} has shape {g.shape}, not {w.shape}"
        if not np.allclose(g, w, rtol=1e-3, atol=1e-4, equal_nan=True):
            off = np.abs(g.astype(float) - w.astype(float))
            return f"output {i} is off by {np.nanmax(off):.3g} of at most {np.nanmax(np.abs(w)):.3g}"
    return None


def main():
    command, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    names = sys.argv[3:] or sorted(p.stem for p in directory.glob("*.npz"))
    matching = 0
    for name in names:
        start = time.time()
        try:
            why = verdict(command, directory, name)
        except subprocess.TimeoutExpired:
            why = "ran longer than 300 s"
        matching += why is None
        print("match" if why is None else "FAIL ", name, f"{time.time() - start:.1f}s", why or "", flush=True)
    print(f"{matching} of {len(names)} match")


if __name__ == "__main__":
    main()
