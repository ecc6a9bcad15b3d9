# what operators say about tensors of different dtypes
import torch
import torch.nn.functional as F

o = torch.ones

def err(f):
    try:
        print(f().dtype)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

for dt in (torch.float64, torch.float16, torch.int64, torch.complex64):
    err(lambda: torch.mm(o(2, 2), o(2, 2).to(dt)))
    err(lambda: torch.mv(o(2, 2), o(2).to(dt)))
    err(lambda: torch.bmm(o(1, 2, 2), o(1, 2, 2).to(dt)))
    err(lambda: torch.addmm(o(2, 2), o(2, 2), o(2, 2).to(dt)))
    err(lambda: torch.baddbmm(o(1, 2, 2), o(1, 2, 2).to(dt), o(1, 2, 2).to(dt)))
    err(lambda: F.linear(o(2, 3).to(dt), o(4, 3)))
    err(lambda: F.linear(o(2, 3).to(dt), o(4, 3), o(4)))
    err(lambda: F.conv1d(o(1, 2, 4).to(dt), o(3, 2, 2)))
    err(lambda: F.conv2d(o(1, 2, 4, 4), o(3, 2, 2, 2).to(dt)))
    err(lambda: F.layer_norm(o(2, 3), (3,), o(3).to(dt), o(3).to(dt)))
    err(lambda: F.layer_norm(o(2, 3).to(dt), (3,), o(3), o(3)))
    err(lambda: F.group_norm(o(2, 4, 3), 2, o(4).to(dt)))
    err(lambda: F.batch_norm(o(2, 3), o(3).to(dt), o(3).to(dt)))
    err(lambda: F.batch_norm(o(2, 3), o(3), o(3), o(3), o(3).to(dt)))
    err(lambda: F.bilinear(o(2, 3).to(dt), o(2, 3), o(4, 3, 3)))
    err(lambda: F.binary_cross_entropy(o(2, 3), o(2, 3).to(dt)))
    err(lambda: F.embedding(o(2).to(dt), o(4, 3)))
    err(lambda: torch.linalg.cross(o(3), o(3).to(dt)))
    err(lambda: torch.cdist(o(2, 2), o(2, 2).to(dt)))
    err(lambda: torch.lerp(o(2), o(2).to(dt), 0.5))
    err(lambda: o(3).index_copy(0, torch.tensor([1]), o(1).to(dt)))
    print(torch.equal(o(2).to(dt), o(2)))
