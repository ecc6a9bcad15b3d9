"""What bytecode beside the source of an archive says of itself, and archives without."""

import io
import pickle
import zipfile

import torch
from torch import nn
from torch.jit import mobile

function = (
    ("instructions", (("STOREN", 1, 1), ("RET", 0, 0))), ("operators", (("aten::relu", "", 1),)), ("constants", ()),
    ("types", ("Dict[str,Tensor]", "List[int]")), ("register_size", 2),
)
file = io.BytesIO()
with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
    archive.writestr("archive/bytecode.pkl", pickle.dumps((8, ("__torch__.N.forward", function)), protocol=2))
    archive.writestr("archive/version", "3\n")
for read in (mobile._get_model_bytecode_version, mobile._get_mobile_model_contained_types):
    file.seek(0)
    found = read(file)
    print(sorted(found) if isinstance(found, set) else found)
for data in (torch.jit.script(nn.ReLU()).save_to_buffer(), b"text"):
    try:
        print(mobile._get_model_bytecode_version(io.BytesIO(data)))
    except RuntimeError as error:
        print(str(error).split(".")[0])
