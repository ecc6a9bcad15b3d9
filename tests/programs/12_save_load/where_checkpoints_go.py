"""Where the storages of a checkpoint go, by names, dictionaries and functions; what saving and loading refuse."""

import io

import numpy
import torch

seen = []


def reload(value, old=False, **options):
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=not old)
    file.seek(0)
    return torch.load(file, **options)


def note(storage, tag):
    seen.append((type(storage).__name__, len(storage), tag))


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:160])


x = torch.ones(3)
state = {"x": x, "part": x[1:], "bytes": torch.zeros(2, dtype=torch.int8), "n": 3}
for old in (False, True):
    print(reload(state, old, map_location=note), seen)
    seen.clear()
    for location in (
        "nowhere", "meta", "cuda:0", "xpu", "hpu", "cpu:0", "meta:0", "", "mps", torch.device("meta"), torch.device("cuda", 0), {"cpu": "meta"},
        {"cpu": "cuda:0"}, {"cpu": torch.device("meta")}, {"cuda": "nowhere"}, lambda storage, tag: storage, lambda storage, tag: 3,
        lambda storage, tag: torch.UntypedStorage(12, device="meta"), 3,
    ):
        show(lambda: reload(x, old, map_location=location))
# Places are only asked for where there are storages.
show(lambda: reload({"n": 3}, map_location="nowhere"))

for target in (3, None, b"x"):
    show(lambda: torch.save({}, target))
    show(lambda: torch.load(target) if target != b"x" else None)
for data in (b"hello world, not a checkpoint", b"just text", b"abc"):
    show(lambda: torch.load(io.BytesIO(data)))
for value in ([1, 2], 3, None, numpy.float32(3), torch.ones(1)):
    show(lambda: torch.from_numpy(value))
