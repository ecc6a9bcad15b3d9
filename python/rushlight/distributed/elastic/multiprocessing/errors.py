"""What a launcher is told of a process that has failed, and what it tells."""

import datetime
import functools
import json
import os
import signal
import time
import traceback

__all__ = ["ChildFailedError", "ProcessFailure", "record"]

_HINT = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
_WIDTH = 60


class ProcessFailure:
    """The end of a process that should not have ended so.

    Args:
        local_rank, pid, exitcode: which process, and how it ended.
        error_file: where it has left what it raised, if it did.
    """

    def __init__(self, local_rank, pid, exitcode, error_file):
        self.local_rank, self.pid, self.exitcode = local_rank, pid, exitcode
        self.error_file, self.message, self.timestamp = "<N/A>", _HINT, int(time.time())
        if exitcode < 0:
            self.message = f"Signal {-exitcode} ({self.signal_name()}) received by PID {pid}"
        try:
            with open(error_file) as file:
                told = json.load(file)["message"]
            self.error_file = error_file
            self.message = told["extraInfo"]["py_callstack"]
            self.timestamp = int(told["extraInfo"]["timestamp"])
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def signal_name(self):
        """The name of the signal that has ended the process; nothing for one that has ended by itself."""
        if self.exitcode >= 0:
            return ""
        try:
            return signal.Signals(-self.exitcode).name
        except ValueError:
            return "<Unknown signal>"

    def timestamp_isoformat(self):
        """When it happened."""
        return datetime.datetime.fromtimestamp(self.timestamp).isoformat(sep="_")

    def _told(self, number, rank, host):
        name = self.signal_name()
        lines = self.message.replace("\n", "\n  ")
        return (
            f"[{number}]:\n  time      : {self.timestamp_isoformat()}\n  host      : {host}\n  rank      : {rank} (local_rank: "
            f"{self.local_rank})\n  exitcode  : {self.exitcode} (pid: {self.pid}) {f' ({name})' if name else ''}\n  error_file: "
            f"{self.error_file}\n  traceback : {lines}"
        )


class ChildFailedError(Exception):
    """Processes of a job have failed.

    Args:
        name: what they ran.
        failures: :class:`ProcessFailure` by rank.
        host: the name of the machine.
    """

    def __init__(self, name, failures, host="localhost"):
        self.name, self.failures = name, failures
        self._host = host
        assert failures
        super().__init__(self.format_msg())

    def get_first_failure(self):
        """The rank that failed first, and its failure."""
        rank = min(self.failures, key=lambda r: (self.failures[r].timestamp, self.failures[r].exitcode == -signal.SIGTERM))
        return rank, self.failures[rank]

    def format_msg(self):
        """All of it as text."""
        first, cause = self.get_first_failure()
        others = [
            failure._told(i, rank, self._host)
            for i, (rank, failure) in enumerate(sorted(item for item in self.failures.items() if item[0] != first))
        ]
        ordered = [f.replace(f"[{i}]:", f"[{i + 1}]:", 1) for i, f in enumerate(others)]
        line, thin = "=" * _WIDTH, "-" * _WIDTH
        rest = "\n".join(ordered) if ordered else "  <NO_OTHER_FAILURES>"
        return (
            f"\n{line}\n{self.name} FAILED\n{thin}\nFailures:\n{rest}\n{thin}\nRoot Cause (first observed failure):\n"
            f"{cause._told(0, first, self._host)}\n{line}"
        )


def record(fn, error_handler=None):
    """A function whose exception is left for the launcher, in the file that ``TORCHELASTIC_ERROR_FILE`` names."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        try:
            return fn(*args, **kwargs)
        except SystemExit as leave:
            if leave.code != 0:
                _leave(leave)
            raise
        except ChildFailedError:
            raise
        except Exception as error:
            _leave(error)
            raise

    return wrapper


def _leave(error):
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if not path:
        return
    told = {
        "message": {
            "message": f"{type(error).__name__}: {error}",
            "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))},
        }
    }
    try:
        with open(path, "w") as file:
            json.dump(told, file)
    except OSError:
        pass
