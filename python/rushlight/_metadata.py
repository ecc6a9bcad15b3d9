"""What ``importlib.metadata`` says of ``torch`` while this package stands in for it."""

from importlib.metadata import Distribution

from .version import __version__


class Torch(Distribution):
    """The distribution ``torch``: a name and a version, without files."""

    def read_text(self, filename):
        """The text of a file of metadata; None for those that there are not."""
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n"
        if filename == "top_level.txt":
            return "torch\n"
        return None

    def locate_file(self, path):
        """Where a file of the distribution lies: nowhere, it has none."""
        raise FileNotFoundError(path)
