# Methods of tensors that few know, their out forms and errors; what tensors do not have.
"""Tensor methods and torch functions that are rarely used."""
import torch
import torch.nn.functional as F
torch.set_printoptions(precision=4, sci_mode=False)


def err(label, fn):
    try:
        r = fn()
        print(label, "-> ok", r)
    except Exception as e:
        print(label, "->", type(e).__name__, "|", str(e).split("\n")[0][:200])


def show(name, *vals):
    out = []
    for v in vals:
        if isinstance(v, torch.Tensor):
            s = str([round(k, 4) + 0 if isinstance(k, float) else k for k in v.flatten().tolist()[:12]])
            out.append(f"{tuple(v.shape)} {str(v.dtype)[6:]} {s}")
        elif isinstance(v, (tuple, list)) and v and isinstance(v[0], torch.Tensor):
            out.append(type(v).__name__ + str([k.tolist() for k in v]))
        else:
            out.append(repr(v))
    for k in range(0, len(out), 5):
        print(f"{name:16s}", " ; ".join(out[k:k + 5]))


x = torch.tensor([[1., -2., 3.], [4., 0.5, -6.]])
v = torch.tensor([3, 1, 2])
show("new_*", x.new_zeros(2), x.new_ones((1, 2), dtype=torch.int8), x.new_full((2,), 7), x.new_tensor([1, 2]), x.new_empty(0), x.new_empty_strided((2, 2), (1, 2)).stride())
show("type", x.type(), x.int().type(), x.type(torch.float64).dtype, x.type("torch.IntTensor").dtype, x.type_as(v).dtype, x.dtype.is_floating_point, torch.int8.is_signed, torch.complex64.to_real(), torch.float16.to_complex(), torch.float32.itemsize)
show("is_*", x.is_floating_point(), x.is_complex(), x.is_signed(), v.is_nonzero() if v.numel() == 1 else "n/a", torch.tensor(0).is_nonzero(), x.is_same_size(x.T), x.is_inference(), x.is_conj(), torch.is_tensor(3), torch.is_storage(x), x.is_neg(), x.is_distributed() if hasattr(x, "is_distributed") else 0)
show("sizes", x.size(1), x.size(), x.stride(0), x.dim(), x.ndim, x.ndimension(), x.nelement(), x.numel(), x.element_size(), x.dim_order(), len(x), x.shape[-1], x.size(dim=-1), x.shape.numel(), x.data.shape)
show("apply/map", x.clone().apply_(lambda a: a * 2), x.clone().map_(x, lambda a, b: a + b))
show("clamp family", x.clamp_min(0), x.clamp_max(1.), x.clip(-1, 1), x.clamp(min=-1), torch.clamp(x, max=2))
show("addc", torch.addcmul(x, x, x, value=0.1), torch.addcdiv(x, x, x.abs() + 1), x.sub(x, alpha=2), torch.rsub(x, 1), x.xlogy(x.abs()), x.float_power(2))
show("copysign etc", x.copysign(torch.tensor(-1.)), x.hypot(x), x.nextafter(x) == x, x.signbit(), x.heaviside(torch.tensor(1.)), x.logit(eps=0.1), x.sgn(), x.deg2rad(), x.erfinv().isnan(), x.nan_to_num())
show("fliplr", x.fliplr(), x.flipud(), x.rot90(1, (0, 1)), x.rot90(2), x.roll(1), x.roll(-1, 1), x.roll((1, 1), (0, 1)))
show("stack fns", torch.hstack([v, v]), torch.vstack([v, v]), torch.dstack([v, v]), torch.column_stack([v, v]), torch.row_stack([v, v]), torch.concat([v, v]), torch.concatenate([x, x], axis=1))
show("atleast", torch.atleast_1d(torch.tensor(1)), torch.atleast_2d(v).shape, torch.atleast_3d(x).shape, torch.atleast_1d(torch.tensor(1), v)[0])
show("split fns", torch.split(v, 2), torch.chunk(v, 2), torch.tensor_split(v, 2), torch.hsplit(x, 3)[0], x.unsafe_chunk(2)[1], torch.unsafe_split(v, 1), v.split_with_sizes([1, 2]), torch.unbind(x, 1))
show("diag", x.diag(), v.diag(-1), v.diagflat(), x.diagonal(1), v.diag_embed(offset=1), x.tril(), x.triu(1), x.trace(), torch.tril_indices(3, 3).shape)
show("ranges", torch.arange(1, 2, 0.3), torch.range(0, 2) if False else torch.arange(3), torch.linspace(0, 1, 5), torch.logspace(0, 2, 3), torch.logspace(0, 3, 4, base=2), torch.eye(2, 3), torch.full((2,), True), torch.full_like(v, 9), torch.zeros_like(x, dtype=torch.bool), torch.complex(torch.tensor(1.), torch.tensor(2.)).abs(), torch.linspace(torch.tensor(1.), 3, 3))
show("cartesian", torch.cartesian_prod(v, v)[:3], torch.combinations(v, 2), torch.meshgrid(v, v[:2], indexing="ij")[1], torch.broadcast_tensors(v, x)[0], torch.broadcast_shapes((2, 1), (3,)))
show("scatter misc", torch.bincount(v), torch.histc(x, 4), torch.isin(v, torch.tensor([1])), torch.bucketize(x, torch.tensor([0., 2.])), v.argsort(), v.msort(), v.diff(), torch.trapz(x), v.cov() if False else x.corrcoef())
show("logic", x.allclose(x + 1e-9), x.equal(x.clone()), x.eq(1), x.ne(1.).sum(), x.greater(0), x.less_equal(1), x.not_equal(x), x.isclose(x), x.logical_and(x), x.isposinf(), x.isreal(), torch.any(x > 3, 1), x.bool())
show("named aliases", x.absolute(), x.negative(), x.arccos().isnan(), x.arctan(), x.arctan2(x), x.multiply(2), x.divide(2), x.subtract(1), x.true_divide(4), x.fix(), x.arcsinh(), x.clip(0), x.swapdims(0, 1), x.moveaxis(0, 1).shape, x.inner(x), v.ger(v))
show("inplace", x.clone().zero_(), x.clone().fill_(2), x.clone().neg_(), x.clone().relu_(), x.clone().t_(), x.clone().sub_(1, alpha=2), x.clone().pow_(2), x.clone().abs_().sqrt_(), x.clone().clamp_(0, 1), x.clone().tril_(), x.clone().unsqueeze_(0).shape, x.clone().swapaxes_(0, 1).shape, x.clone().lerp_(x + 1, 0.5), x.clone().fill_diagonal_(9), x.clone().eq_(1), x.clone().floor_divide_(2), x.clone().remainder_(2), x.clone().copysign_(torch.tensor(-1.)))
show("copy_", torch.zeros(2, 3).copy_(v), torch.zeros(3, dtype=torch.int8).copy_(torch.tensor([1.9, -1.9, 3.])), torch.zeros(2, 2).copy_(torch.tensor(5)))
show("reduce misc", x.norm(), x.dist(x + 1), x.renorm(1, 0, 2.), x.logsumexp(0), x.cummax(1)[0], x.count_nonzero(), x.std_mean(1) if hasattr(x, "std_mean") else 0, x.aminmax(dim=1), x.prod(0), x.nansum(), v.mode()[0], x.sum_to_size(1, 3), x.quantile(0.5, 1), x.var(0, correction=0), x.mean(dim=(0, 1)))
show("index misc", x.take(torch.tensor([0, -1])), x.put(torch.tensor([0]), torch.tensor([9.])), x.narrow(1, 1, 2), x.narrow_copy(1, 0, 1), x.select(0, 1), x.index_fill(1, torch.tensor([0]), 0), x.argwhere()[:2], x.nonzero_static(size=3), x.nonzero_static(size=8, fill_value=-1)[-1], x.masked_select(x > 2), x.where(x > 0, torch.tensor(0.)), x.msort()[0], x.movedim(0, 1).shape)
show("matrix", v.outer(v), v.dot(v), v.vdot(v), x.mm(x.T), x.matmul(v.float()), x.mv(v.float()), x.addmm(x, torch.eye(3), beta=0), x[0].addmv(torch.eye(3), v.float()), x.T.pinverse().shape, (x @ x.T).det(), (x @ x.T).logdet(), (x @ x.T).inverse(), (x @ x.T).slogdet()[0], x.kron(torch.ones(1, 2)).shape, x.cross(x + 1, dim=1), (x @ x.T).matrix_power(2), torch.tensor([[0., 1.], [0., 0.]]).matrix_exp())
show("unfold etc", v.unfold(0, 2, 1), x.unflatten(1, (3, 1)).shape, x.flatten(), x.ravel(), x.expand(2, 2, 3).shape, x.repeat(1, 2), x.tile(2), v.repeat_interleave(2), v.repeat_interleave(v), x.as_strided((2,), (3,)), x.view_as(x).shape, x.reshape_as(x.T).shape, x.squeeze().shape, x.unsqueeze(-1).shape, x.permute(*[1, 0]).shape)
show("cast", *[getattr(x, n)().dtype for n in ("half", "float", "double", "bfloat16", "byte", "char", "short", "int", "long", "bool", "cfloat", "cdouble")])
show("to", x.to(torch.int64), x.to(v).dtype, x.to("cpu", torch.half).dtype, x.to(dtype=torch.bool, non_blocking=True).dtype, x.to(x.device) is x, x.cpu() is x, x.contiguous() is x, x.float() is x, x.to(copy=True) is x if False else x.clone() is x)
show("python", int(torch.tensor(3.7)), float(torch.tensor(2)), bool(torch.tensor(0)), complex(torch.tensor(1.)), 2 in v, torch.tensor(2) in v, sum(v), max(v), sorted(v), [*v], divmod(7, 2), abs(x[0]), -x[0], +x[0], ~v, 1 / v, 2 ** v, v // 2, v % 2, x[0] @ x[0], v.__len__(), v.__index__() if v.numel() == 1 else "", [10, 20, 30][v[1]])
show("view dtype", x.view(torch.int32), torch.tensor([1], dtype=torch.int32).view(torch.uint8), x.flatten().view(2, -1).shape, torch.tensor([1.5]).view(torch.int32).item())
show("infos", torch.finfo(torch.half).max, torch.finfo(torch.float64).eps, torch.iinfo(torch.int32).min, torch.iinfo(torch.uint8).bits, torch.promote_types(torch.int8, torch.half), torch.result_type(v, 1.5), torch.is_grad_enabled(), torch.numel(x), torch.get_default_dtype())
show("out=", torch.add(x, 1, out=(o := torch.empty(0))), o.shape, torch.cat([v, v], out=torch.empty(0, dtype=torch.int64)), torch.max(x, 0, out=(torch.empty(0), torch.empty(0, dtype=torch.int64)))[1], torch.sum(x, 0, out=torch.empty(3)), torch.eye(2, out=torch.empty(0)), torch.arange(3, out=torch.empty(0)), torch.where(x > 0, x, x, out=torch.empty(0)) if False else "", torch.matmul(x, x.T, out=torch.empty(0)), torch.linspace(0, 1, 3, out=torch.empty(3)))
show("functional", F.relu6(x), F.glu(torch.ones(4)), F.softmin(x, 0)[0], F.hardtanh(x, -0.5, 0.5), F.threshold(x, 0.6, 9.), F.logsigmoid(x), F.celu(x, 2.), F.normalize(x)[0], F.pairwise_distance(x, x), F.pad(v, (1, 2), value=5), F.one_hot(v), F.unfold(torch.ones(1, 1, 2, 2), 2).shape, F.channel_shuffle(torch.arange(4.).reshape(1, 4, 1), 2), F.tanhshrink(x), F.rrelu(x, 0.1, 0.1))
t = x.clone()
t.foo = 3
t.data.mul_(2)
t2 = t.detach()
t2 += 1
show("attrs", t.foo, hasattr(t.clone(), "foo"), t, t._version, t.grad, t.grad_fn, t.is_leaf, t.requires_grad, t.output_nr, t.retains_grad, t.requires_grad_().requires_grad, t.T.shape, t.H.shape, t.mT.shape, t.real.shape)
err("index 1d", lambda: v.__index__())
err("map_ shape", lambda: x.map_(torch.ones(4), lambda a, b: a))
err("swapaxes", lambda: x.swapaxes(0, 2))
err("sorted 2d", lambda: max(x))
err("H 3d", lambda: x[None].H)
err("t_ shape", lambda: x.clone().t_().shape)
err("is_nonzero", lambda: v.is_nonzero())
err("hsplit", lambda: torch.hsplit(v, 2))
err("new_tensor", lambda: x.new_tensor("a"))
err("apply_ grad", lambda: torch.ones(1, requires_grad=True).apply_(lambda a: a))
err("eq_ int", lambda: v.clone().eq_(1))
err("cholesky", lambda: torch.ones(2, 2).cholesky())
err("unflatten", lambda: v.unflatten(0, (2, 2)))


@torch.jit.script
def f(x, v):
    return x.new_zeros([2]), x.clamp_min(0.0), v.repeat_interleave(2), x.type_as(v), x.flip([0]), x.roll([1], [1]), torch.atleast_2d(v).dim(), x.numel(), x.is_floating_point(), v.tolist() if False else v[0].item(), x.unflatten(0, [1, -1]).size(), torch.broadcast_tensors([v, x])[0].shape, int(v[0]), float(x[0, 0]), x.element_size()


print(f(x, v))
