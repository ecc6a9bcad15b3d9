"""What run.py has the reference's Python do, in the shape of our command line.

    PYTHON reference.py run FILE.pt ARG...          load an archive and call it once
    PYTHON reference.py run FILE.py:FUNCTION COUNT  script a function of loops.py and call it

Arguments are Python expressions over `torch`. A function is called with a small count twice before: the reference
watches the first calls and runs faster after them, and it is the settled cost that is compared.
"""

import importlib.util
import sys
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402


def load(target):
    path, _, function = target.partition(".py:")
    if not function:
        return torch.jit.load(path)
    spec = importlib.util.spec_from_file_location("program", path + ".py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return torch.jit.script(getattr(program, function))


def main():
    target, arguments = sys.argv[2], [eval(a, {"torch": torch}) for a in sys.argv[3:]]
    torch.set_num_threads(1)
    callee = load(target)
    if isinstance(callee, torch.jit.ScriptFunction):
        callee(100)
        callee(100)
    print(callee(*arguments))


if __name__ == "__main__":
    main()
