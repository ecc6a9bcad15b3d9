"""Signals of the processes of loaders, which do without: a loader that waits for a batch looks whether its processes are there."""


def _set_worker_signal_handlers():
    """Nothing: a process that dies of a signal is noticed by whoever waits for it."""


def _set_SIGCHLD_handler():
    """Nothing: see above."""


def _set_worker_pids(loader_id, worker_pids):
    """Nothing: processes are known by their objects."""


def _remove_worker_pids(loader_id):
    """Nothing: processes are known by their objects."""


def _error_if_any_worker_fails():
    """Nothing: a loader asks its own processes."""
