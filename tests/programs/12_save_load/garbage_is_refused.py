# What is no checkpoint at all is refused as such, trusted or not.
import io
import torch

for bytes_ in (b"", b"x", b"garbage!", b"garbage\n", b"hello", b"<html>...", b"\x93NUMPY\x01\x00", b'{"a": 1}', b"\x80\x02", b"\x80\x02K\x01.", b"I1\n.", b"(lp0\n.", b"\x1f\x8b\x08\x00aa"):
    for weights_only in (True, False):
        try:
            print(bytes_[:12], torch.load(io.BytesIO(bytes_), weights_only=weights_only))
        except Exception as e:
            text = str(e)
            at = text.find("Unsupported operand")
            print(bytes_[:12], weights_only, type(e).__name__, text[at:].split("\n")[0] if at >= 0 else text.split("\n")[0])
