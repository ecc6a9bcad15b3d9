# Streams of the old form that end early, or whose storages are not as large as they claim.
import io
import struct

import torch


def attempt(data):
    try:
        print(torch.load(io.BytesIO(data)))
    except Exception as e:
        print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")


buffer = io.BytesIO()
torch.save({"a": torch.arange(5.0), "b": torch.tensor([True, False])}, buffer, _use_new_zipfile_serialization=False)
data = buffer.getvalue()
attempt(data)
buffer = io.BytesIO()
torch.save(torch.arange(5.0), buffer, _use_new_zipfile_serialization=False)
data = buffer.getvalue()
elements, count = data[-20:], data[-28:-20]
print(struct.unpack("<q", count), struct.unpack("<5f", elements))
for missing in (1, 20, 24, 28):
    attempt(data[:-missing])
for claimed in (4, 6, 0):
    attempt(data[:-28] + struct.pack("<q", claimed) + elements)
# The pickle claims 2^31 - 1 elements and the stream brings five.
large = data.replace(b"K\x05Ntq", b"J\xff\xff\xff\x7fNtq")
try:
    torch.load(io.BytesIO(large))
except RuntimeError:
    print("refused")

storage = torch.arange(6, dtype=torch.int16)[2:4].untyped_storage()
print(storage.nbytes(), len(storage), storage.size(), storage == torch.arange(6).untyped_storage())
