"""The modules of ``torch.nn`` against the records in ``tests/nn``: names, printed forms, weights to the bit, results."""

import json
import math
import pathlib
import unittest
import warnings

import rushlight as torch
from rushlight import nn

RECORDS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "nn"


class Caller(nn.Module):
    """Calls a module whose class has overloads of ``forward``: those compile at the call."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def build(description):
    """The module or value that a description stands for; ``tests/nn/record.py`` has the same function."""
    if isinstance(description, dict) and "module" in description:
        args = [build(a) for a in description["args"]]
        kwargs = {k: build(v) for k, v in description["kwargs"].items()}
        return getattr(nn, description["module"])(*args, **kwargs)
    if isinstance(description, dict):
        ((kind, data),) = description.items()
        if kind == "value":
            return torch.tensor(data)
        if kind == "randint":
            return torch.randint(data[0], data[1], data[2])
        return getattr(torch, kind)(data)
    return tuple(description) if isinstance(description, list) else description


def attributes(made):
    """The public plain attributes, in order."""
    kept = {}
    for name, attribute in vars(made).items():
        if not name.startswith("_") and isinstance(attribute, (type(None), bool, int, float, str, tuple, list)):
            kept[name] = repr(attribute)
    return kept


def near(ours, theirs):
    """Whether two numbers agree up to rounding."""
    return ours == theirs or math.isnan(ours) and math.isnan(theirs) or math.isclose(ours, theirs, rel_tol=2e-5, abs_tol=2e-6)


class Modules(unittest.TestCase):
    """One test for each family of modules."""

    maxDiff = None

    def assert_shown(self, result, expected, exact=False):
        """A result against how it was written down."""
        if isinstance(expected, list):
            self.assertEqual(len(result), len(expected))
            for ours, theirs in zip(result, expected):
                self.assert_shown(ours, theirs, exact)
        elif isinstance(expected, dict):
            self.assertEqual(str(result.dtype), expected["dtype"])
            self.assertEqual(list(result.shape), expected["shape"])
            first = result.detach().flatten()[: len(expected["first"])].tolist()
            if exact:
                self.assertEqual(first, expected["first"])
            else:
                self.assertTrue(all(map(near, first, expected["first"])), f"{first} is not {expected['first']}")
        else:
            self.assertEqual(result, expected)

    def assert_state(self, made, expected, exact):
        state = made.state_dict()
        self.assertEqual(list(state), list(expected))
        for name, tensor in state.items():
            self.assert_shown(tensor, expected[name], exact)

    def check(self, record):
        """One record: construction, initial state, attributes, a call."""
        torch.manual_seed(0)
        made = build(record)
        made.train(not record["eval"])
        kind = type(made)
        self.assertEqual(f"{kind.__module__}.{kind.__qualname__}", record["class"])
        self.assertEqual(list(getattr(kind, "__constants__", [])), record["constants"])
        self.assertEqual(repr(made), record["repr"])
        self.assertEqual(attributes(made), record["attributes"])
        self.assert_state(made, record["state"], exact=True)
        torch.manual_seed(1)
        inputs = [build(i) for i in record["inputs"]]
        torch.manual_seed(2)
        with torch.no_grad():
            result = made(*[i.clone() for i in inputs])
        self.assert_shown(result, record["result"])
        if record["state_after"] is not None:
            self.assert_state(made, record["state_after"], exact=False)
        return made, inputs

    def check_scripted(self, record, made, inputs):
        """The scripted module gives what the reference's scripted module gives."""
        scripted = torch.jit.script(Caller(made) if isinstance(made, nn.RNNBase) else made)
        torch.manual_seed(2)
        with torch.no_grad():
            self.assert_shown(scripted(*[i.clone() for i in inputs]), record["scripted"])


def family_test(path):
    def test(self):
        for index, record in enumerate(json.loads(path.read_text())):
            with self.subTest(index=index, module=record["module"], args=record["args"], kwargs=record["kwargs"]):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made, inputs = self.check(record)
                    if record["scripted"] is not None:
                        self.check_scripted(record, made, inputs)

    return test


for _path in sorted(RECORDS.glob("*.json")):
    setattr(Modules, f"test_{_path.stem}_modules_agree_with_their_records", family_test(_path))


if __name__ == "__main__":
    unittest.main()
