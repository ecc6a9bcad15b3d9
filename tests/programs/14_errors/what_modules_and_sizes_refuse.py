# Arguments that modules refuse, lazy modules by their names, sizes from tensors, formats of parameters, files beside the code
import io
import torch
import torch.nn as nn
def tell(f):
    try: print(f())
    except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
for k in (1, 2, 3):
    for power in (0, 0.0, 2):
        tell(lambda: getattr(nn, f"LPPool{k}d")(power, 2))
    for rank in range(1, 7):
        tell(lambda: getattr(nn, f"CircularPad{k}d")(1)(torch.ones((2,) * rank)).shape)
tell(lambda: nn.CircularPad2d((1, 2, 3))(torch.ones(1, 2, 3, 3)))
tell(lambda: nn.CircularPad2d((1, 2, 3))(torch.ones(2, 3)))
for name in ("LazyLinear", "LazyConv2d", "LazyConvTranspose1d", "LazyBatchNorm2d", "LazyInstanceNorm3d"):
    cls = getattr(nn, name)
    print(cls.initialize_parameters.__qualname__, cls.reset_parameters.__qualname__)
    tell(lambda: cls())
    tell(lambda: cls(3))
tell(lambda: nn.LazyLinear(3).initialize_parameters())
tell(lambda: nn.LazyLinear(3).initialize_parameters(1, 2))
m = nn.LazyConv2d(3, 2)
print(m(torch.ones(1, 4, 3, 3)).shape, m)
for sizes in ([torch.tensor(3), 2], [torch.tensor(True)], [torch.tensor([4])], [torch.tensor(3.0)], [torch.ones(2)], [1.5], ["a"]):
    tell(lambda: (torch.Size(sizes), [type(n).__name__ for n in torch.Size(sizes)]))
for p in (nn.Parameter(torch.ones(2)), nn.Parameter(torch.tensor(1.5)), torch.tensor(1.5), torch.ones(2)):
    for form in (".2f", ">5", ""):
        tell(lambda: format(p, form))
module = torch.jit.script(nn.ReLU())
@torch.jit.script
def function(x): return x
for files in ({"a": 3}, {3: "a"}, {"a": None}, {"a": "x"}, {"a": b"x"}, {}, [("a", "b")], 3):
    tell(lambda: len(module.save_to_buffer(_extra_files=files)) > 0)
    tell(lambda: torch.jit.save(function, io.BytesIO(), _extra_files=files))
class Marked(nn.Module):
    def forward(self, x): return self.h(x)
    @torch.jit.script_method
    def h(self, x): return x
class Forward(nn.Module):
    @torch.jit.script_method
    def forward(self, x): return x + 1
tell(lambda: torch.jit.script(Marked()))
tell(lambda: Marked()(torch.ones(1)))
tell(lambda: type(Marked().h))
tell(lambda: hasattr(torch.jit.script(Forward()), "h"))
print(torch.jit.script(Forward()).code, torch.jit.TracerWarning)
