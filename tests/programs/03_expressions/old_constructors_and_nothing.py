# torch.Tensor(...) reads sizes, elements and sizes as such; sums of nothing are zero without a sign.
import torch
import torch.nn.functional as F


def t(name, f):
    try:
        print(name, f())
    except (TypeError, RuntimeError) as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


t("list", lambda: torch.Tensor([1, 2]))
t("sizes", lambda: torch.Tensor(2, 3).shape)
t("one size", lambda: torch.Tensor(4).shape)
t("nothing", lambda: torch.Tensor())
t("size", lambda: torch.Tensor(torch.Size([2, 2])).shape)
t("float", lambda: torch.Tensor(2.5))
t("bool", lambda: torch.Tensor(True))
t("none", lambda: torch.Tensor(None))
t("name", lambda: torch.Tensor(size=(2, 1)).shape)
t("wrong name", lambda: torch.Tensor(sizes=(2, 1)).shape)
t("tensor", lambda: torch.Tensor(torch.tensor([1, 2])))
t("string", lambda: torch.Tensor("abc"))
e = torch.zeros(0)
t("cdist", lambda: torch.cdist(torch.zeros(2, 0), torch.zeros(2, 0)))
t("pdist", lambda: torch.pdist(torch.zeros(2, 0)))
t("dist", lambda: torch.dist(e, e))
t("bincount", lambda: torch.bincount(torch.zeros(0, dtype=torch.long), weights=e, minlength=2))
t("margins", lambda: F.multilabel_margin_loss(torch.tensor([[0.1, 0.2]]), torch.tensor([[-1, 0]]), reduction="none"))
t("one class", lambda: F.multi_margin_loss(torch.tensor([[0.1]]), torch.tensor([0]), reduction="none"))
t("squares", lambda: F.mse_loss(e, e, reduction="sum"))
