"""The Python door against the installed wheel: tensors, scripts, archives, numpy, the torch alias."""

import pathlib
import subprocess
import sys
import unittest

import rushlight as torch

ROOT = pathlib.Path(__file__).resolve().parents[2]


def count_down(n: int) -> int:
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


def may_raise(x: int) -> int:
    assert x > 0, "x must be positive"
    return x


class Door(unittest.TestCase):
    def test_tensors_compute_and_print(self):
        x = torch.ones(2, 2) + 1
        self.assertEqual(x.tolist(), [[2.0, 2.0], [2.0, 2.0]])
        self.assertEqual(repr(torch.tensor([1, 2])), "tensor([1, 2])")
        self.assertEqual(x[0, 1:].tolist(), [2.0])

    def test_functions_compile_and_run(self):
        scripted = torch.jit.script(count_down)
        self.assertEqual(scripted(4), 10)
        self.assertEqual(str(scripted.schema), "count_down(int n) -> int")

    def test_errors_name_the_line(self):
        scripted = torch.jit.script(may_raise)
        with self.assertRaises(torch.jit.Error) as caught:
            scripted(0)
        self.assertIn("x must be positive", str(caught.exception))
        self.assertIn("<--- HERE", str(caught.exception))

    def test_archives_load_and_run(self):
        model = torch.jit.load(str(ROOT / "examples" / "digits" / "digits.pt"))
        self.assertEqual(tuple(model(torch.zeros(1, 28, 28)).shape), (10,))

    def test_numpy_shares_memory(self):
        import numpy

        array = numpy.zeros(3, dtype="float32")
        tensor = torch.from_numpy(array)
        tensor[1] = 5
        self.assertEqual(array[1], 5.0)
        self.assertEqual(tensor.numpy()[1], 5.0)

    def test_programs_that_import_torch_run_unmodified(self):
        program = ROOT / "tests" / "programs" / "01_types"
        first = sorted(program.glob("*.py"))[0]
        run = subprocess.run([sys.executable, "-m", "rushlight", str(first)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
