# Options of printing that are no numbers or less than nothing are taken; a precision that is none is told by printing
import torch
def show(**options):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    print(options)
    for t in (torch.tensor([1.5, 2]), torch.arange(5), torch.tensor(1.5), torch.tensor([1e-6, 1e6]), torch.arange(1001), torch.ones(2, 2), torch.zeros(0)):
        try: print(str(t)[:90])
        except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
show(linewidth=-1)
show(linewidth=0)
show(linewidth=30.5)
show(sci_mode="a")
show(sci_mode=0)
show(sci_mode=1)
show(precision="a")
show(precision=-1)
show(precision=True)
show(precision=0)
show(threshold=-1)
show(edgeitems=-1)
torch.set_printoptions(profile="default")
for p in (torch.nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True) * 2):
    with torch._tensor_str.printoptions(precision="a"):
        try: print(p)
        except ValueError as e: print("<<ValueError>>"); print(e); print("<<end>>")
    print(p)
