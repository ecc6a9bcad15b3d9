"""The programs of docs/python.md: they run one after the other in an empty folder, and what each prints stands below it.

Run without unittest, ``python test_page.py --record`` writes what is printed into the page.
"""

import contextlib
import importlib.util
import io
import linecache
import os
import pathlib
import re
import sys
import tempfile
import unittest
import warnings

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"```python\n(?P<program>.*?)```\n(?:\n```output\n(?P<output>.*?)```\n)?", re.DOTALL)


def needs(program):
    """The module that a program needs and that is not here."""
    needed = re.findall(r"^import (numpy)$", program, re.MULTILINE)
    return [name for name in needed if importlib.util.find_spec(name) is None]


def printed(number, program, names):
    """What a program prints, run among the names of those before it."""
    # Functions are scripted from their source, which is looked for by the name of the file.
    name = f"<python.md {number}>"
    linecache.cache[name] = (len(program), None, program.splitlines(True), name)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, name, "exec"), names)
    return out.getvalue()


def found(text):
    """The page with what its programs print now, and how many there are."""
    names = {"__name__": "python_page"}
    programs = 0
    out, at = [], 0
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for match in BLOCK.finditer(text):
                program = match["program"]
                if needs(program):
                    continue
                programs += 1
                output = printed(programs, program, names)
                out += [text[at : match.start()], f"```python\n{program}```\n"]
                if output:
                    out.append(f"\n```output\n{output}```\n")
                at = match.end()
        finally:
            os.chdir(before)
    out.append(text[at:])
    return "".join(out), programs


class PageTest(unittest.TestCase):
    maxDiff = None

    def test_the_page_shows_what_is_printed(self):
        text = PAGE.read_text(encoding="utf-8")
        now, programs = found(text)
        self.assertGreater(programs, 5)
        self.assertEqual(now, text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        PAGE.write_text(found(PAGE.read_text(encoding="utf-8"))[0], encoding="utf-8")
    else:
        unittest.main()
