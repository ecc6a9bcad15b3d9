"""``python -m rushlight program.py``: runs a program with ``torch`` standing for this package.

``python -m rushlight -`` reads the program from its standard input, ``-c TEXT`` takes it as an argument, and
``-m module`` runs a module: ``-m torch.distributed.run`` starts several processes.
"""

import linecache
import os
import runpy
import sys
import traceback
import types

USAGE = """usage: python -m rushlight program.py [argument ...]
       python -m rushlight -m module [argument ...]
       python -m rushlight -c text [argument ...]
       python -m rushlight - [argument ...]

Runs a program that says `import torch`, unmodified, with Rushlight in torch's place: a file, a module, a text, or what
comes through the standard input.

examples:
  python -m rushlight train.py --epochs 3
  python -m rushlight -c "import torch; print(torch.ones(2) + 1)"
  python -m rushlight -m torch.distributed.run --nproc-per-node 2 train.py
"""


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    from ._alias import install

    install()
    first = arguments[0]
    if first == "-m":
        return run_module(arguments[1:])
    if first == "-":
        return run_text(sys.stdin.read(), "<stdin>", arguments)
    if first == "-c":
        if len(arguments) < 2:
            print("rushlight: -c needs the text of a program", file=sys.stderr)
            return 2
        return run_text(arguments[1], "<string>", ["-c", *arguments[2:]])
    if not os.path.exists(first):
        print(f"rushlight: there is no file {first}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(first))
    # As Python itself does: code knows its file by the whole path, as it was given.
    path = os.path.join(os.getcwd(), first)
    if os.path.isfile(first):
        from ._noticing import look_at_text

        with open(first, "rb") as file:
            look_at_text(file.read().decode("utf-8", "replace"), path)
    return run(lambda: runpy.run_path(path, run_name="__main__"))


def run_text(text, name, arguments):
    """Runs a program that is no file. Its lines are kept, so that functions can be scripted and errors show them."""
    sys.argv = arguments
    sys.path[0] = ""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    from ._noticing import look_at_text

    look_at_text(text, name)
    program = types.ModuleType("__main__")
    sys.modules["__main__"] = program
    return run(lambda: exec(compile(text, name, "exec"), vars(program)))


def run(program):
    """Runs a program; an error that ends it is shown from the program's first frame on, as Python shows it."""
    try:
        program()
    except (Exception, KeyboardInterrupt) as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _LAUNCHING:
            trace = trace.tb_next
        # Python's own hook knows no lines of texts that are no files.
        shows = traceback.print_exception if sys.excepthook is sys.__excepthook__ else sys.excepthook
        shows(type(error), error.with_traceback(trace), trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


# The files whose frames stand between Python and the program.
_LAUNCHING = (__file__, runpy.run_path.__code__.co_filename)


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
    return run(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


def command():
    """The ``rushlight`` console script."""
    from ._rushlight import run_command

    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
