"""Streams that are no checkpoint: which operation of pickles is not supported is said."""

import io
import pickle

import torch


def tell(name, data, **how):
    try:
        print(name, torch.load(io.BytesIO(data), **how))
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[:4])


tell("text", b"not a pickle")
tell("json", b'{"a": 1}')
tell("zeros", b"\0" * 20)
tell("empty", b"")
for protocol in (2, 4, 5):
    tell(protocol, pickle.dumps({"a": 1}, protocol=protocol))
    tell(protocol, pickle.dumps({"a": 1}, protocol=protocol), weights_only=False)
for name, operations in (("long", b"L5L\n."), ("list", b"(l."), ("none", b"N."), ("instance", b"(ios\nsystem\n."), ("persistent", b"Pa\n.")):
    tell(name, b"\x80\x02" + operations)
