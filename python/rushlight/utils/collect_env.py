"""``torch.utils.collect_env``: what a report of a problem should say of the machine."""

import os
import platform
import sys
from collections import namedtuple

from ..version import __version__

SystemEnv = namedtuple("SystemEnv", "torch_version python_version python_platform os processors")


def get_env_info():
    """Versions of the library and of Python, the system and the number of processors."""
    return SystemEnv(__version__, sys.version.replace("\n", " "), platform.platform(), platform.system(), os.cpu_count())


def pretty_str(info):
    """The same as lines."""
    return "\n".join((
        f"PyTorch version: {info.torch_version} (Rushlight stands in for it)", "Is debug build: False", "CUDA used to build PyTorch: None",
        f"OS: {info.os}", f"Python version: {info.python_version}", f"Python platform: {info.python_platform}",
        "Is CUDA available: False", f"CPU: {info.processors} processors",
    ))


def get_pretty_env_info():
    """:func:`pretty_str` of this machine."""
    return pretty_str(get_env_info())


def main():
    """Prints it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
