"""Runs programs that use other projects, unmodified, with Rushlight in PyTorch's place, and compares with what PyTorch printed.

    python tests/projects/run.py --wheel WHEEL [NAME ...]          makes an environment, installs, runs, compares
    python tests/projects/run.py --venv FOLDER --wheel WHEEL ...   keeps the environment in a folder
    python tests/projects/run.py --venv FOLDER --record PYTHON ... records with a Python that has PyTorch 2.15

Each program says what it needs: `# packages:` are installed without what they ask for, which is PyTorch, `# needs:` in the
ordinary way. PyTorch itself is never installed. The programs download no models or data. `cargo xtask test projects` runs a
few of them. Ends with 1 where a program differs, with 3 where packages cannot be installed.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from compare import differences

HERE = Path(__file__).resolve().parent
OTHERS = {"run", "compare", "show"}
QUIET = {
    "HF_HUB_OFFLINE": "1", "MPLBACKEND": "agg", "TQDM_DISABLE": "1", "YOLO_AUTOINSTALL": "false", "PYTHONWARNINGS": "ignore",
}
# torchaudio compares versions of CUDA, which have no part in what is recorded.
RECORD = (
    "import sys, os, runpy, torch; torch.version.cuda = None; sys.argv = sys.argv[1:]; "
    "sys.path.insert(0, os.path.dirname(sys.argv[0])); runpy.run_path(sys.argv[0], run_name='__main__')"
)


def asked(program, kind):
    """The packages that a program's head names."""
    found = re.search(rf"^# {kind}: (.*)$", program.read_text(), re.M)
    return found.group(1).split() if found else []


def install(python, options, packages):
    """Installs packages, never PyTorch."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        # No such version: what asks for it is refused instead of bringing it.
        constraints.write("torch==0.0.1\n")
        constraints.flush()
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", constraints.name, *options, *packages]
        subprocess.run(command, check=True)


def run(command, folder, limit):
    """What a command printed, and the last line of its complaint if it failed."""
    environment = {**os.environ, **QUIET, "YOLO_CONFIG_DIR": folder}
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return "", f"more than {limit} s"
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith(" ")]
    return done.stdout, None if done.returncode == 0 else (lines or ["no message"])[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs, without .py; all of them unless given")
    parser.add_argument("--venv", help="the environment, made if it is not there; a temporary one unless given")
    parser.add_argument("--wheel", help="Rushlight's wheel, to be installed first")
    parser.add_argument("--record", metavar="PYTHON", help="record with this Python instead of comparing")
    parser.add_argument("--installed", action="store_true", help="install nothing but the wheel")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a program")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in HERE.glob("*.py") if path.stem not in OTHERS)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(options.venv or folder)
        python = str(place / "bin" / "python")
        if not os.path.exists(python):
            venv.create(place, with_pip=True)
        if options.wheel:
            install(python, ["--force-reinstall", "--no-deps"], [options.wheel])
        matching = 0
        for name in names:
            program = HERE / f"{name}.py"
            if not options.installed:
                try:
                    install(python, ["--no-deps"], asked(program, "packages"))
                    install(python, [], asked(program, "needs"))
                except subprocess.CalledProcessError as problem:
                    print(f"{name}: its packages cannot be installed (pip ended with {problem.returncode})")
                    return 3
            record = program.with_suffix(".out")
            if options.record:
                packages = next((place / "lib").glob("python*/site-packages"))
                os.environ["PYTHONPATH"] = str(packages)
                printed, problem = run([options.record, "-c", RECORD, str(program)], folder, options.limit)
                if problem is None:
                    record.write_text(printed)
                print(name, problem or "recorded", flush=True)
                continue
            printed, problem = run([python, "-m", "rushlight", str(program)], folder, options.limit)
            found = differences(record.read_text(), printed) if record.exists() else ["nothing is recorded"]
            matches = problem is None and not found
            matching += matches
            print(name, "matches" if matches else problem or f"differs\n  {found[0]}", flush=True)
        if not options.record:
            print(f"{matching} of {len(names)} match")
            return 0 if matching == len(names) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
