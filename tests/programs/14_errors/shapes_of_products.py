# what products of tensors say about shapes that do not fit
import torch

o = torch.ones

def err(name, *args):
    try:
        print(name, getattr(torch, name)(*args).shape)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

err("mm", o(2, 3), o(2))
err("mm", o(2), o(2, 3))
err("mm", o(2, 3), o(2, 3))
err("bmm", o(2, 3), o(2, 3))
err("bmm", o(2, 3, 4), o(3, 4, 5))
err("mv", o(2, 3), o(2))
err("dot", o(2), o(3))
err("matmul", o(2, 3, 4), o(2, 3, 4))
err("addmm", o(3), o(2, 3), o(3, 2))
err("addmm", o(2, 2), o(2), o(2, 3))
err("addmv", o(2), o(2, 3), o(2))
err("addr", o(2, 2), o(2), o(3))
err("baddbmm", o(2, 2, 2), o(2, 2, 3), o(2, 2, 2))
err("addbmm", o(2, 2), o(2, 2, 3), o(2, 2, 2))
err("chain_matmul", o(2, 2), o(3, 2))
