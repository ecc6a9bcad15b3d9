"""Limits, Ctrl-C and memory at the Python door."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import rushlight as torch

FOREVER = """
import rushlight as torch

unit = torch.jit.CompilationUnit('''
def forever(x: Tensor):
    while True:
        x = torch.sigmoid(x)
    return x
''')
print("running", flush=True)
unit.forever(torch.ones(3))
"""


def resident():
    """Bytes of the process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Limits(unittest.TestCase):
    def test_time_holds_in_kernels(self):
        x = torch.ones(2000, 2000, dtype=torch.float64)
        start = time.monotonic()
        with self.assertRaisesRegex(RuntimeError, "stopped after 200 ms"):
            with torch.jit.Limits(time=0.2):
                while True:
                    torch.linalg.svd(x)
        self.assertLess(time.monotonic() - start, 2)

    def test_memory_holds_in_operators(self):
        with self.assertRaises(MemoryError):
            with torch.jit.Limits(memory=10 << 20):
                torch.ones(10 << 20)
        self.assertEqual(torch.ones(10 << 20).numel(), 10 << 20)

    def test_instructions_are_named_as_they_were_given(self):
        unit = torch.jit.CompilationUnit("def g(n: int):\n    while True:\n        n = n + 1\n    return n\n")
        with self.assertRaisesRegex(RuntimeError, "stopped after 50000 instructions"):
            with torch.jit.Limits(instructions=50000):
                unit.g(1)

    def test_inner_limits_end_with_their_block(self):
        with torch.jit.Limits(memory=100 << 20):
            with torch.jit.Limits(memory=1 << 20):
                torch.ones(10)
            torch.ones(2 << 20)

    def test_numbers_out_of_range_are_refused(self):
        for value in (-1.0, float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                torch.jit.Limits(time=value)


class Interrupts(unittest.TestCase):
    def setUp(self):
        # Shells start what runs in the background with this signal ignored, which Python leaves so.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def interrupted_after(self, work):
        """Seconds from a SIGINT to the exception."""
        sent = []

        def send():
            time.sleep(0.3)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=send).start()
        with self.assertRaises(KeyboardInterrupt):
            work()
        return time.monotonic() - sent[0]

    def test_scripts_stop(self):
        unit = torch.jit.CompilationUnit(
            "def f(x: Tensor):\n    while True:\n        x = x + 1\n    return x\n\n"
            "def g(n: int):\n    while True:\n        n = n + 1\n    return n\n"
        )
        self.assertLess(self.interrupted_after(lambda: unit.f(torch.ones(3))), 1)
        self.assertLess(self.interrupted_after(lambda: unit.g(1)), 1)

    def test_kernels_stop(self):
        def work():
            x = torch.ones(3000, 3000, dtype=torch.float64)
            while True:
                torch.linalg.svd(x)

        self.assertLess(self.interrupted_after(work), 1)

    def test_handlers_of_signals_may_raise_what_they_like(self):
        class Late(Exception):
            pass

        def late(*_):
            raise Late("too late")

        before = signal.signal(signal.SIGALRM, late)
        unit = torch.jit.CompilationUnit("def g(n: int):\n    while True:\n        n = n + 1\n    return n\n")
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with self.assertRaises(Late):
                unit.g(1)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_the_traceback_of_the_script_is_a_note(self):
        with subprocess.Popen(
            [sys.executable, "-c", FOREVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            process.stdout.readline()
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, text = process.communicate(timeout=20)
        self.assertIn("KeyboardInterrupt", text)
        if sys.version_info >= (3, 11):
            self.assertIn("torch.sigmoid(x)", text)


class Memory(unittest.TestCase):
    def test_replaced_data_is_freed(self):
        p = torch.ones(1000, 1000)
        p.data = p.data * 1.0
        before = resident()
        for _ in range(200):
            p.data = p.data * 1.0
        self.assertLess(resident() - before, 40 << 20)

    def test_panics_never_reach_python(self):
        for call in (
            lambda: torch.tensor(1.0).topk(0),
            lambda: torch.ones(3, dtype=torch.uint8).remainder_(2147483648),
            lambda: torch.ones(3).sum(dtype=torch.qint32),
            lambda: torch.tensor(1j).expand(1 << 61),
        ):
            try:
                call()
            except Exception as error:  # a PanicException is no Exception
                self.assertNotIn("mistake in Rushlight", str(error))


if __name__ == "__main__":
    unittest.main()
