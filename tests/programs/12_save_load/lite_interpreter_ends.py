"""What saves for lite interpreters says that they end."""
import io
import os
import tempfile
import warnings

import torch
from torch.jit.mobile import _load_for_lite_interpreter

module = torch.jit.script(torch.nn.Linear(2, 1))
with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as given:
    warnings.simplefilter("always")
    path = os.path.join(folder, "module.ptl")
    module._save_for_lite_interpreter(path)
    data = module._save_to_buffer_for_lite_interpreter()
    said = len(given)
    print(type(_load_for_lite_interpreter(path)).__name__, type(_load_for_lite_interpreter(io.BytesIO(data))).__name__)
    print(said, len(given))
for warning in given:
    print(warning.category.__name__, repr(str(warning.message)))
