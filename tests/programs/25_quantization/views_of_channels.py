# Views of tensors with a scale per channel: which scales they have, and what is refused.
import torch
x = (torch.arange(12.0) - 5.0).reshape(3, 4) / 4
pc = torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 1, 2]), 0, torch.qint8)
pcx = torch.quantize_per_channel(x, torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([0, 1, 2, 0]), 1, torch.qint8)


def t(n, f):
    try: print(n, f())
    except RuntimeError as e: print(n, e)
t("row", lambda: pc[0])
t("other axis", lambda: (pcx[0], pcx[:, 0]))
t("slice", lambda: pc[:2])
t("step", lambda: pc[::2])
t("select", lambda: pc.select(0, 1))
t("transposed", lambda: pc.t())
t("narrow", lambda: pc.narrow(0, 0, 2))
t("unsqueeze", lambda: pc.unsqueeze(0))
t("none", lambda: pc[None].shape)
t("squeeze", lambda: pc.squeeze())
t("copy", lambda: pc.clone()[0])
t("iteration", lambda: [r for r in pc])
t("chunks", lambda: pc.chunk(3))
t("parts", lambda: (pc.unbind(), pc.split(1)))
