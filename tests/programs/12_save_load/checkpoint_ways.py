"""Checkpoints in other pickle protocols, without data, with layouts and sparse tensors, and what loading refuses."""
import io
import pickle
import pickletools
import tempfile
import warnings
import zipfile

import torch


def dump(value, **how):
    file = io.BytesIO()
    torch.save(value, file, **how)
    return file.getvalue()


def attempt(label, call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            print(label, "->", call())
        except Exception as error:
            print(label, "!!", type(error).__name__, [line[:90].split("(")[0] for line in str(error).splitlines() if "operand" in line or "mmap" in line or "view the same" in line][:1])
        for text in dict.fromkeys(str(one.message)[:100] for one in seen):
            print("   warns:", text)


base = torch.arange(6.0).reshape(2, 3)
held = {"base": base, "row": base[1], "turned": base.t(), "quantized as": torch.per_tensor_affine, "layout": torch.strided}

# Each tensor names its storage in full.
record = zipfile.ZipFile(io.BytesIO(dump(held))).read("archive/data.pkl")
print(len(record), [operation.name for operation, _, _ in pickletools.genops(record)].count("BINPERSID"))
for protocol in (0, 1, 2, 3, 4, 5):
    for legacy in (False, True):
        if legacy or protocol > 1:
            file = dump({"a": 1, "t": torch.ones(2)}, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
            attempt(f"protocol {protocol} {legacy}", lambda: torch.load(io.BytesIO(file))) if protocol > 1 else None
            if protocol > 1:
                attempt("  trusted", lambda: torch.load(io.BytesIO(file), weights_only=False))

for value in (torch.strided, torch.sparse_csr, torch.per_channel_affine, torch.eye(2).to_sparse(), [torch.eye(2).to_sparse_csr()] * 2):
    attempt("held", lambda: torch.load(io.BytesIO(dump(value))))
    attempt("held, trusted", lambda: torch.load(io.BytesIO(dump(value)), weights_only=False))
attempt("memory format", lambda: dump(torch.channels_last))
print(pickle.loads(pickle.dumps([torch.strided, torch.sparse_coo])), pickle.dumps(torch.sparse_coo, 2))

# Room for the elements, and no elements.
with torch.serialization.skip_data():
    empty = dump(held)
    attempt("legacy", lambda: dump(base, _use_new_zipfile_serialization=False))
    print({name: value.shape for name, value in torch.load(io.BytesIO(dump(held))).items() if torch.is_tensor(value)})
print(len(empty) == len(dump(held)), torch.load(io.BytesIO(empty))["turned"].shape)

with tempfile.TemporaryDirectory() as folder:
    for name, how in (("new.pt", {}), ("old.pt", {"_use_new_zipfile_serialization": False})):
        torch.save(held, f"{folder}/{name}", **how)
        attempt(name, lambda: torch.load(f"{folder}/{name}", mmap=True)["row"])
attempt("mmap of bytes", lambda: torch.load(io.BytesIO(dump(base)), mmap=True))
attempt("a module of pickles", lambda: torch.load(io.BytesIO(dump(torch.nn.Linear(2, 1))), pickle_module=pickle))
attempt("a module of pickles, weights", lambda: torch.load(io.BytesIO(dump(base)), pickle_module=pickle, weights_only=True))
for argument in ({"fix_imports": True}, {"encoding": "utf-8"}):
    attempt(argument, lambda: torch.load(io.BytesIO(dump(base)), **argument))

# Storages themselves, and what shares one.
numbers = torch.arange(4.0)
for storage in (numbers.untyped_storage(), numbers.storage(), torch.ones(2, dtype=torch.int64).storage(), torch.UntypedStorage(3)):
    attempt("storage", lambda: [(type(r).__name__, r.dtype, r.nbytes(), len(r)) for r in [torch.load(io.BytesIO(dump(storage)))]])
both = torch.load(io.BytesIO(dump({"t": numbers, "s": numbers.storage(), "part": numbers[1:]})))
both["part"][0] = 9
print(both["t"], both["s"].tolist(), both["s"].data_ptr() == both["t"].data_ptr())
for other in (numbers.view(torch.int32), numbers.untyped_storage(), numbers.view(torch.uint16)):
    attempt("as another type", lambda: dump([numbers, other]))
attempt("of no elements", lambda: len(torch.load(io.BytesIO(dump([torch.empty(0), torch.empty(0, dtype=torch.int64)])))))
print(torch.load(io.BytesIO(dump(numbers.storage())), map_location="meta").device)
