"""Warnings of scripts are Python warnings: once for each place and run, whatever was warned of before."""
import io
import os
import torch, warnings
@torch.jit.script
def f(x: int):
    import_ = 1
    warnings.warn("hello from script")
    if x>1:
        warnings.warn("second " + str(x))
    return x
@torch.jit.script
def g(x: int):
    warnings.warn("lvl", stacklevel=1)
    warnings.warn("hello from script")
    return x
def run(filt):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter(filt)
        for i in range(3): f(i); 
        for i in range(2): f(2)
        g(1); g(2)
        for i in range(2):
            f(7)
    for v in w: print(filt, v.category.__name__, repr(str(v.message)), os.path.basename(v.filename), v.lineno, v.line)
run('always'); run('default'); run('once'); 
with warnings.catch_warnings():
    warnings.simplefilter('error')
    try: f(5)
    except Exception as e: print(type(e), str(e))
@torch.jit.script
def h(x):
    for i in range(3): warnings.warn("loop")
    for i in range(3): warnings.warn("loop" + str(i))
    return x
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    h(torch.ones(2)); h(torch.ones(2))
    for v in w: print(v.category.__name__, repr(str(v.message)), os.path.basename(v.filename), v.lineno)
import io
b=io.BytesIO(); torch.jit.save(h,b); b.seek(0); l=torch.jit.load(b)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    l(torch.ones(2)); l(torch.ones(2)); h(torch.ones(1))
    for v in w: print('loaded',v.category.__name__, repr(str(v.message)), os.path.basename(v.filename), v.lineno)
torch.set_warn_always(True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    h(torch.ones(2)); h(torch.ones(2))
    for v in w: print('A', v.category.__name__, repr(str(v.message)), os.path.basename(v.filename), v.lineno)
class M(torch.nn.Module):
    def forward(self, x):
        warnings.warn("in module")
        return x
m=torch.jit.script(M())
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    m(torch.ones(1)); m(torch.ones(1))
    for v in w: print('M', v.category.__name__, repr(str(v.message)), os.path.basename(v.filename), v.lineno)
print(torch.is_warn_always_enabled())
# A hook that runs scripts which warn in turn.
depth = []
def shown(message, category, filename, lineno, file=None, line=None):
    print('shown', message, category.__name__, lineno)
    if len(depth) < 2:
        depth.append(1); f(2)
with warnings.catch_warnings():
    warnings.simplefilter('always')
    warnings.showwarning = shown
    f(2)
