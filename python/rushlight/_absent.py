"""Functions of devices that are not there: each says so when it is called."""


def refuse(namespace, names, error, text):
    """Puts functions into a module's names that raise an error: ``text``, or what it gives for a name."""
    for name in names:
        namespace[name] = _refusal(name, error, text(name) if callable(text) else text)


def _refusal(name, error, text):
    def refused(*args, **kwargs):
        raise error(text)

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = "Needs a device; there is none."
    return refused
