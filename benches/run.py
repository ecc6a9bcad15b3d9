"""Compare Rushlight with the reference, where that is installed.

    python benches/run.py [--rushlight COMMAND] [--python PYTHON] [--reference PYTHON]
                          [--repeat 5] [--only PART] [--archive "FILE ARG..."]...

  archive   load an archive and call it once, in a fresh process: wall time and peak memory
  loop      cost per count of the functions in loops.py: the difference between two counts, so that start-up and
            compiling cancel
  eager     cost of one operator called from Python (eager.py)

--rushlight is our command line (default: target/release/rushlight of this repository), --python a Python that has our
wheel, --reference a Python that has PyTorch. A side that is not given is left out. Each measurement alternates between
the two sides and the medians are printed; `ratio` is how many times the reference's figure exceeds ours.

--archive adds an archive to measure, with its arguments, for instance --archive "model.pt torch.zeros(1,512) 16000".
Standard library only.
"""

import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# Function of loops.py, and the two counts whose difference is timed.
LOOPS = [
    ("scalar", 1_000_000, 11_000_000),
    ("branches", 1_000, 20_000),
    ("floats", 1_000_000, 11_000_000),
    ("elements", 100_000, 2_100_000),
    ("tiny_op", 10_000, 510_000),
    ("tiny_in_place", 10_000, 510_000),
]


class Failed(Exception):
    """A measured command did not succeed; the text says how it ended."""


def measure(command):
    """(seconds, bytes at the peak, output) of one process from start to end."""
    read_end, write_end = os.pipe()
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=write_end,
        stderr=write_end,
        env=dict(os.environ, OMP_NUM_THREADS="1", PYTHONWARNINGS="ignore"),
    )
    os.close(write_end)
    with open(read_end, "rb") as pipe:
        output = pipe.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        last = output.strip().split("\n")[-1]
        raise Failed(f"exit status {process.returncode}: {last[:150]}")
    return seconds, usage.ru_maxrss * 1024, output


class Side:
    """One of the two that are compared: its name, and what it measured or why it could not."""

    def __init__(self, name, sample):
        self.name = name
        self.sample = sample
        self.samples = []
        self.failure = None

    def take(self):
        if self.sample is None or self.failure:
            return
        try:
            self.samples.append(self.sample())
        except (Failed, OSError, ValueError) as error:
            self.failure = str(error)

    def median(self, column):
        if self.failure or not self.samples:
            return None
        return statistics.median(s[column] for s in self.samples)


def alternate(ours, theirs, repeat):
    """Take samples of both sides in turn, the first to go changing each time."""
    sides = [Side("rushlight", ours), Side("reference", theirs)]
    for i in range(repeat):
        for side in sides if i % 2 == 0 else reversed(sides):
            side.take()
    return sides


class Table:
    """Prints one row per figure as soon as it is known."""

    def __init__(self):
        print(f"{'what':<44}{'rushlight':>14}{'reference':>14}{'ratio':>9}")

    def row(self, what, unit, ours, theirs):
        ratio = f"{theirs / ours:.2f}" if ours and theirs else ""
        print(f"{what:<44}{self.figure(ours, unit):>14}{self.figure(theirs, unit):>14}{ratio:>9}", flush=True)

    def figure(self, value, unit):
        return "-" if value is None else f"{value:.1f} {unit}"

    def failures(self, sides):
        for side in sides:
            if side.failure:
                print(f"    {side.name}: {side.failure}", flush=True)


def archives(table, options):
    """Whole processes that load an archive and call it once."""
    for entry in [f"{ROOT / 'examples/digits/digits.pt'} torch.ones(3,64,64)"] + options.archive:
        file, *arguments = shlex.split(entry)
        ours = options.rushlight and (lambda: measure([*options.rushlight, "run", file, *arguments])[:2])
        theirs = options.reference and (
            lambda: measure([options.reference, HERE / "reference.py", "run", file, *arguments])[:2]
        )
        sides = alternate(ours, theirs, options.repeat)
        seconds = [side.median(0) for side in sides]
        peaks = [side.median(1) for side in sides]
        name = pathlib.Path(file).name
        table.row(f"archive {name}: load and call", "ms", *(x and x * 1e3 for x in seconds))
        table.row(f"archive {name}: peak memory", "MB", *(x and x / 1e6 for x in peaks))
        table.failures(sides)


def per_count(command, few, many):
    """Nanoseconds per count, from two processes that differ in the count only."""
    return [(measure([*command, str(many)])[0] - measure([*command, str(few)])[0]) / (many - few) * 1e9]


def loops(table, options):
    for function, few, many in LOOPS:
        target = f"{HERE / 'loops.py'}:{function}"
        ours = options.rushlight and (lambda: per_count([*options.rushlight, "run", target], few, many))
        theirs = options.reference and (
            lambda: per_count([options.reference, HERE / "reference.py", "run", target], few, many)
        )
        sides = alternate(ours, theirs, options.repeat)
        table.row(f"loop {function}: per count", "ns", *(side.median(0) for side in sides))
        table.failures(sides)


def eager_figures(python, module):
    """{case: nanoseconds} from one process."""
    lines = measure([python, HERE / "eager.py", module])[2].strip().split("\n")
    return {case: float(figure) for figure, case in (line.split("\t") for line in lines)}


def eager(table, options):
    sides = alternate(
        options.python and (lambda: eager_figures(options.python, "rushlight")),
        options.reference and (lambda: eager_figures(options.reference, "torch")),
        options.repeat,
    )
    cases = next((side.samples[0] for side in sides if side.samples), {})
    for case in cases:
        table.row(f"eager {case}", "ns", *(side.median(case) for side in sides))
    table.failures(sides)


PARTS = {"archive": archives, "loop": loops, "eager": eager}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rushlight", help="our command line")
    parser.add_argument("--python", help="a Python that has our wheel")
    parser.add_argument("--reference", help="a Python that has PyTorch")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--archive", action="append", default=[], metavar='"FILE ARG..."')
    options = parser.parse_args()
    built = ROOT / "target/release/rushlight"
    if options.rushlight:
        options.rushlight = shlex.split(options.rushlight)
    elif built.exists():
        options.rushlight = [str(built)]
    if not (options.rushlight or options.python or options.reference):
        parser.error("nothing to measure: build with `cargo build --release`, or give --rushlight or --reference")
    return options


def main():
    options = parse_options()
    table = Table()
    for name, part in PARTS.items():
        if options.only in (None, name):
            part(table, options)


if __name__ == "__main__":
    sys.exit(main())
