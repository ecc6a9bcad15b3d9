"""Record what the reference prints for the programs in this folder.

    PYTHON record.py [--check] [NAME...]    PYTHON is a Python that has PyTorch

Runs each program (or those whose path contains a NAME) in its own folder and writes its standard output beside it as
.out, and, where it ends with an uncaught exception, `Type: first line of the message` as .err. With --check nothing is
written and differences are listed. Positions and addresses that depend on the machine are removed as the comparison
removes them. Standard library only.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def normalise(text, folder):
    text = text.replace(f"{folder}/", "")
    text = re.sub(r"/[^\"'\s]*/site-packages/", "", text)
    text = re.sub(r"/[^\"'\s]*/lib/python3\.\d+/", "", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0xADDR", text)


def last_exception(stderr):
    """`Type: first line of the message` of the exception that ended a program."""
    lines = stderr.split("\n")
    for i in range(len(lines) - 1, -1, -1):
        if lines[i] == "Traceback (most recent call last):":
            rest = next(line for line in lines[i + 1 :] if line and not line.startswith(" "))
            kind, _, message = rest.partition(": ")
            return f"{kind.rsplit('.', 1)[-1]}: {message.strip()}"
    raise SystemExit(f"a program failed without a traceback:\n{stderr}")


def run(program):
    """{suffix: text} of what one program leaves."""
    environment = dict(os.environ, PYTHONWARNINGS="ignore", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(
        [sys.executable, program.name], cwd=program.parent, env=environment, capture_output=True, text=True, timeout=120
    )
    texts = {".out": normalise(done.stdout, program.parent)}
    if done.returncode != 0:
        texts[".err"] = last_exception(normalise(done.stderr, program.parent)) + "\n"
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    different = 0
    for program in sorted(HERE.glob("*/*.py")):
        name = str(program.relative_to(HERE))
        if options.names and not any(part in name for part in options.names):
            continue
        texts = run(program)
        for suffix in (".out", ".err"):
            path = program.with_suffix(suffix)
            before = path.read_text() if path.exists() else None
            if before == texts.get(suffix):
                continue
            different += 1
            print(f"{'differs' if options.check else 'recorded'}: {path.relative_to(HERE)}", flush=True)
            if options.check:
                continue
            if suffix in texts:
                path.write_text(texts[suffix])
            else:
                path.unlink()
    return 1 if options.check and different else 0


if __name__ == "__main__":
    sys.exit(main())
