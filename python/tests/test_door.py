"""The Python door against the installed wheel: tensors, scripts, archives, numpy, the torch alias."""

import copy
import io
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings

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


def keep_tensor(x):
    return x


def keep(x: torch.Tensor, name: str):
    torch.save(x, name)


class Doubled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((2,), 2.0, dtype=torch.float16))

    def forward(self, x):
        return x.to(torch.float16) * self.weight


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

    def test_functions_are_saved_and_loaded(self):
        scripted = torch.jit.script(count_down)
        loaded = torch.jit.load(io.BytesIO(scripted.save_to_buffer()))
        self.assertEqual(loaded(4), 10)
        self.assertEqual(loaded.save_to_buffer(), loaded.save_to_buffer())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f.pt")
            torch.jit.save(scripted, path, _extra_files={"note.txt": "hello"})
            files = {"note.txt": ""}
            self.assertEqual(torch.jit.load(str(path), _extra_files=files)(4), 10)
            self.assertEqual(files["note.txt"], b"hello")

    def test_errors_in_archives_name_both_sources(self):
        loaded = torch.jit.load(io.BytesIO(torch.jit.script(may_raise).save_to_buffer()))
        with self.assertRaises(torch.jit.Error) as caught:
            loaded(-1)
        self.assertIn("serialized code", str(caught.exception))
        self.assertIn('assert x > 0, "x must be positive"', str(caught.exception))

    def test_errors_name_the_line(self):
        scripted = torch.jit.script(may_raise)
        with self.assertRaises(torch.jit.Error) as caught:
            scripted(0)
        self.assertIn("x must be positive", str(caught.exception))
        self.assertIn("<--- HERE", str(caught.exception))

    def test_archives_load_and_run(self):
        model = torch.jit.load(str(ROOT / "examples" / "digits" / "digits.pt"))
        self.assertEqual(tuple(model(torch.zeros(1, 28, 28)).shape), (10,))

    def test_archives_are_made_for_another_precision(self):
        module = torch.jit.script(Doubled())
        buffer = io.BytesIO(module.save_to_buffer())
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            loaded = torch.jit.load(buffer, device="cpu", dtype=torch.float32)
        texts = [str(warning.message) for warning in heard]
        self.assertTrue(any("torch.float16 became torch.float32" in text for text in texts), texts)
        self.assertEqual(loaded(torch.ones(2)).dtype, torch.float32)
        self.assertEqual(loaded.weight.dtype, torch.float32)
        with self.assertRaises(TypeError):
            torch.jit.load(buffer, dtype=torch.int64)

    def test_scripts_reach_files_in_an_allowed_folder_only(self):
        scripted = torch.jit.script(keep)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(RuntimeError, "aten::save is refused"):
                scripted(torch.ones(2), "kept.pt")
            torch.jit.allow_files(folder)
            try:
                scripted(torch.ones(2), "kept.pt")
                with self.assertRaises(RuntimeError):
                    scripted(torch.ones(2), "../kept.pt")
            finally:
                torch.jit.allow_files(None)
            self.assertEqual(torch.load(pathlib.Path(folder) / "kept.pt").tolist(), [1.0, 1.0])

    def test_checkpoints_come_back_with_what_they_share(self):
        x = torch.arange(6).reshape(2, 3)
        saved = {"x": x, "view": x.t(), "kept": torch.nn.Parameter(torch.ones(1)), "kind": torch.float32, "n": (1, None)}
        file = io.BytesIO()
        torch.save(saved, file)
        file.seek(0)
        loaded = torch.load(file)
        loaded["x"][0, 1] = 9
        self.assertEqual(loaded["view"][1, 0].item(), 9)
        self.assertEqual((loaded["kind"], loaded["n"]), (torch.float32, (1, None)))
        self.assertIsInstance(loaded["kept"], torch.nn.Parameter)

    def test_checkpoints_run_no_code_unless_trusted(self):
        for is_archive in (True, False):
            file = io.BytesIO()
            torch.save(Door, file, _use_new_zipfile_serialization=is_archive)
            for only in (None, True):
                file.seek(0)
                with self.assertRaises(pickle.UnpicklingError):
                    torch.load(file, weights_only=only)
            file.seek(0)
            self.assertIs(torch.load(file, weights_only=False), Door)

    def test_checkpoints_as_streams(self):
        base = torch.arange(6.0)
        file = io.BytesIO()
        torch.save({"a": base, "b": base[2:4], "n": 1}, file, _use_new_zipfile_serialization=False)
        whole = file.getvalue()
        loaded = torch.load(io.BytesIO(whole))
        loaded["a"][2] = 7
        self.assertEqual(loaded["b"].tolist(), [7, 3])
        for end in range(0, len(whole) - 1, 7):
            with self.assertRaises((pickle.UnpicklingError, struct.error, EOFError, RuntimeError, ValueError, IndexError)):
                torch.load(io.BytesIO(whole[:end]))

    def test_deep_copies_share_what_was_shared(self):
        base = torch.arange(4.0)
        copied = copy.deepcopy([base, base[1:3]])
        copied[0][1] = 9
        self.assertEqual((copied[1].tolist(), base[1].item()), ([9, 2], 1))

    def test_dlpack_shares_memory(self):
        x = torch.arange(6).reshape(2, 3)
        y = torch.from_dlpack(x.t())
        y[0, 1] = 10
        self.assertEqual((x[1, 0].item(), tuple(y.shape)), (10, (3, 2)))
        capsule = torch.utils.dlpack.to_dlpack(x)
        self.assertEqual(torch.from_dlpack(capsule).tolist(), x.tolist())
        with self.assertRaises(RuntimeError):
            torch.from_dlpack(capsule)

    def test_numpy_shares_memory(self):
        import numpy

        array = numpy.zeros(3, dtype="float32")
        tensor = torch.from_numpy(array)
        tensor[1] = 5
        self.assertEqual(array[1], 5.0)
        self.assertEqual(tensor.numpy()[1], 5.0)

    def test_futures_wait_for_other_threads(self):
        import threading
        import time

        first, second = torch.futures.Future(), torch.futures.Future()
        both = torch.futures.collect_all([first, second])
        second.set_result(2)

        def complete():
            time.sleep(0.05)
            first.set_result(1)

        thread = threading.Thread(target=complete)
        thread.start()
        self.assertEqual([f.wait() for f in both.wait()], [1, 2])
        thread.join()
        with self.assertRaisesRegex(RuntimeError, "nothing in this process will complete"):
            torch.futures.Future().wait()
        with self.assertRaisesRegex(RuntimeError, "Can not pickle"):
            pickle.dumps(first)

    def test_the_memory_behind_tensors_shows(self):
        x = torch.arange(6).view(2, 3)
        row = x[1]
        self.assertEqual(row.storage().tolist(), [0, 1, 2, 3, 4, 5])
        self.assertEqual(row.untyped_storage().nbytes(), 48)
        self.assertEqual(row.untyped_storage(), x.untyped_storage())
        self.assertNotEqual(x.clone().untyped_storage(), x.untyped_storage())
        self.assertFalse(x.is_nested or x.is_mkldnn or x.is_meta)

    def test_names_that_cannot_work_say_so(self):
        with self.assertRaisesRegex(NotImplementedError, "dynamo_export: Rushlight does not have this"):
            torch.onnx.dynamo_export(None)
        with self.assertRaisesRegex(AttributeError, "'NoneType' object has no attribute 'modules'"):
            torch.onnx.export(None, (), "f")
        with self.assertRaisesRegex(RuntimeError, "does not exist"):
            torch.classes.mine.Thing

    def test_script_objects_of_modules_answer_by_name(self):
        class Inner(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a = 3

            def forward(self, x):
                return x + self.a

        class Outer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x):
                return self.inner(x)

        inner = torch.jit.script(Outer())._c.inner
        self.assertTrue(inner.hasattr("a"))
        self.assertEqual(inner.getattr("a"), 3)
        self.assertFalse(inner.hasattr("b"))
        self.assertEqual(inner._method_names(), ["forward"])
        with self.assertRaisesRegex(AttributeError, "does not have a field with name 'b'"):
            inner.b
        self.assertIn("module __torch__", inner.dump_to_str())

    def test_a_tensor_given_back_is_the_object_given(self):
        same = torch.jit.script(keep_tensor)
        x = torch.ones(2)
        self.assertIs(same(x), x)

    def test_programs_that_import_torch_run_unmodified(self):
        program = ROOT / "tests" / "programs" / "01_types"
        first = sorted(program.glob("*.py"))[0]
        run = subprocess.run([sys.executable, "-m", "rushlight", str(first)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
