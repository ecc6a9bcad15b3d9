"""How the members of a job meet: ``env://``, ``tcp://host:port``, ``file://path``, or a handler of a program's own."""

import os
import sys
import types
from urllib.parse import parse_qsl, urlparse

from ._file_store import FileStore
from ._store import PrefixStore
from ._tcp_store import TCPStore
from .constants import default_pg_timeout

__all__ = ["register_rendezvous_handler", "rendezvous"]

_handlers = {}


def register_rendezvous_handler(scheme, handler):
    """Makes ``handler(url, **options)`` answer for a scheme: an iterator of ``(store, rank, world size)``."""
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url, rank=-1, world_size=-1, **kwargs):
    """An iterator of ``(store, rank, world size)`` for a place to meet.

    Raises:
        RuntimeError: for a scheme that nobody answers for, and what is no string.
        ValueError: where a rank, a size, a port or a path is missing.
    """
    if not isinstance(url, (str, bytes)):
        raise RuntimeError(f"`url` must be a string. {type(url)}: {url}")
    given = urlparse(url)
    if given.scheme not in _handlers:
        raise RuntimeError(f"No rendezvous handler for {given.scheme}://")
    parts = dict(parse_qsl(given.query))
    if rank != -1:
        parts["rank"] = str(rank)
    if world_size is not None and world_size != -1:
        parts["world_size"] = str(world_size)
    query = "&".join(f"{key}={value}" for key, value in parts.items())
    return _handlers[given.scheme](given._replace(query=query).geturl(), **kwargs)


def _missing(scheme, what):
    return ValueError(f"Error initializing torch.distributed using {scheme}:// rendezvous: {what} missing")


def _numbers(given, scheme):
    """The rank and the size that an address gives."""
    parts = dict(parse_qsl(given.query))
    for name, told in (("rank", "rank parameter"), ("world_size", "world size parameter")):
        if name not in parts:
            raise _missing(scheme, told)
    return int(parts["rank"]), int(parts["world_size"])


def _file(url, **kwargs):
    given = urlparse(url)
    path = given.path
    if not path:
        raise _missing("file", "path")
    rank, size = _numbers(given, "file")
    yield FileStore(path, size), rank, size
    raise RuntimeError("Unable to perform rerendezvous using file:// method")


def _share_server():
    # A launcher that serves the store itself tells its workers so.
    return os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"


def _tcp(url, timeout=default_pg_timeout, **kwargs):
    given = urlparse(url)
    if given.port is None:
        raise _missing("tcp", "port number")
    rank, size = _numbers(given, "tcp")
    yield _store_at(given.hostname, given.port, rank, size, timeout), rank, size
    raise RuntimeError("Unable to perform re-rendezvous using tcp:// method")


def _store_at(host, port, rank, size, timeout):
    if not 0 <= port < 2**16:
        raise ValueError(f"port must have value from 0 to 65535 but was {port}.")
    if _share_server():
        attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        store = TCPStore(host, port, size, False, timeout, wait_for_workers=False)
        return PrefixStore(f"/worker/attempt_{attempt}", store)
    return TCPStore(host, port, size, rank == 0, timeout, multi_tenant=True)


def _env(url, timeout=default_pg_timeout, **kwargs):
    parts = dict(parse_qsl(urlparse(url).query))

    def known(name, key=None):
        if key in parts:
            return parts[key]
        found = os.environ.get(name)
        if found is None:
            raise ValueError(
                f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set"
            )
        return found

    rank, size = int(known("RANK", "rank")), int(known("WORLD_SIZE", "world_size"))
    host, port = known("MASTER_ADDR"), int(known("MASTER_PORT"))
    yield _store_at(host, port, rank, size, timeout), rank, size
    raise RuntimeError("Unable to perform re-rendezvous using env:// method")


register_rendezvous_handler("tcp", _tcp)
register_rendezvous_handler("env", _env)
register_rendezvous_handler("file", _file)


class _Module(types.ModuleType):
    """This module, which ``torch.distributed`` shows as the function of the same name."""

    def __call__(self, *args, **kwargs):
        return rendezvous(*args, **kwargs)


sys.modules[__name__].__class__ = _Module
