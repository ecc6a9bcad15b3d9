# The code of scripted instance norms, circular pads and softmax functions, with the methods that they call
import re
import torch
import torch.nn as nn
import torch.nn.functional as F
def shown(code): print(re.sub(r"___torch_mangle_\d+\.", "", code))
for k in (1, 2, 3):
    for kw in ({}, dict(affine=True), dict(track_running_stats=True)):
        print("InstanceNorm", k, kw)
        m = torch.jit.script(getattr(nn, f"InstanceNorm{k}d")(4, **kw))
        shown(m.code)
        for name in ("_check_input_dim", "_get_no_batch_dim", "_handle_no_batch_input", "_apply_instance_norm"):
            shown(getattr(m, name).code)
    m = torch.jit.script(getattr(nn, f"CircularPad{k}d")(1))
    shown(m.code)
    shown(m._check_input_dim.code)
for f in (F.softmax, F.softmin, F.log_softmax, F.gumbel_softmax, F._get_softmax_dim):
    print(torch.jit.script(f).code)
import warnings
x = torch.arange(6.0).reshape(2, 3)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(F.softmax(x), F.log_softmax(x, 0, dtype=torch.float64), F.softmin(x, -1))
    print(nn.InstanceNorm1d(4)(torch.arange(20.0).reshape(5, 4)).shape)
print([str(w.message)[:60] for w in told])
for n, shape in ((1, (2, 5, 3)), (1, (5, 3)), (2, (3,)), (3, (1, 4, 2, 2))):
    for norm in (getattr(nn, f"InstanceNorm{n}d")(4, affine=True), torch.jit.script(getattr(nn, f"InstanceNorm{n}d")(4, affine=True))):
        try: print(norm(torch.ones(shape)).shape)
        except Exception as e: print("<<%s>>" % type(e).__name__); print(str(e).strip().split("\n")[-1]); print("<<end>>")
