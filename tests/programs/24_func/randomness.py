"""vmap and random operators: the same for all samples, different ones, refused; dropout."""
import torch
from torch.func import jacfwd, vmap

x = torch.zeros(3, 4)


def rows_equal(t):
    return bool((t == t[0]).all())


for draw in (
    lambda a: a + torch.randn(4),
    lambda a: a + torch.rand(4),
    lambda a: a + torch.rand_like(torch.zeros(4)),
    lambda a: a + torch.randint(0, 1000, (4,)),
    lambda a: a + torch.randperm(4),
    lambda a: a + torch.bernoulli(torch.full((4,), 0.5)),
    lambda a: a + torch.normal(0.0, 1.0, (4,)),
    lambda a: a + torch.nn.functional.dropout(torch.ones(4), 0.5),
):
    torch.manual_seed(0)
    same = vmap(draw, randomness="same")(x)
    torch.manual_seed(0)
    different = vmap(draw, randomness="different")(x.repeat(3, 1))
    print(same.shape, rows_equal(same), rows_equal(different))

# Streams are those of the reference.
torch.manual_seed(1)
print(vmap(lambda a: a + torch.randn(4), randomness="different")(x))
torch.manual_seed(1)
print(vmap(lambda a: a + torch.randn(4), randomness="same")(x))
torch.manual_seed(1)
print(vmap(lambda a: a.bernoulli(), randomness="different")(torch.full((3, 4), 0.5)))
torch.manual_seed(1)
print(vmap(lambda a: torch.rand_like(a), randomness="different")(x))
torch.manual_seed(1)
print(vmap(lambda a: torch.nn.functional.dropout(a + 1, 0.5), randomness="different")(x))
torch.manual_seed(2)
print(vmap(vmap(lambda a: torch.rand(()) + a, randomness="same"), randomness="different")(torch.zeros(2, 3)))
torch.manual_seed(2)
print(vmap(vmap(lambda a: torch.rand(()) + a, randomness="different"), randomness="same")(torch.zeros(2, 3)))
print(vmap(lambda a: torch.nn.functional.dropout(a + 1, 0.5, training=False))(x)[0])

for f in (
    lambda: vmap(lambda a: torch.rand(2))(x),
    lambda: vmap(lambda a: a.normal_())(x),
    lambda: vmap(lambda a: torch.nn.functional.dropout(a))(x),
    lambda: vmap(lambda a: torch.zeros(3).normal_() + a.sum(), randomness="different")(x),
    lambda: jacfwd(lambda a: a * torch.rand(3))(x[0, :3]),
):
    try:
        f()
        print("no error")
    except RuntimeError as e:
        print(e)
