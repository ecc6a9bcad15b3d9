# torch.testing.assert_close: what it accepts and how it words differences.
import torch
from torch.testing import assert_close


def attempt(label, *args, **kwargs):
    try:
        assert_close(*args, **kwargs)
        print(label, "equal")
    except Exception as error:
        print(label)
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


a = torch.arange(6.0).reshape(2, 3)
attempt("same", a, a.clone())
attempt("near", a, a + 1e-7)
attempt("far", a, a + 1)
attempt("one", a, torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.5, 5.0]]))
attempt("shape", a, a.reshape(3, 2))
attempt("dtype", a, a.double())
attempt("dtype unchecked", a, a.double(), check_dtype=False)
attempt("numbers", 1.0, 1.5)
attempt("ints", 1, 2)
attempt("nan", torch.tensor([float("nan")]), torch.tensor([float("nan")]))
attempt("nan allowed", torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)
attempt("lists", [a, 1.0], [a, 2.0])
attempt("lengths", [a], [a, a])
attempt("keys", {"x": 1}, {"y": 1})
attempt("values", {"x": a}, {"x": a * 2})
attempt("types", a, "text")
attempt("only rtol", a, a, rtol=1e-3)
attempt("tolerances", a, a + 0.5, rtol=0.0, atol=0.6)
attempt("words", a, a + 1, msg="they differ")
attempt("words made", a, a + 1, msg=lambda text: "first: " + text.splitlines()[0])
attempt("bool", torch.tensor([True, False]), torch.tensor([True, True]))
