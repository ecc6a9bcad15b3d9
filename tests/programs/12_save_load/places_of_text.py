"""From where each piece of the code in an archive comes, as its debug record says: calls, subscripts, branches."""
import io
import pickle
import zipfile
from typing import Dict, List

import torch


def everything(x: torch.Tensor, d: Dict[str, torch.Tensor], l: List[int]):
    a = (x.
         split(2)
         )[0]
    b = [x.
         sum(), x
         .mean()]
    c = (x.
         size())[
        x.
        dim() - 1
    ]
    k = d[
        str(c)
    ]
    j = float(
        x.sum().
        item()
    )
    h = (l[
        0], x
        .dim())
    u = l[
        0
    ] < l[
        1]
    n = not (l[0] ==
             2)
    m = int(j) if x.dim() > 2 else int(float(
        l[1]))
    l[
        x.dim()
    ] = l[
        x.size(
            0)
    ]
    shape = x.shape[0]
    return a, b, c, k, j, h, u, n, m, shape


buffer = io.BytesIO()
torch.jit.save(torch.jit.script(everything), buffer)
archive = zipfile.ZipFile(buffer)
code = next(archive.read(name).decode() for name in archive.namelist() if name.endswith(".py"))
record = next(archive.read(name) for name in archive.namelist() if name.endswith(".debug_pkl") and "__torch__" in name)
_, strings, entries = pickle.loads(record)
ends = [entry[0] for entry in entries[1:]] + [None]
for (start, ((lines, file, _), first, last), _), end in zip(entries, ends):
    # What stands in functions of the library is not said.
    own = "places_of_text" in strings[file] if lines else False
    source = "".join(strings[line] for line in lines)[first:last] if own else None
    print(repr(code[start:end]), "<-", source and " ".join(source.split()))
buffer.seek(0)
loaded = torch.jit.load(buffer)
print([str(loaded(torch.ones(3, 2), {"2": torch.zeros(1)}, [0, 1, 2, 3]))])
