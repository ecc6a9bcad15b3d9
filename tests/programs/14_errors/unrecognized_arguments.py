# calls of operators with names that nothing has, lists with one wrong element, and types of elements in messages
import torch

def err(f):
    try:
        print(f())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


x = torch.ones(2, 3)
o = object()

# Names where only one signature is listed, and without parameters at all.
err(lambda: torch.addbmm(x, foo=1))
err(lambda: torch.addbmm(x, batch1=x))
err(lambda: torch.addmv(x, x, vec=3, out=x))
err(lambda: x.abs(foo=1))
err(lambda: x.abs(1, foo=1))
err(lambda: x.abs(1))
err(lambda: x.copy_("a"))
err(lambda: torch.bincount(x, out=3))
err(lambda: torch.relu(x, out=3))
# What is missing is counted from the first that is.
err(lambda: torch.renorm(x, dim=1))
err(lambda: torch.renorm(x, 2, maxnorm=1))
# What has a default matches neither by name nor by type.
err(lambda: torch.all(x, x, x))
err(lambda: torch.count_nonzero(x, dim="a"))
err(lambda: x.all("a", "b"))
err(lambda: x.max(x, x, x))
# Types of elements stand where types are compared.
err(lambda: torch.fill(x, [1, o]))
err(lambda: torch.fill(x, (1,)))
err(lambda: torch.fill(x, ()))
err(lambda: torch.fill(x, value=[x, None]))
err(lambda: torch.addbmm(x, x, (1, 2), [], [[1]], 3, 4))
# The first element decides which signature is meant.
err(lambda: torch.mean(x, [0, o]))
err(lambda: torch.all(x, [0, "a"]))
err(lambda: torch.mean(x, ["a", 0]))
# Functions that take tensors one by one, and those that do not.
err(lambda: torch.block_diag(x, 3))
err(lambda: torch.block_diag(x, foo=3))
err(lambda: torch.block_diag().shape)
err(lambda: torch.broadcast_tensors())
err(lambda: torch.cartesian_prod(torch.ones(1), None))
err(lambda: torch.einsum("ii", 3))
err(lambda: torch.hstack(x))
err(lambda: torch.vstack(x, x))
err(lambda: torch.column_stack(x))
err(lambda: torch.dstack([x, 1]))
err(lambda: torch.cat([x, 3]))
# Several results go into as many tensors.
err(lambda: torch.aminmax(x, out=3))
err(lambda: torch.linalg.eigh(x, out=x))
# Products that say of which dtype they are.
err(lambda: torch.mm())
err(lambda: torch.mm(3, x))
err(lambda: x.mm(x, 3))
err(lambda: torch.baddbmm(x, foo=2))
# Functions that look like those of Python.
err(lambda: torch.chunk(x))
err(lambda: torch.chunk(x, foo=2))
err(lambda: torch.numel())
err(lambda: torch.is_complex(3))
err(lambda: torch.tensor(1, 2))
err(lambda: torch.as_tensor())
err(lambda: torch.nonzero(x, as_tuple=3))
err(lambda: x.register_hook())
err(lambda: x.backward(foo=3))
err(lambda: torch.gradient())
err(lambda: torch.range("a"))
