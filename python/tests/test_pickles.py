"""Scripts through pickles: modules, functions, methods and units travel as their archives."""

import copy
import io
import multiprocessing
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ProcessPoolExecutor
from typing import Optional, Tuple

import rushlight as torch

try:
    import cloudpickle
except ImportError:
    cloudpickle = None


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 2)
        self.register_buffer("seen", torch.zeros(1, dtype=torch.int64))
        self.scale = 2.5

    def forward(self, x):
        self.seen += 1
        return self.body(x) * self.scale

    @torch.jit.export
    def label(self, at: int) -> str:
        return ["no", "yes"][at]


class Holder(torch.nn.Module):
    """A plain module with scripts in it."""

    def __init__(self, part, function):
        super().__init__()
        self.part = part
        self.function = function


def twice(x: int = 3) -> int:
    return x * 2


def mixed(x: int, sizes: Tuple[int, int] = (1, 2), name: Optional[str] = None, rate: float = 0.5) -> float:
    if name is not None:
        return -1.0
    return (twice(x) + sizes[1]) * rate


def call(model, x):
    return model(x)


def through(value, dumps=pickle.dumps):
    return pickle.loads(dumps(value))


class Pickles(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.ones(1, 3)
        self.model = torch.jit.script(Scaled())

    def test_modules_keep_code_weights_and_mode(self):
        self.model.body.bias.requires_grad = False
        self.model.eval()
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(self.model, protocol))
            self.assertIsInstance(again, torch.jit.RecursiveScriptModule)
            self.assertFalse(again.training)
            self.assertEqual(again.original_name, "Scaled")
            self.assertEqual(again.code, self.model.code)
            self.assertEqual([p.requires_grad for p in again.parameters()], [True, False])
            self.assertTrue(torch.equal(again(self.x), self.model(self.x)))
            self.assertEqual(again.label(1), "yes")

    def test_memory_is_not_shared_with_the_original(self):
        again = through(self.model)
        again(self.x)
        self.assertEqual((self.model.seen.item(), again.seen.item()), (0, 1))

    def test_one_module_twice_stays_one(self):
        first, second = through([self.model, self.model])
        self.assertIs(first, second)

    def test_traced_modules_and_parts_of_modules(self):
        traced = torch.jit.trace(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh()), self.x)
        self.assertTrue(torch.equal(through(traced)(self.x), traced(self.x)))
        self.assertTrue(torch.equal(through(self.model.body)(self.x), self.model.body(self.x)))

    def test_functions_keep_names_and_defaults(self):
        function = torch.jit.script(mixed)
        again = through(function)
        self.assertIsInstance(again, torch.jit.ScriptFunction)
        self.assertEqual(again.name, "mixed")
        self.assertEqual(again.schema, function.schema)
        self.assertEqual(str(again.schema), str(function.schema))
        self.assertEqual((again(4), again(4, rate=2.0), again(4, name="n")), (5.0, 20.0, -1.0))

    def test_functions_that_arrived_are_called_by_scripts_and_saved(self):
        arrived = through(torch.jit.script(mixed))

        def outer(x: int) -> float:
            return arrived(x) + 1.0

        scripted = torch.jit.script(outer)
        self.assertEqual(scripted(4), 6.0)
        loaded = torch.jit.load(io.BytesIO(scripted.save_to_buffer()))
        self.assertEqual(loaded(4), 6.0)
        self.assertEqual(through(arrived)(4), 5.0)

    def test_traced_functions(self):
        traced = torch.jit.trace(lambda x: x.sin() + 1, self.x)
        self.assertTrue(torch.equal(through(traced)(self.x), traced(self.x)))

    def test_methods_bring_their_module(self):
        self.assertEqual(through(self.model.label)(0), "no")
        method, model = through((self.model.label, self.model))
        self.assertTrue(method.owner._same(model._c))

    def test_units(self):
        unit = torch.jit.CompilationUnit("def one() -> int:\n    return 1\n\ndef two() -> int:\n    return one() + one()\n")
        again = through(unit)
        self.assertEqual((again.one(), again.two()), (1, 2))
        self.assertIsNone(again.find_function("three"))

    def test_plain_modules_may_hold_scripts(self):
        held = through(Holder(self.model, torch.jit.script(twice)))
        self.assertEqual(held.function(), 6)
        self.assertTrue(torch.equal(held.part(self.x), self.model(self.x)))

    def test_copies_are_made_as_before(self):
        again = copy.deepcopy(self.model)
        self.assertTrue(torch.equal(again(self.x), self.model(self.x)))
        self.assertEqual(copy.deepcopy(torch.jit.script(twice))(5), 10)

    def test_checkpoints_refuse_them(self):
        for value, kind, text in (
            (self.model, RuntimeError, "Tried to serialize object __torch__.*Scaled which does not have a __getstate__ method defined!"),
            (torch.jit.script(twice), pickle.PickleError, "ScriptFunction cannot be pickled"),
        ):
            for old in (False, True):
                with self.assertRaisesRegex(kind, text):
                    torch.save({"value": value}, io.BytesIO(), _use_new_zipfile_serialization=old)

    def test_damaged_pickles_are_refused(self):
        data = bytearray(pickle.dumps(self.model))
        at = data.index(b"data.pkl")
        data[at : at + 8] = b"data.pkX"
        with self.assertRaises(RuntimeError):
            pickle.loads(bytes(data))

    def test_other_processes(self):
        for start in ("spawn", "forkserver"):
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(start)) as pool:
                self.assertTrue(torch.equal(pool.submit(call, self.model, self.x).result(), self.model(self.x)))
                self.assertEqual(pool.submit(torch.jit.script(twice)).result(), 6)

    @unittest.skipIf(cloudpickle is None, "cloudpickle is not installed")
    def test_cloudpickle_carries_closures_over_scripts(self):
        model = self.model

        def closed(x):
            return model(x)

        self.assertTrue(torch.equal(through(closed, cloudpickle.dumps)(self.x), self.model(self.x)))

    def test_under_the_alias_the_answers_are_those_of_pytorch(self):
        program = textwrap.dedent(
            """
            import pickle, torch
            def f(x: int) -> int:
                return x
            module = torch.jit.script(torch.nn.Linear(1, 1))
            for one in module, torch.jit.script(f), module.forward, torch.jit.CompilationUnit():
                try:
                    pickle.dumps(one)
                except Exception as error:
                    print(type(error).__name__, error)
            """
        )
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(program)
            file.flush()
            done = subprocess.run([sys.executable, "-m", "rushlight", file.name], capture_output=True, text=True)
        self.assertEqual(
            done.stdout.splitlines(),
            [
                "RuntimeError Tried to serialize object __torch__.torch.nn.modules.linear.Linear which does not have a "
                "__getstate__ method defined!",
                "PickleError ScriptFunction cannot be pickled",
                "TypeError cannot pickle 'torch._C.ScriptMethod' object",
                "TypeError cannot pickle 'torch._C.CompilationUnit' object",
            ],
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
