# Archives record by record: written to a path or a buffer, read back, by name.
import io
import os
import tempfile

import torch

for target in (os.path.join(tempfile.mkdtemp(), "some.pt"), io.BytesIO()):
    writer = torch._C.PyTorchFileWriter(target)
    writer.write_record("a", b"hello", 5)
    writer.write_record("b/c", b"xyzzy", 3)
    print(sorted(writer.get_all_written_records()))
    writer.write_end_of_file()
    if isinstance(target, io.BytesIO):
        target.seek(0)
    reader = torch._C.PyTorchFileReader(target)
    print({"a", "b/c"} <= set(reader.get_all_records()), reader.get_record("a"), reader.get_record("b/c"))
    print(reader.has_record("a"), reader.has_record("d"), reader.get_record_size("b/c"))
    try:
        reader.get_record("d")
    except RuntimeError as error:
        print(str(error).split(".")[0])
try:
    torch._C.PyTorchFileReader("/no/such/file")
except RuntimeError as error:
    print(error)
