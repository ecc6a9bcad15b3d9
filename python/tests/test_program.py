"""``python -m rushlight``: programs as files, texts and modules, and how their errors are shown."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import sys
import torch

@torch.jit.script
def shifted(x: torch.Tensor):
    return x + 1

print(shifted(torch.ones(1)), __name__, sys.argv[1:])
if "fail" in sys.argv:
    raise ValueError("as asked")
"""


def run(*arguments, text=None):
    command = [sys.executable, "-m", "rushlight", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)


class Program(unittest.TestCase):
    def test_a_file_a_text_and_the_standard_input_run_alike(self):
        expected = "tensor([2.]) __main__ ['a']\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "program.py")
            path.write_text(PROGRAM)
            self.assertEqual(run(str(path), "a").stdout, expected)
        self.assertEqual(run("-c", PROGRAM, "a").stdout, expected)
        self.assertEqual(run("-", "a", text=PROGRAM).stdout, expected)

    def test_an_error_shows_the_frames_of_the_program_alone(self):
        done = run("-", "fail", text=PROGRAM)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "Traceback (most recent call last):")
        self.assertEqual(lines[1], '  File "<stdin>", line 11, in <module>')
        self.assertIn('raise ValueError("as asked")', lines[2])
        self.assertEqual(lines[-1], "ValueError: as asked")

    def test_the_status_is_the_programs(self):
        self.assertEqual(run("-c", "import sys; sys.exit(7)").returncode, 7)
        self.assertEqual(run("-c").returncode, 2)
        self.assertEqual(run("no_such_file.py").returncode, 2)
        self.assertEqual(run().returncode, 2)
        self.assertIn("usage", run("--help").stdout)


if __name__ == "__main__":
    unittest.main()
