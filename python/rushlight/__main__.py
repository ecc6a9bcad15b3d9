"""``python -m rushlight program.py``: runs a program with ``torch`` standing for this package.

``python -m rushlight -m module`` runs a module: ``-m torch.distributed.run`` starts several processes.
"""

import os
import runpy
import sys


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print("usage: python -m rushlight [-m] program.py [argument ...]\n")
        print("Runs a program that says `import torch`, unmodified, with Rushlight in torch's place.")
        return 0 if arguments else 2
    from ._alias import install

    install()
    if arguments[0] == "-m":
        return run_module(arguments[1:])
    program = arguments[0]
    if not os.path.exists(program):
        print(f"rushlight: there is no file {program}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    # As Python itself does: code knows its file by the whole path.
    runpy.run_path(os.path.abspath(program), run_name="__main__")
    return 0


def run_module(arguments):
    """Runs a module as a program; its arguments follow its name."""
    if not arguments:
        print("rushlight: -m needs the name of a module", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.getcwd()
    name = arguments[0]
    if name.partition(".")[0] == "torch":
        name = "rushlight" + name[len("torch") :]
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def command():
    """The ``rushlight`` console script."""
    from ._rushlight import run_command

    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
