"""``torch.Stream`` and ``torch.Event``: an order of work on a device, and a place in it. The CPU does everything at once."""

from . import _rushlight

_NO_EVENTS = "{} backend doesn't support events."


def _device(given):
    device = _rushlight.device("cpu" if given is None else given)
    if device.type not in ("cpu", "meta"):
        raise RuntimeError(f"there is no device {device} that could have streams and events")
    return device


class Stream:
    """An order of work on a device; all streams of the CPU are one."""

    device_index, stream_id, device_type = -1, 0, 0

    def __init__(self, device=None, *, priority=0):
        self.device = _device(device)

    def query(self):
        """Whether the work is done: always."""
        return True

    def is_capturing(self):
        """Whether calls are kept for later: never."""
        return False

    def synchronize(self):
        """Waits for the work, which is done."""

    def wait_event(self, event):
        """Waits for an event, which has been."""

    def wait_stream(self, stream):
        """Refused: a place in the order would have to be marked."""
        self.record_event()

    def record_event(self, event=None):
        """Refused: there are no marks in the order of work."""
        raise RuntimeError(_NO_EVENTS.format(self.device.type))

    @property
    def native_handle(self):
        """Refused: nothing stands behind a stream."""
        raise RuntimeError("Backend doesn't support getting stream native handle.")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        pass

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self):
        return hash((self.device, self.stream_id))

    def __repr__(self):
        return f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id={self.stream_id}"


class Event:
    """A place in the order of work on a device."""

    event_id = 0

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self.device = _device(device)
        self._times = bool(enable_timing)

    def record(self, stream=None):
        """Refused: there are no marks in the order of work."""
        raise RuntimeError(_NO_EVENTS.format(self.device.type))

    def query(self):
        """Whether the work before it is done: always."""
        return True

    def synchronize(self):
        """Waits for the work before it, which is done."""

    def wait(self, stream=None):
        """Makes a stream wait for it; it has been."""

    def elapsed_time(self, end_event):
        """The time between two events, had they been recorded."""
        if not (self._times and end_event._times):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def ipc_handle(self):
        """Refused: other processes have events of their own."""
        raise NotImplementedError("torch.Event ipc is not supported yet, please open an issue if you need this!")

    @classmethod
    def from_ipc_handle(cls, device, handle):
        """Refused: other processes have events of their own."""
        raise NotImplementedError("torch.Event ipc is not supported yet, please open an issue if you need this!")

    def __repr__(self):
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag={int(self._times)}, event_id={self.event_id}"


Stream.__module__ = Event.__module__ = "torch"
