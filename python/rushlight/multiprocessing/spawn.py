"""Several processes that run one function."""

import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import traceback
import warnings
from multiprocessing import connection

__all__ = ["ProcessException", "ProcessExitedException", "ProcessRaisedException", "spawn", "start_processes"]


class ProcessException(Exception):
    """A process has failed."""

    __slots__ = ["error_index", "error_pid"]

    def __init__(self, msg, error_index, pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid
        self.error_pid = pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """The function has raised an exception."""

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg, error_index, error_pid)


class ProcessExitedException(ProcessException):
    """A process has ended otherwise than by the end of the function."""

    __slots__ = ["exit_code", "signal_name"]

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _run(fn, i, args, error_file):
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        # Whoever started the process has been interrupted too.
        pass
    except Exception:
        with open(error_file, "wb") as file:
            pickle.dump(traceback.format_exc(), file)
        sys.exit(1)


class ProcessContext:
    """Processes that run together: the failure of one is the end of all."""

    def __init__(self, processes, error_files):
        self.processes, self.error_files = processes, error_files
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self):
        """The numbers of the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Waits until a process ends: True when all have, and raises what one has failed with once all have stopped."""
        if not self.sentinels:
            return True
        failed = None
        for sentinel in connection.wait(self.sentinels, timeout=timeout):
            index = self.sentinels.pop(sentinel)
            process = self.processes[index]
            process.join()
            if process.exitcode != 0:
                failed = index
                break
        if failed is None:
            return not self.sentinels
        self._stop(grace_period)
        self._raise(failed)

    def _stop(self, grace_period):
        for process in self.processes:
            if process.is_alive():
                process.terminate()
        for process in self.processes:
            process.join(30 if grace_period is None else grace_period)
            if process.is_alive():
                process.kill()
                process.join()

    def _raise(self, index):
        process = self.processes[index]
        path = self.error_files[index]
        told = os.path.getsize(path) > 0 if os.path.exists(path) else False
        if not told:
            code = process.exitcode
            if code < 0:
                try:
                    name = signal.Signals(-code).name
                except ValueError:
                    name = f"<Unknown signal {-code}>"
                text = f"process {index} terminated with signal {name}"
                raise ProcessExitedException(text, index, process.pid, code, name)
            text = f"process {index} terminated with exit code {code}"
            raise ProcessExitedException(text, index, process.pid, code)
        with open(path, "rb") as file:
            trace = pickle.load(file)
        text = f"\n\n-- Process {index} terminated with the following error:\n{trace}"
        raise ProcessRaisedException(text, index, process.pid)

    def __del__(self):
        for path in self.error_files:
            try:
                os.unlink(path)
            except OSError:
                pass


class SpawnContext(ProcessContext):
    """The earlier name of :class:`ProcessContext`."""


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs ``fn(i, *args)`` in `nprocs` processes; waits for them unless `join` is False."""
    context = multiprocessing.get_context(start_method)
    processes, error_files = [], []
    for i in range(nprocs):
        descriptor, path = tempfile.mkstemp(prefix="pytorch-errorfile-", suffix=".pickle")
        os.close(descriptor)
        process = context.Process(target=_run, args=(fn, i, args, path), daemon=daemon)
        process.start()
        error_files.append(path)
        processes.append(process)
    started = ProcessContext(processes, error_files)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs ``fn(i, *args)`` in `nprocs` processes that are started anew."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a different start_method use:\n\t\t "
            "torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method)
