# What has no kernel for a dtype says so in the words of its kernel, and nothing where there is nothing to compute.
import torch
import torch.nn.functional as F


def show(call):
    try:
        result = call()
        for part in result if isinstance(result, tuple) else (result,):
            print(part.dtype, tuple(part.shape))
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).split("\n")[0])
        print("<<end>>")


for dtype in (torch.float16, torch.int64, torch.bool):
    for sizes in ((3, 3), (0, 0)):
        a = torch.zeros(sizes).to(dtype) if 0 in sizes else torch.eye(3).to(dtype)
        for f in (torch.linalg.eigh, torch.linalg.cholesky, torch.linalg.svd, torch.linalg.lu, torch.linalg.det, torch.geqrf):
            show(lambda f=f, a=a: f(a))
        show(lambda a=a: torch.linalg.matrix_norm(a, "nuc"))
        show(lambda a=a: torch.linalg.cond(a, 1))
        show(lambda a=a: torch.softmax(a, -1))
        show(lambda a=a: torch.mm(a, a))
for dtype in (torch.int32, torch.bool, torch.complex64):
    x = torch.ones(1, 1, 4, 4).to(dtype)
    show(lambda: F.interpolate(x[0], scale_factor=2, mode="nearest"))
    show(lambda: F.pad(x, (1, 1, 1, 1), "reflect"))
    show(lambda: F.max_pool1d(x[0], 2))
    show(lambda: F.conv2d(x, x[..., :2, :2], dilation=2))
    show(lambda: F.multi_margin_loss(x[0, 0], torch.tensor([0, 1, 2, 3])))
    show(lambda: torch.tril_indices(3, 3, dtype=dtype))
    show(lambda: torch.cumsum(x, 0, dtype=dtype))
    show(lambda: x.clone().polygamma_(1))
    show(lambda: x.clone().abs_())
    show(lambda: torch.view_as_complex(x[..., :2]))
    show(lambda: torch.scatter_reduce(x[0, 0], 0, torch.tensor([[0]]), x[0, 0, :1], "amax"))
    show(lambda: F.scaled_dot_product_attention(x, x, x))
