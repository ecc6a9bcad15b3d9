"""``torch.distributed.run``: runs a program in several processes that can meet.

    python -m rushlight -m torch.distributed.run --nproc-per-node 4 program.py [argument ...]

Each process finds its rank and the others in its environment (``RANK``, ``WORLD_SIZE``, ``LOCAL_RANK``, ``MASTER_ADDR``,
``MASTER_PORT``, ...), where ``init_process_group`` looks. On one machine the launcher serves the store and makes a secret
for the job; several machines need ``--nnodes``, ``--node-rank``, ``--master-addr`` and a secret of their own
(``RUSHLIGHT_RPC_SECRET``). When a process fails the others are ended, and started again up to ``--max-restarts`` times.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from . import _secret
from ._tcp_store import TCPStore
from .elastic.multiprocessing.errors import ChildFailedError, ProcessFailure, record

__all__ = ["get_args_parser", "main", "parse_args", "run"]

_PAUSE = 0.02
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def _option(parser, name, **how):
    """An option that is spelled with dashes, or with underscores."""
    parser.add_argument(f"--{name}", f"--{name.replace('-', '_')}", **how)


def get_args_parser():
    """The parser of the launcher's arguments."""
    parser = argparse.ArgumentParser(description="Runs a program in several processes that can meet")
    parser.add_argument("--nnodes", default="1:1", help="how many machines")
    _option(parser, "nproc-per-node", default="1", help="how many processes on this machine: a number, auto, cpu")
    _option(parser, "node-rank", type=int, default=0, help="which of the machines this one is")
    _option(parser, "master-addr", default=None, help="the address of the machine with rank 0")
    _option(parser, "master-port", type=int, default=29500, help="the port of the store there")
    _option(parser, "local-addr", default=None, help="the address of this machine; taken and not needed")
    parser.add_argument("--standalone", action="store_true", help="one machine, a free port")
    _option(parser, "max-restarts", type=int, default=0, help="how often to start all again after a failure")
    _option(parser, "monitor-interval", type=float, default=0.1, help="taken and not needed")
    _option(parser, "start-method", default="spawn", choices=["spawn", "fork", "forkserver"], help="taken and not needed")
    _option(parser, "rdzv-backend", default="static", help="static or c10d")
    _option(parser, "rdzv-endpoint", default="", help="host:port of the machine with rank 0")
    _option(parser, "rdzv-id", default="none", help="the name of the job")
    _option(parser, "rdzv-conf", default="", help="taken and not needed")
    parser.add_argument("--role", default="default", help="the role of the processes")
    parser.add_argument("-m", "--module", action="store_true", help="the program is the name of a module")
    _option(parser, "no-python", action="store_true", help="the program is not one of Python")
    _option(parser, "shutdown-timeout", type=float, default=30.0, help="how long processes may take to end, in seconds")
    parser.add_argument("--log-dir", "--log_dir", default=None, help="a folder for what processes leave when they fail")
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def parse_args(args):
    """What a list of arguments says."""
    return get_args_parser().parse_args(args)


def determine_local_world_size(nproc_per_node):
    """How many processes are meant: a number, or as many as there are processors.

    Raises:
        ValueError: for anything else.
    """
    try:
        return int(nproc_per_node)
    except ValueError:
        if nproc_per_node == "gpu":
            raise ValueError("Cuda is not available.") from None
        if nproc_per_node not in ("cpu", "auto"):
            raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}") from None
        return os.cpu_count() or 1


def _machines(text):
    parts = [int(part) for part in text.split(":")]
    if len(parts) > 2 or not parts:
        raise RuntimeError(f'nnodes={text} is not in "MIN:MAX" format')
    return parts[-1]


def _command(options):
    if options.no_python:
        if options.module:
            raise ValueError("Don't use both the '--no-python' flag and the '--module' flag at the same time.")
        return [options.training_script]
    command = [sys.executable, "-u", "-m", "rushlight"]
    return [*command, "-m", options.training_script] if options.module else [*command, options.training_script]


class _Job:
    """The processes of this machine.

    Args:
        options: the arguments of the launcher.
    """

    def __init__(self, options):
        self.options = options
        self.count, self.machines = determine_local_world_size(options.nproc_per_node), _machines(options.nnodes)
        if self.count < 1:
            raise ValueError(f"nproc_per_node must be at least 1, got {self.count}")
        self.store = None
        self.name = options.rdzv_id if options.rdzv_id != "none" and not options.standalone else str(uuid.uuid4())
        self.shared = dict(os.environ)
        host, port = options.master_addr, options.master_port
        if options.rdzv_endpoint and not options.standalone:
            host, _, given = options.rdzv_endpoint.rpartition(":")
            host, port = (host, int(given)) if host else (options.rdzv_endpoint, port)
        if self.machines == 1:
            # Everybody is here: a secret of the job's own, a store that outlives its members.
            if _secret.configured() is None:
                self.shared["RUSHLIGHT_RPC_SECRET"] = os.environ["RUSHLIGHT_RPC_SECRET"] = _secret.fresh().hex()
            explicit = host is not None and not options.standalone
            host = host if explicit else "localhost"
            self.store = TCPStore(host, port if explicit else 0, None, True, wait_for_workers=False)
            port = self.store.port
        self.place = host or "127.0.0.1", port
        if self.count > 1:
            self.shared.setdefault("OMP_NUM_THREADS", "1")

    def environment(self, number, attempt, folder):
        """The environment of a process, and where it leaves what it raises."""
        options, total = self.options, self.count * self.machines
        rank = options.node_rank * self.count + number
        error_file = os.path.join(folder, f"attempt_{attempt}_{number}_error.json")
        known = {
            "LOCAL_RANK": number, "RANK": rank, "GROUP_RANK": options.node_rank, "ROLE_RANK": rank, "ROLE_NAME": options.role,
            "LOCAL_WORLD_SIZE": self.count, "WORLD_SIZE": total, "GROUP_WORLD_SIZE": self.machines, "ROLE_WORLD_SIZE": total,
            "MASTER_ADDR": self.place[0], "MASTER_PORT": self.place[1], "TORCHELASTIC_RESTART_COUNT": attempt,
            "TORCHELASTIC_MAX_RESTARTS": options.max_restarts, "TORCHELASTIC_RUN_ID": self.name,
            "TORCHELASTIC_USE_AGENT_STORE": self.store is not None, "TORCHELASTIC_ERROR_FILE": error_file,
        }
        return rank, error_file, {**self.shared, **{key: str(value) for key, value in known.items()}}

    def run(self, attempt, folder):
        """Runs all processes: None when all have ended well, else the failures by rank."""
        command = [*_command(self.options), *self.options.training_script_args]
        running, known = {}, {}
        try:
            for number in range(self.count):
                rank, error_file, environment = self.environment(number, attempt, folder)
                running[rank] = subprocess.Popen(command, env=environment)
                known[rank] = number, error_file
            return self._watch(running, known)
        finally:
            self._end(running)

    def _watch(self, running, known):
        left = dict(running)
        while left:
            for rank, process in list(left.items()):
                code = process.poll()
                if code is None:
                    continue
                del left[rank]
                if code != 0:
                    failures = {rank: ProcessFailure(known[rank][0], process.pid, code, known[rank][1])}
                    self._end(left)
                    for other, ended in left.items():
                        if ended.returncode:
                            failures[other] = ProcessFailure(known[other][0], ended.pid, ended.returncode, known[other][1])
                    failures[rank].timestamp = min(f.timestamp for f in failures.values())
                    return failures
            time.sleep(_PAUSE)
        return None

    def _end(self, processes):
        """Asks processes to end, and makes those that do not."""
        for process in processes.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + self.options.shutdown_timeout
        for process in processes.values():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _leave(number, _):
    raise SystemExit(128 + number)


def run(args):
    """Runs a program as parsed arguments say.

    Raises:
        ChildFailedError: when a process has failed, and starting again has not helped.
    """
    before_secret = os.environ.get("RUSHLIGHT_RPC_SECRET")
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.signal(number, _leave) for number in _SIGNALS}
    try:
        job = _Job(args)
        with tempfile.TemporaryDirectory(prefix="torchelastic_", dir=args.log_dir) as folder:
            for attempt in range(args.max_restarts + 1):
                failures = job.run(attempt, folder)
                if failures is None:
                    return
            raise ChildFailedError(args.training_script, failures)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if before_secret is None:
            os.environ.pop("RUSHLIGHT_RPC_SECRET", None)


@record
def main(args=None):
    """The launcher, with a list of arguments or those of the command line."""
    run(parse_args(args))


if __name__ == "__main__":
    main()
