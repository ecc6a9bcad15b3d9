# dtypes and ranks that operators refuse
import torch
import torch.nn.functional as F

o = torch.ones

def err(f):
    try:
        print(f())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

err(lambda: F.unfold(o(1, 1, 2, 2).int(), 2))
err(lambda: F.max_unpool2d(o(1, 1, 2, 2).int(), torch.zeros(1, 1, 2, 2).long(), 2))
err(lambda: o(2).bernoulli(o(2).int()) if False else torch.empty(2).bernoulli_(o(2).int()))
err(lambda: torch.linalg.vecdot(o(2).int(), o(2).int()))
err(lambda: torch.istft(o(2, 3), 4))
err(lambda: torch.tensor(1.0)[1:])
err(lambda: torch.trapezoid(torch.tensor(1.0)))
err(lambda: torch.cumulative_trapezoid(torch.tensor(1.0)))
err(lambda: F.interpolate(o(1, 1, 4, 4).half(), size=(2, 2), mode="bilinear", antialias=True))
err(lambda: torch.linalg.vector_norm(o(2).double(), dtype=torch.float32))
err(lambda: F.hinge_embedding_loss(o(2) + 0j, o(2)))
err(lambda: torch.view_copy(torch.arange(6).reshape(2, 3).t(), (6,)))
err(lambda: torch.asin(torch.tensor([complex(float("inf"), 1.0), complex(0.0, float("-inf"))])))
err(lambda: torch.rsqrt(torch.tensor(complex(float("inf"), 1.0))))
