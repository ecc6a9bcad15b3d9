"""What the installed distribution says of itself."""

import importlib.metadata
import pathlib
import subprocess
import sys
import unittest

import rushlight as torch

try:
    INSTALLED = importlib.metadata.distribution("rushlight")
except importlib.metadata.PackageNotFoundError:
    INSTALLED = None


class Metadata(unittest.TestCase):
    def test_the_version_is_that_of_the_torch_it_answers_as(self):
        self.assertTrue(torch.__version__.startswith("2.15.0+"))
        self.assertEqual(torch.__version__, torch.version.__version__)
        self.assertGreaterEqual(torch.__version__, "2.15")

    @unittest.skipIf(INSTALLED is None, "the package is not installed as a distribution")
    def test_the_distribution_has_the_version_of_the_wheel(self):
        self.assertEqual(INSTALLED.version, torch.version.rushlight)
        self.assertEqual(INSTALLED.metadata["Name"], "rushlight")
        self.assertEqual(INSTALLED.metadata["License-Expression"], "MIT OR Apache-2.0")
        self.assertIn("markdown", INSTALLED.metadata["Description-Content-Type"])
        self.assertEqual([one for one in INSTALLED.requires or [] if "extra ==" not in one], [])

    @unittest.skipIf(INSTALLED is None, "the package is not installed as a distribution")
    def test_the_wheel_is_for_every_python_from_3_10_on(self):
        tags = [line.removeprefix("Tag: ") for line in INSTALLED.read_text("WHEEL").splitlines() if line.startswith("Tag: ")]
        self.assertTrue(tags)
        for tag in tags:
            self.assertTrue(tag.startswith("cp310-abi3-"), tag)

    def test_the_command_says_the_same_version(self):
        program = "import sys, rushlight.__main__ as m; sys.argv = ['rushlight', '--version']; sys.exit(m.command())"
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn(torch.version.rushlight, said.stdout, said.stderr)

    def test_under_the_alias_the_metadata_of_torch_agree(self):
        program = "import rushlight._alias as a; a.install(); import torch, importlib.metadata as m; print(m.version('torch') == torch.__version__)"
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), "True", said.stderr)

    def test_checkers_are_told_that_there_are_types(self):
        self.assertTrue(pathlib.Path(torch.__file__).with_name("py.typed").is_file())


if __name__ == "__main__":
    unittest.main()
