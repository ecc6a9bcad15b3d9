"""`torch.hub`: downloads show how far they are, and leave nothing behind when they fail. Nothing here goes over a network."""

import contextlib
import hashlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import rushlight as torch


class Downloads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = bytes(range(256)) * 2048
        self.source = self.folder / "source.bin"
        self.source.write_bytes(self.data)
        self.target = self.folder / "target.bin"

    def download(self, **options):
        said = io.StringIO()
        # Whether or not the package tqdm is there, the bar is that of a machine without it.
        with mock.patch.object(torch.hub, "tqdm", torch.hub._Faketqdm), contextlib.redirect_stderr(said):
            torch.hub.download_url_to_file(self.source.as_uri(), str(self.target), **options)
        return said.getvalue()

    def test_progress_is_shown_in_percent_up_to_all(self):
        said = self.download()
        self.assertEqual(self.target.read_bytes(), self.data)
        self.assertEqual(said.split("\r")[1:], ["25.0%", "50.0%", "75.0%", "100.0%\n"])

    def test_it_can_be_left_out(self):
        self.assertEqual(self.download(progress=False), "")
        self.assertEqual(self.target.read_bytes(), self.data)

    def test_hashes_are_compared_and_wrong_files_are_not_kept(self):
        self.download(progress=False, hash_prefix=hashlib.sha256(self.data).hexdigest()[:8])
        self.target.unlink()
        with self.assertRaisesRegex(RuntimeError, "invalid hash value"):
            self.download(progress=False, hash_prefix="00000000")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["source.bin"])

    def test_a_bar_of_the_package_tqdm_is_used_where_it_is_installed(self):
        try:
            import tqdm.auto
        except ImportError:
            self.skipTest("not installed: pip install tqdm")
        self.assertIs(torch.hub.tqdm, tqdm.auto.tqdm)


if __name__ == "__main__":
    unittest.main()
