"""What a check knows of the layers of ``torch.nn`` is what they are made with."""

import inspect
import re
import unittest
from pathlib import Path

import rushlight as torch

TABLE = Path(__file__).parents[2] / "crates/rushlight_frontend/src/source_file/library.rs"


def known():
    """The parameters of every class, as the table writes them."""
    text = TABLE.read_text()
    start = text.index("const CLASSES")
    strings = re.findall(r'"((?:[^"\\]|\\.|\\\n)*)"', text[start : text.index("];", start)])
    strings = [re.sub(r"\\\n\s*", "", string) for string in strings]
    return {name: parameters for names, parameters in zip(strings[::2], strings[1::2]) for name in names.split()}


def written(cls):
    """The parameters of a class in the table's words."""
    words, by_name = [], False
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            words.append(f"*{parameter.name}")
        elif parameter.kind is parameter.VAR_KEYWORD:
            words.append(f"**{parameter.name}")
        else:
            if parameter.kind is parameter.KEYWORD_ONLY and not by_name:
                words.append("*")
                by_name = True
            words.append(parameter.name + ("" if parameter.default is parameter.empty else "="))
    return " ".join(words)


class Layers(unittest.TestCase):
    def test_parameters_are_those_of_the_classes(self):
        anything = "*args **kwargs"
        for name, parameters in known().items():
            ours = written(getattr(torch.nn, name))
            # Some hand on what they are given, here or there.
            if anything not in (ours, parameters):
                self.assertEqual(ours, parameters, name)

    def test_every_class_is_known(self):
        classes = {name for name, value in vars(torch.nn).items() if inspect.isclass(value) and not name.startswith("_")}
        self.assertLessEqual(classes, set(known()))


if __name__ == "__main__":
    unittest.main()
