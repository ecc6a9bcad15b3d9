# What layers say of inputs whose dtypes or sizes do not fit.
import torch
import torch.nn as nn
import torch.nn.functional as F


def attempt(label, call):
    try:
        print(label, tuple(call().shape))
    except Exception as error:
        print(label)
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


x = torch.ones(2, 3, 8, 8)
attempt("conv dtype", lambda: F.conv2d(x, torch.ones(4, 3, 3, 3, dtype=torch.float64)))
attempt("conv channels", lambda: F.conv2d(x, torch.ones(4, 2, 3, 3)))
attempt("conv groups", lambda: F.conv2d(x, torch.ones(4, 1, 3, 3), groups=2))
attempt("conv kernel", lambda: F.conv2d(x, torch.ones(4, 3, 9, 9)))
attempt("linear dtype", lambda: F.linear(torch.ones(2, 3), torch.ones(4, 3, dtype=torch.float64)))
attempt("linear sizes", lambda: F.linear(torch.ones(2, 3), torch.ones(4, 5)))
attempt("reflect", lambda: F.pad(torch.ones(1, 2, 3), (3, 3), mode="reflect"))
attempt("circular", lambda: F.pad(torch.ones(1, 2, 3), (4, 4), mode="circular"))
attempt("pool", lambda: F.max_pool2d(torch.ones(1, 1, 2, 2), 3))
attempt("pool padding", lambda: F.avg_pool2d(x, 2, padding=2))
attempt("lstm width", lambda: nn.LSTM(4, 5)(torch.ones(2, 3, 6))[0])
attempt("gru rank", lambda: nn.GRU(4, 5)(torch.ones(4)))
attempt("cell width", lambda: nn.LSTMCell(4, 5)(torch.ones(2, 6))[0])
attempt("batch norm", lambda: nn.BatchNorm2d(4)(x))
attempt("group norm", lambda: nn.GroupNorm(2, 3))
attempt("layer norm", lambda: nn.LayerNorm(5)(x))
attempt("bce target", lambda: F.binary_cross_entropy(torch.ones(2), torch.full((2,), 2.0)))
attempt("cross entropy", lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3])))
attempt("default dtype", lambda: torch.set_default_dtype(torch.int32))
