# Checkpoints say in which order their bytes are; those that do not have the order that is set.
import io
import zipfile

import torch

TENSORS = {"f": torch.tensor([1.0, 2.0]), "i": torch.tensor([3]), "c": torch.tensor([1 + 2j]), "b": torch.tensor([True])}
saved = io.BytesIO()
torch.save(TENSORS, saved)


def with_order(order):
    """The checkpoint with another record of its order, or none."""
    out = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(saved.getvalue()))
    with zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            if not name.endswith("byteorder"):
                target.writestr(name, source.read(name))
            elif order is not None:
                target.writestr(name, order)
    out.seek(0)
    return out


serialization = torch.serialization
print(serialization.get_default_load_endianness())
for order in (serialization.LoadEndianness.BIG, serialization.LoadEndianness.LITTLE, None):
    serialization.set_default_load_endianness(order)
    print(serialization.get_default_load_endianness(), torch.load(with_order(None)))
print(torch.load(with_order(b"big")), torch.load(with_order(b"little")))
for attempt in (lambda: torch.load(with_order(b"odd")), lambda: serialization.set_default_load_endianness("big")):
    try:
        attempt()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
