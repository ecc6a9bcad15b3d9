"""`examples/batch`: the same answers on every engine as in one process. Engines that are not installed are left out."""

import functools
import importlib
import importlib.util
import pickle
import shutil
import sys
import unittest
import warnings
from pathlib import Path

import rushlight as torch

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "batch"


def needs(*packages):
    """Skips a test, with a message, where a package that it needs is not installed."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"not installed: pip install {' '.join(missing)}")


@needs("numpy", "pandas")
class Batch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The engines' own processes find the example by the same path.
        sys.path.insert(0, str(EXAMPLE))
        cls.addClassCleanup(sys.path.remove, str(EXAMPLE))
        # Elsewhere one process for each processor is right, here the threads of this one are to stay as they were.
        cls.addClassCleanup(torch.set_num_threads, torch.get_num_threads())
        import digits

        cls.digits = digits
        cls.model, cls.frames = digits.load(), digits.partitions(60, 4)
        cls.wanted = [digits.predict(frame, cls.model, 7) for frame in cls.frames]

    def check(self, answers):
        self.assertEqual(len(answers), len(self.wanted))
        for answer, wanted in zip(answers, self.wanted):
            self.assertEqual(answer["id"].tolist(), wanted["id"].tolist())
            self.assertEqual(answer["digit"].tolist(), wanted["digit"].tolist())
            for one, other in zip(answer["probability"], wanted["probability"]):
                self.assertAlmostEqual(one, other, 5)

    def run_on(self, engine):
        with warnings.catch_warnings():
            # Engines warn of threads at forks and of files that they leave to the collector.
            warnings.simplefilter("ignore")
            self.check(importlib.import_module(engine).run(self.frames, self.model, 2))

    def test_processes(self):
        self.run_on("on_processes")

    @needs("dask", "pyarrow")
    def test_dask(self):
        self.run_on("on_dask")

    @needs("ray")
    def test_ray(self):
        self.run_on("on_ray")

    @needs("pyspark", "pyarrow")
    @unittest.skipIf(shutil.which("java") is None, "not installed: Java")
    def test_spark(self):
        self.run_on("on_spark")

    def test_the_function_for_spark_takes_frames_and_travels(self):
        import on_spark

        self.check(list(on_spark.answers(self.model)(iter(self.frames))))
        names = [field.split()[0] for field in on_spark.SCHEMA.split(", ")]
        self.assertEqual(names, list(self.wanted[0].columns))

    @needs("cloudpickle")
    def test_the_function_for_spark_goes_through_cloudpickle(self):
        import cloudpickle
        import on_spark

        self.check(list(pickle.loads(cloudpickle.dumps(on_spark.answers(self.model)))(iter(self.frames))))

    def test_empty_partitions_have_empty_answers(self):
        answer = self.digits.predict(self.frames[0].iloc[:0], self.model)
        self.assertEqual((len(answer), [str(kind) for kind in answer.dtypes]), (0, ["int64", "int64", "float32"]))

    def test_a_partial_function_travels_with_the_model(self):
        again = pickle.loads(pickle.dumps(functools.partial(self.digits.predict, model=self.model)))
        self.check([again(frame) for frame in self.frames])


if __name__ == "__main__":
    unittest.main()
