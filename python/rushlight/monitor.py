"""``torch.monitor``: events that programs tell handlers of."""

_handlers = []


class Event:
    """Something that happened: a name, when (a ``datetime``), and what there is to say of it."""

    def __init__(self, name, timestamp, data):
        self.name, self.timestamp, self.data = name, timestamp, data


class EventHandlerHandle:
    """A handler that was registered."""

    def __init__(self, callback):
        self.callback = callback


def register_event_handler(callback):
    """Calls a function with every event from here on."""
    handle = EventHandlerHandle(callback)
    _handlers.append(handle)
    return handle


def unregister_event_handler(handler):
    """Ends that."""
    if handler in _handlers:
        _handlers.remove(handler)


def log_event(event):
    """Tells all handlers of an event."""
    for handle in list(_handlers):
        handle.callback(event)
