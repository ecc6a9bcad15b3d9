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


def refuse_classes(namespace, names, error, text, base=object):
    """Puts classes into a module's names that nothing is an object of: making one raises an error, as :func:`refuse` does."""
    for name in names:
        namespace[name] = type(name, (base,), {
            "__doc__": "Nothing makes one here: programs ask whether something is one.",
            "__module__": namespace["__name__"],
            "__init__": _refusal("__init__", error, text(name) if callable(text) else text),
        })
