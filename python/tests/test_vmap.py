"""``torch.vmap`` against a loop: every rule gives what its operator gives for the samples one by one.

A rule that fails where the loop does not is an error here; programs get the loop.
"""

import unittest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.func import vmap
from rushlight.utils import _pytree as tree

SAMPLES = 3


def normal(*sizes):
    return torch.randn(*sizes)


def positive(*sizes):
    return torch.rand(*sizes) + 0.5


def whole(*sizes):
    return torch.randint(0, 3, sizes)


def matrices(count, size):
    """Matrices with positive eigenvalues."""
    found = torch.randn(count, size, size)
    return found @ found.mT + torch.eye(size)


def cases():
    """``(name, function, arguments, dimension of each that counts the samples)``."""
    found = []

    def case(name, function, *arguments, dims=None):
        found.append((name, function, arguments, dims or (0,) * len(arguments)))

    torch.manual_seed(0)
    for n in 'sin cos exp tanh relu abs neg sigmoid square sign floor isnan'.split():
        case(n, getattr(torch, n), normal(SAMPLES, 4))
        case(n + '0', getattr(torch, n), normal(SAMPLES))
    for n in 'add sub mul div maximum minimum pow atan2 eq lt ge'.split():
        f = getattr(torch, n)
        case(n, f, positive(SAMPLES, 4), positive(SAMPLES, 4))
        case(n + 'b', f, positive(SAMPLES, 4), positive(SAMPLES, 2, 4))
        case(n + 'c', f, positive(SAMPLES, 2, 4), positive(SAMPLES))
        case(n + 'd', f, positive(4), positive(SAMPLES, 2, 4), dims=(None, 0))
        case(n + 'e', f, positive(2, 4), positive(SAMPLES), dims=(None, 0))
        case(n + 'f', f, positive(4, SAMPLES), positive(SAMPLES, 4), dims=(1, 0))
    case('promote', lambda a, b: a + b, normal(SAMPLES).double(), normal(SAMPLES, 3))
    case('promote2', lambda a, b: a * b, normal(3), normal(SAMPLES).double(), dims=(None, 0))
    case('promote3', lambda a, b: torch.where(a > 0, a, b), normal(SAMPLES).double(), normal(SAMPLES, 3))
    case('scalar', lambda a: 2 - a / 3 + 1 ** a, normal(SAMPLES, 4))
    case('cmp', lambda a: (a > 0) & (a < 1) | ~(a == 2), normal(SAMPLES, 4))
    case('pow', lambda a: a ** 2 + 2 ** a, positive(SAMPLES, 4))
    case('mod', lambda a: a % 2 // 1, positive(SAMPLES, 4))
    case('clamp', lambda a: a.clamp(min=0).clamp(-1, 0.5).clamp_min(0.1), normal(SAMPLES, 4))
    case('clampt', lambda a, b: a.clamp(min=b), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('where', lambda a, b: torch.where(a > 0, a, b), normal(SAMPLES, 4), normal(SAMPLES, 1))
    case('where2', lambda a: torch.where(a > 0, 1.0, 0.0), normal(SAMPLES, 4))
    case('where3', lambda a, b: a.where(b > 0, 0.0), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('where4', lambda a, b: a.where(b > 0, a), normal(4), normal(SAMPLES, 4), dims=(None, 0))
    case('lerp', torch.lerp, normal(SAMPLES, 4), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('addcmul', lambda a, b, d: torch.addcmul(a, b, d, value=2), normal(SAMPLES, 4), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('to', lambda a: a.double() + a.to(torch.float64) + a.type_as(a).to(a.dtype).float(), normal(SAMPLES, 4))
    case('long', lambda a: a.long().to(torch.int32), normal(SAMPLES, 4))
    for n in 'sum mean amax amin prod logsumexp std var median max min argmax argmin any all norm count_nonzero nansum'.split():
        f = getattr(torch, n)
        if n not in ('logsumexp',):
            case(n, f, normal(SAMPLES, 3, 4))
        case(n + '_d', lambda a, f=f, n=n: f(a, dim=1), normal(SAMPLES, 3, 4))
        case(n + '_-1', lambda a, f=f, n=n: f(a, dim=-2), normal(SAMPLES, 3, 4))
        if n != 'count_nonzero':
            case(n + '_k', lambda a, f=f: f(a, dim=0, keepdim=True), normal(SAMPLES, 3, 4))
        if n in ('sum', 'mean', 'amax', 'amin', 'logsumexp', 'std', 'var'):
            case(n + '_2', lambda a, f=f: f(a, dim=(0, -1)), normal(SAMPLES, 3, 4))
        if n not in ('std', 'var', 'logsumexp'):
            case(n + '_0', f, normal(SAMPLES))
    case('sumdtype', lambda a: a.sum(dtype=torch.float64), normal(SAMPLES, 3))
    case(
        'std unb',
        lambda a: a.std(unbiased=False) + a.var(0, unbiased=False).sum() + torch.var(a, dim=0, correction=0).sum(),
        normal(SAMPLES, 3, 4),
    )
    case('var_mean', lambda a: torch.var_mean(a, 0), normal(SAMPLES, 3, 4))
    case('aminmax', lambda a: tuple(torch.aminmax(a)), normal(SAMPLES, 3, 4))
    case(
        'norms',
        lambda a: a.norm() + a.norm(p=1) + torch.linalg.norm(a) + torch.linalg.vector_norm(a, 3) + a.norm(dim=1).sum() + a.norm(2, 0).sum(),
        normal(SAMPLES, 3, 4),
    )
    case('softmax', lambda a: a.softmax(-1) + F.softmax(a, dim=0) + F.log_softmax(a, 1), normal(SAMPLES, 3, 4))
    case('softmax0', lambda a: a.softmax(0), normal(SAMPLES))
    case('cumsum', lambda a: a.cumsum(0) + a.cumsum(-1) + a.cumprod(1), normal(SAMPLES, 3, 4))
    case('cummax', lambda a: torch.cummax(a, 0)[0], normal(SAMPLES, 3, 4))
    case('logcumsumexp', lambda a: a.logcumsumexp(0), normal(SAMPLES, 3))
    case('sort', lambda a: a.sort(), normal(SAMPLES, 3, 4))
    case('sortd', lambda a: torch.sort(a, dim=0, descending=True)[0], normal(SAMPLES, 3, 4))
    case('argsort', lambda a: a.argsort(0), normal(SAMPLES, 3, 4))
    case('topk', lambda a: a.topk(2), normal(SAMPLES, 3, 4))
    case('topk0', lambda a: a.topk(2, dim=0, largest=False), normal(SAMPLES, 3, 4))
    case('kth', lambda a: a.kthvalue(2)[0], normal(SAMPLES, 4))
    case('mode', lambda a: a.mode()[0], whole(SAMPLES, 5).float())
    case('quantile', lambda a: torch.quantile(a, 0.3) + torch.quantile(a, 0.5, dim=0).sum(), normal(SAMPLES, 3, 4))
    case('quantilet', lambda a: torch.quantile(a, torch.tensor([0.3, 0.6])), normal(SAMPLES, 4))
    case('cossim', lambda a, b: F.cosine_similarity(a, b, dim=0), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('cossim2', lambda a, b: F.cosine_similarity(a, b), normal(2, 4), normal(SAMPLES, 3, 4)[:, :2], dims=(None, 0))
    case('diff', lambda a: a.diff(), normal(SAMPLES, 4))
    case('pairwise', lambda a, b: F.pairwise_distance(a, b), normal(SAMPLES, 2, 4), normal(SAMPLES, 2, 4))
    case('cdist', lambda a, b: torch.cdist(a, b), normal(SAMPLES, 2, 4), normal(SAMPLES, 3, 4))
    case('normalize', lambda a: F.normalize(a, dim=0), normal(SAMPLES, 4))
    case('view', lambda a: a.view(4, 3) + a.view(-1, 3) + a.reshape((4, 3)), normal(SAMPLES, 3, 4))
    case('view-1', lambda a: a.reshape(-1), normal(SAMPLES, 3, 4))
    case('vbdim', lambda a: a.reshape(2, 6), normal(3, 4, 5), dims=(2,))
    case('flatten', lambda a: a.flatten(), normal(SAMPLES, 3, 4))
    case('flatten1', lambda a: torch.flatten(a, 1), normal(SAMPLES, 2, 3, 4))
    case('ravel', lambda a: a.ravel(), normal(SAMPLES, 3, 4))
    case('unflatten', lambda a: a.unflatten(0, (3, 2)), normal(SAMPLES, 6, 4))
    case('perm', lambda a: a.permute(2, 0, 1), normal(SAMPLES, 2, 3, 4))
    case('perm2', lambda a: a.permute((-1, 0, 1)), normal(SAMPLES, 2, 3, 4))
    case('transp', lambda a: a.transpose(0, 1) + a.t() + a.T + a.mT + a.swapaxes(0, -1), normal(SAMPLES, 3, 4))
    case('movedim', lambda a: a.movedim(0, -1), normal(SAMPLES, 3, 4, 2))
    case('squeeze', lambda a: a.squeeze(), normal(SAMPLES, 1, 3, 1))
    case('squeeze1', lambda a: a.squeeze(0).squeeze(-1), normal(SAMPLES, 1, 3, 1))
    case('unsq', lambda a: a.unsqueeze(0).unsqueeze(-1), normal(SAMPLES, 3))
    case('unsq0', lambda a: a.unsqueeze(0), normal(SAMPLES))
    case('expand', lambda a: a.expand(2, 3), normal(SAMPLES, 3))
    case('expand-1', lambda a: a.expand(2, -1, 4), normal(SAMPLES, 3, 1))
    case('expand_as', lambda a, b: a.expand_as(b), normal(SAMPLES, 3), normal(SAMPLES, 2, 3))
    case('repeat', lambda a: a.repeat(2, 1, 2), normal(SAMPLES, 3, 4))
    case('tile', lambda a: a.tile(2), normal(SAMPLES, 3, 4))
    case('tile2', lambda a: torch.tile(a, (2,)), normal(SAMPLES, 3))
    case('select', lambda a: a.select(1, 0), normal(SAMPLES, 3, 4))
    case('unbind', lambda a: a.unbind(1), normal(SAMPLES, 3, 4))
    case('split', lambda a: a.split(2, 1), normal(SAMPLES, 3, 4))
    case('split2', lambda a: torch.split(a, [1, 2]), normal(SAMPLES, 3, 4))
    case('chunk', lambda a: torch.chunk(a, 2, dim=1), normal(SAMPLES, 3, 4))
    case('narrow', lambda a: a.narrow(1, 1, 2), normal(SAMPLES, 3, 4))
    case('flip', lambda a: a.flip(0) + torch.flip(a, [0, 1]), normal(SAMPLES, 3, 4))
    case('roll', lambda a: a.roll(1) + a.roll(1, 0) + torch.roll(a, (1, 2), (0, 1)), normal(SAMPLES, 3, 4))
    case('rot90', lambda a: torch.rot90(a), normal(SAMPLES, 3, 4))
    case('tril', lambda a: a.tril() + torch.triu(a, 1), normal(SAMPLES, 3, 4))
    case('diag', lambda a: torch.diag(a), normal(SAMPLES, 3))
    case('diag2', lambda a: torch.diag(a) + a.diagonal() + torch.diagonal(a, 0), normal(SAMPLES, 3, 3))
    case('trace', torch.trace, normal(SAMPLES, 3, 3))
    case('diag_embed', lambda a: torch.diag_embed(a), normal(SAMPLES, 2, 3))
    case('unfold', lambda a: a.unfold(0, 2, 1), normal(SAMPLES, 5))
    case('repint', lambda a: a.repeat_interleave(2, 0) + a.repeat_interleave(2).sum(), normal(SAMPLES, 3, 4))
    case('cat', lambda a, b: torch.cat([a, b], 1), normal(SAMPLES, 3, 4), normal(SAMPLES, 3, 2))
    case('cat2', lambda a, b: torch.cat((a, b)), normal(3, 4), normal(SAMPLES, 3, 4), dims=(None, 0))
    case('stack', lambda a, b: torch.stack([a, b], -1), normal(SAMPLES, 3), normal(3), dims=(0, None))
    case('hstack', lambda a: torch.hstack([a, a]), normal(SAMPLES, 3))
    case('vstack', lambda a: torch.vstack([a, a]), normal(SAMPLES, 3))
    case('colst', lambda a: torch.column_stack([a, a]), normal(SAMPLES, 3))
    case('bt', lambda a, b: torch.broadcast_tensors(a, b), normal(SAMPLES, 3, 1), normal(SAMPLES, 4))
    case('meshgrid', lambda a, b: torch.meshgrid(a, b, indexing='ij'), normal(SAMPLES, 3), normal(SAMPLES, 2))
    case('pad', lambda a: F.pad(a, (1, 2)), normal(SAMPLES, 3, 4))
    case('pad2', lambda a: F.pad(a, (1, 1, 2, 2), value=3.0), normal(SAMPLES, 3, 4))
    case('padr', lambda a: F.pad(a, (1, 1, 1, 1), mode='reflect'), normal(SAMPLES, 2, 3, 4))
    case('atleast', lambda a: torch.atleast_2d(a), normal(SAMPLES, 3))
    case('new', lambda a: a.new_zeros(2, 3) + a.new_ones((2, 3)) + a.new_full((2, 3), 4.0), normal(SAMPLES, 3))
    case('zl', lambda a: torch.zeros_like(a) + torch.ones_like(a) + torch.full_like(a, 2.0), normal(SAMPLES, 3))
    case('nz', lambda a: a.new_tensor([1.0, 2.0]), normal(SAMPLES, 3))
    case('get0', lambda a: a[0], normal(SAMPLES, 3, 4))
    case('get1', lambda a: a[:, 1:3], normal(SAMPLES, 3, 4))
    case('get2', lambda a: a[..., 0], normal(SAMPLES, 3, 4))
    case('getN', lambda a: a[None, :, None], normal(SAMPLES, 3, 4))
    case('gett', lambda a: a[torch.tensor([0, 2])], normal(SAMPLES, 3, 4))
    case('getl', lambda a: a[[0, 2]], normal(SAMPLES, 3, 4))
    case('getlt', lambda a: a[:, [0, 2]], normal(SAMPLES, 3, 4))
    case('get2t', lambda a: a[torch.tensor([0, 2]), torch.tensor([1, 1])], normal(SAMPLES, 3, 4))
    case('getsep', lambda a: a[torch.tensor([0, 2]), :, torch.tensor([1, 1])], normal(SAMPLES, 3, 4, 5))
    case('getsepb', lambda a, i: a[i, :, torch.tensor([1, 1])], normal(SAMPLES, 3, 4, 5), whole(SAMPLES, 2))
    case('getb', lambda a, i: a[i], normal(SAMPLES, 3, 4), whole(SAMPLES))
    case('getb2', lambda a, i: a[i], normal(SAMPLES, 3, 4), whole(SAMPLES, 2, 2))
    case('getb3', lambda a, i: a[:, i], normal(SAMPLES, 3, 4), whole(SAMPLES, 2))
    case('getb4', lambda a, i: a[i], normal(3, 4), whole(SAMPLES, 2), dims=(None, 0))
    case('getb5', lambda a, i: a[:, i, None], normal(3, 4), whole(SAMPLES, 2), dims=(None, 0))
    case('getb6', lambda a, i, j: a[i, j], normal(3, 4), whole(SAMPLES, 2), whole(2), dims=(None, 0, None))
    case('getb7', lambda a, i: a[1, :, i], normal(SAMPLES, 3, 4, 5), whole(SAMPLES, 2))
    case('getb8', lambda a, i: a[i, 0], normal(3, 4), whole(SAMPLES), dims=(None, 0))
    case('getmask', lambda a: a[torch.tensor([True, False, True])], normal(SAMPLES, 3, 4))
    case('geti0', lambda a, i, j: a[i, j], normal(4, 4), whole(SAMPLES), whole(SAMPLES), dims=(None, 0, 0))
    case('getell', lambda a, i: a[..., i], normal(SAMPLES, 3, 4, 5), whole(SAMPLES, 2))
    case('getell2', lambda a, i: a[i, ..., 0], normal(SAMPLES, 3, 4, 5), whole(SAMPLES, 2, 2))
    def s(a):
        a = a.clone()
        a[0] = 0
        return a
    case('set', s, normal(SAMPLES, 3, 4))
    def s(a, b):
        a = a.clone()
        a[:, 1] = b
        return a
    case('set2', s, normal(SAMPLES, 3, 4), normal(SAMPLES, 3))
    case('set2u', s, normal(SAMPLES, 3, 4), normal(3), dims=(0, None))
    def s(a, b):
        a = a.clone()
        a[torch.tensor([0, 1])] = b
        return a
    case('set3', s, normal(SAMPLES, 3, 4), normal(SAMPLES, 4))
    def s(a, b):
        a = a.clone()
        a[b] = 1.0
        return a
    case('set4', s, normal(SAMPLES, 3, 4), whole(SAMPLES, 2))
    def s(a):
        a = a.clone()
        a[a > 0] = 0.0
        return a
    case('setmask', s, normal(SAMPLES, 3, 4))
    def s(a):
        a = a.clone()
        a[0] += 1
        a *= 2
        a -= a
        a.add_(1).mul_(3).clamp_(0, 1)
        a.zero_()
        a.fill_(2)
        a.copy_(torch.ones(4))
        return a
    case('inpl', s, normal(SAMPLES, 3, 4))
    def s(a, b):
        a = a.clone()
        a += b
        a.add_(b, alpha=2)
        a.masked_fill_(b > 0, 7.0)
        return a
    case('inpl2', s, normal(SAMPLES, 3, 4), normal(SAMPLES, 4))
    case('inpl3', s, normal(3, 4, SAMPLES), normal(SAMPLES, 4), dims=(2, 0))
    case('gather', lambda a, i: a.gather(1, i), normal(SAMPLES, 3, 4), whole(SAMPLES, 3, 2))
    case('gatheru', lambda a, i: torch.gather(a, 0, i), normal(3, 4), whole(SAMPLES, 3, 2), dims=(None, 0))
    case('tald', lambda a, i: torch.take_along_dim(a, i, 1), normal(SAMPLES, 3, 4), whole(SAMPLES, 3, 2))
    case('scatter', lambda a, i, v: a.scatter(1, i, v), normal(SAMPLES, 3, 4), whole(SAMPLES, 3, 1), normal(SAMPLES, 3, 1))
    case('scatterv', lambda a, i: a.scatter(1, i, 2.0), normal(SAMPLES, 3, 4), whole(SAMPLES, 3, 1))
    case(
        'scatter_add',
        lambda a, i, v: torch.zeros(3, 4).scatter_add(0, i, v),
        normal(SAMPLES, 3, 4),
        whole(SAMPLES, 3, 2),
        normal(SAMPLES, 3, 2),
    )
    case('isel', lambda a, i: a.index_select(0, i), normal(SAMPLES, 3, 4), whole(SAMPLES, 2))
    case('iselu', lambda a, i: a.index_select(1, i), normal(SAMPLES, 3, 4), whole(2), dims=(0, None))
    case(
        'index_add', lambda a, i, v: a.index_add(0, i, v), normal(SAMPLES, 3, 4), whole(2), normal(SAMPLES, 2, 4), dims=(0, None, 0)
    )
    case('index_addb', lambda a, i, v: a.index_add(0, i, v), normal(SAMPLES, 3, 4), whole(SAMPLES, 2), normal(SAMPLES, 2, 4))
    case('index_put', lambda a, i, v: a.index_put((i,), v), normal(SAMPLES, 3, 4), whole(SAMPLES, 2), normal(SAMPLES, 2, 4))
    case('emb', lambda w, i: F.embedding(i, w), normal(SAMPLES, 5, 4), whole(SAMPLES, 2))
    case('embu', lambda w, i: F.embedding(i, w), normal(5, 4), whole(SAMPLES, 2), dims=(None, 0))
    case('embw', lambda w, i: F.embedding(i, w), normal(SAMPLES, 5, 4), whole(2, 2), dims=(0, None))
    case('onehot', lambda i: F.one_hot(i, 5), whole(SAMPLES, 2))
    case('maskedfill', lambda a: a.masked_fill(a > 0, 1.0), normal(SAMPLES, 3))
    case('bucketize', lambda a: torch.bucketize(a, torch.tensor([0.0, 1.0])), normal(SAMPLES, 3))
    case('searchs', lambda a: torch.searchsorted(torch.tensor([0.0, 1.0]), a), normal(SAMPLES, 3))
    case('searchs2', lambda a, b: torch.searchsorted(a, b), normal(SAMPLES, 3).sort()[0], normal(SAMPLES, 2))
    case('take', lambda a, i: a.take(i), normal(SAMPLES, 3), whole(SAMPLES, 2))
    case('isin', lambda a: torch.isin(a, torch.tensor([1, 2])), whole(SAMPLES, 3))
    case('mm', torch.mm, normal(SAMPLES, 2, 3), normal(SAMPLES, 3, 4))
    case('mmu', torch.mm, normal(SAMPLES, 2, 3), normal(3, 4), dims=(0, None))
    case('mmu2', torch.mm, normal(2, 3), normal(SAMPLES, 3, 4), dims=(None, 0))
    case('bmm', torch.bmm, normal(SAMPLES, 2, 2, 3), normal(SAMPLES, 2, 3, 4))
    case('mv', torch.mv, normal(SAMPLES, 2, 3), normal(SAMPLES, 3))
    case('mvu', lambda a, b: a @ b, normal(2, 3), normal(SAMPLES, 3), dims=(None, 0))
    case('dot', torch.dot, normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('inner', torch.inner, normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('matmul', lambda a, b: a @ b, normal(SAMPLES, 5, 2, 3), normal(SAMPLES, 3))
    case('matmul2', lambda a, b: a @ b, normal(SAMPLES, 3), normal(SAMPLES, 5, 3, 2))
    case('matmul3', lambda a, b: a @ b, normal(SAMPLES, 2, 3), normal(SAMPLES, 5, 3, 2))
    case('matmul4', lambda a, b: a @ b, normal(SAMPLES, 3), normal(3), dims=(0, None))
    case('rmatmul', lambda a, b: b @ a, normal(SAMPLES, 3), normal(4, 3), dims=(0, None))
    case(
        'addmm',
        lambda a, b, d: torch.addmm(a, b, d, beta=2, alpha=3),
        normal(SAMPLES, 4),
        normal(SAMPLES, 2, 3),
        normal(SAMPLES, 3, 4),
    )
    case('baddbmm', torch.baddbmm, normal(SAMPLES, 2, 2, 4), normal(SAMPLES, 2, 2, 3), normal(SAMPLES, 2, 3, 4))
    case('outer', torch.outer, normal(SAMPLES, 3), normal(SAMPLES, 2))
    case('einsum', lambda a, b: torch.einsum('ij,jk->ik', a, b), normal(SAMPLES, 2, 3), normal(3, 4), dims=(0, None))
    case('einsum2', lambda a: torch.einsum('ii', a), normal(SAMPLES, 3, 3))
    case('einsum3', lambda a, b: torch.einsum('...i,i->...', a, b), normal(SAMPLES, 2, 3), normal(SAMPLES, 3))
    case('kron', torch.kron, normal(SAMPLES, 2, 2), normal(SAMPLES, 2, 2))
    case('cross', lambda a, b: torch.linalg.cross(a, b), normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('cross2', lambda a, b: torch.cross(a, b, dim=-1), normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('tensordot', lambda a, b: torch.tensordot(a, b, dims=1), normal(SAMPLES, 2, 3), normal(SAMPLES, 3, 4))
    case('tensordot2', lambda a, b: torch.tensordot(a, b, dims=([1], [0])), normal(SAMPLES, 2, 3), normal(SAMPLES, 3, 4))
    case('vecdot', torch.linalg.vecdot, normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('chain', lambda a: torch.linalg.multi_dot([a, a, a]), normal(SAMPLES, 3, 3))
    case('linear', F.linear, normal(SAMPLES, 3), normal(4, 3), normal(4), dims=(0, None, None))
    case('linearB', F.linear, normal(SAMPLES, 3), normal(SAMPLES, 4, 3), normal(SAMPLES, 4))
    case('linearB2', F.linear, normal(SAMPLES, 5, 3), normal(SAMPLES, 4, 3), normal(SAMPLES, 4))
    case('linearB3', F.linear, normal(SAMPLES, 2, 5, 3), normal(SAMPLES, 4, 3))
    case('linearU', F.linear, normal(5, 3), normal(SAMPLES, 4, 3), normal(SAMPLES, 4), dims=(None, 0, 0))
    case('linearb', F.linear, normal(5, 3), normal(4, 3), normal(SAMPLES, 4), dims=(None, None, 0))
    case('bilinear', F.bilinear, normal(SAMPLES, 2, 3), normal(SAMPLES, 2, 4), normal(5, 3, 4), normal(5), dims=(0, 0, None, None))
    case('inv', torch.linalg.inv, matrices(SAMPLES, 3))
    case('det', torch.det, matrices(SAMPLES, 3))
    case('chol', torch.linalg.cholesky, matrices(SAMPLES, 3))
    case('solve', torch.linalg.solve, matrices(SAMPLES, 3), normal(SAMPLES, 3))
    case('solve2', torch.linalg.solve, matrices(SAMPLES, 3), normal(SAMPLES, 3, 2))
    case('solve3', torch.linalg.solve, matrices(1, 3)[0], normal(SAMPLES, 3), dims=(None, 0))
    case('svd', lambda a: torch.linalg.svdvals(a), normal(SAMPLES, 3, 4))
    case('eigh', lambda a: torch.linalg.eigvalsh(a), matrices(SAMPLES, 3))
    case('qr', lambda a: torch.linalg.qr(a)[1].abs(), normal(SAMPLES, 3, 3))
    case('slogdet', lambda a: torch.linalg.slogdet(a)[1], matrices(SAMPLES, 3))
    case('pinv', torch.linalg.pinv, normal(SAMPLES, 3, 4))
    case('mexp', torch.matrix_exp, normal(SAMPLES, 3, 3))
    case('mpow', lambda a: torch.linalg.matrix_power(a, 3), normal(SAMPLES, 3, 3))
    case(
        'tri',
        lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
        torch.tril(matrices(SAMPLES, 3)),
        normal(SAMPLES, 3, 2),
    )
    case('fft', lambda a: torch.fft.fft(a).abs() + torch.fft.rfft(a, dim=0).abs().sum(), normal(SAMPLES, 3, 4))
    case('fft2', lambda a: torch.fft.fft2(a).abs(), normal(SAMPLES, 3, 4))
    case('irfft', lambda a: torch.fft.irfft(torch.fft.rfft(a)), normal(SAMPLES, 4))
    case('conv2d', F.conv2d, normal(SAMPLES, 2, 3, 5, 5), normal(4, 3, 3, 3), normal(4), dims=(0, None, None))
    case('conv2dl', F.conv2d, normal(SAMPLES, 3, 5, 5), normal(4, 3, 3, 3), normal(4), dims=(0, None, None))
    case('conv2dw', F.conv2d, normal(SAMPLES, 2, 3, 5, 5), normal(SAMPLES, 4, 3, 3, 3), normal(SAMPLES, 4))
    case('conv2dwu', F.conv2d, normal(2, 3, 5, 5), normal(SAMPLES, 4, 3, 3, 3), normal(SAMPLES, 4), dims=(None, 0, 0))
    case(
        'conv2dwl',
        lambda a, b, d: F.conv2d(a, b, d, padding=1, stride=2),
        normal(SAMPLES, 3, 5, 5),
        normal(SAMPLES, 4, 3, 3, 3),
        normal(SAMPLES, 4),
    )
    case('conv2dg', lambda a, b: F.conv2d(a, b, groups=2, padding='same'), normal(SAMPLES, 2, 4, 5, 5), normal(SAMPLES, 6, 2, 3, 3))
    case('conv1d', F.conv1d, normal(SAMPLES, 2, 3, 5), normal(SAMPLES, 4, 3, 3), normal(4), dims=(0, 0, None))
    case('conv3d', F.conv3d, normal(SAMPLES, 1, 2, 3, 4, 4), normal(SAMPLES, 2, 2, 2, 2, 2))
    case(
        'convt',
        lambda a, b, d: F.conv_transpose2d(a, b, d, stride=2, padding=1),
        normal(SAMPLES, 2, 3, 5, 5),
        normal(SAMPLES, 3, 4, 3, 3),
        normal(SAMPLES, 4),
    )
    case('convtu', F.conv_transpose2d, normal(2, 3, 5, 5), normal(SAMPLES, 3, 4, 3, 3), dims=(None, 0))
    case('convtx', F.conv_transpose1d, normal(SAMPLES, 2, 3, 5), normal(3, 4, 3), normal(4), dims=(0, None, None))
    case('maxpool', lambda a: F.max_pool2d(a, 2), normal(SAMPLES, 2, 3, 4, 4))
    case('maxpooll', lambda a: F.max_pool2d(a, 2), normal(SAMPLES, 3, 4, 4))
    case('maxpooli', lambda a: F.max_pool2d(a, 2, return_indices=True), normal(SAMPLES, 2, 3, 4, 4))
    case('avgpool', lambda a: F.avg_pool2d(a, 2), normal(SAMPLES, 2, 3, 4, 4))
    case('aap', lambda a: F.adaptive_avg_pool2d(a, 1), normal(SAMPLES, 2, 3, 4, 4))
    case('aapl', lambda a: F.adaptive_avg_pool2d(a, (2, 1)), normal(SAMPLES, 3, 4, 4))
    case('mp1', lambda a: F.max_pool1d(a, 2), normal(SAMPLES, 3, 4))
    case('amp', lambda a: F.adaptive_max_pool2d(a, 2), normal(SAMPLES, 2, 3, 4, 4))
    case('interp', lambda a: F.interpolate(a, scale_factor=2), normal(SAMPLES, 2, 3, 4, 4))
    case('interpb', lambda a: F.interpolate(a, size=(7, 7), mode='bilinear'), normal(SAMPLES, 2, 3, 4, 4))
    case('pixsh', lambda a: F.pixel_shuffle(a, 2), normal(SAMPLES, 2, 4, 3, 3))
    case('unfold', lambda a: F.unfold(a, 2), normal(SAMPLES, 2, 3, 4, 4))
    case('ln', lambda a, w, b: F.layer_norm(a, (4,), w, b), normal(SAMPLES, 3, 4), normal(4), normal(4), dims=(0, None, None))
    case('lnb', lambda a, w, b: F.layer_norm(a, (4,), w, b), normal(SAMPLES, 3, 4), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('lnu', lambda a, w: F.layer_norm(a, (4,), w), normal(3, 4), normal(SAMPLES, 4), dims=(None, 0))
    case('gn', lambda a, w, b: F.group_norm(a, 2, w, b), normal(SAMPLES, 2, 4, 3), normal(SAMPLES, 4), normal(SAMPLES, 4))
    case('gnu', lambda a, w: F.group_norm(a, 2, w), normal(SAMPLES, 2, 4, 3), normal(4), dims=(0, None))
    case('in', lambda a: F.instance_norm(a), normal(SAMPLES, 2, 4, 3))
    case('bn', lambda a: F.batch_norm(a, None, None, training=True), normal(SAMPLES, 2, 4, 3))
    case(
        'bne',
        lambda a, m, v, w: F.batch_norm(a, m, v, w),
        normal(SAMPLES, 2, 4),
        normal(4),
        positive(4),
        normal(SAMPLES, 4),
        dims=(0, None, None, 0),
    )
    case(
        'bneb',
        lambda a, m, v, w: F.batch_norm(a, m, v, w, training=True),
        normal(SAMPLES, 2, 4),
        normal(SAMPLES, 4),
        positive(SAMPLES, 4),
        normal(SAMPLES, 4),
    )
    case('rms', lambda a, w: F.rms_norm(a, (4,), w), normal(SAMPLES, 3, 4), normal(SAMPLES, 4))
    case('prelu', F.prelu, normal(SAMPLES, 3, 4), normal(1), dims=(0, None))
    case('preluc', F.prelu, normal(SAMPLES, 2, 3, 4), normal(3), dims=(0, None))
    case(
        'gelu',
        lambda a: F.gelu(a, approximate='tanh') + F.silu(a) + F.elu(a) + F.leaky_relu(a, 0.1) + F.softplus(a) + F.hardtanh(a) + F.mish(a) + F.relu6(a) + F.selu(a) + F.logsigmoid(a) + F.softsign(a) + F.tanhshrink(a) + F.hardswish(a),
        normal(SAMPLES, 4),
    )
    case('glu', lambda a: F.glu(a), normal(SAMPLES, 4))
    case('drop', lambda a: F.dropout(a, 0.5, training=False), normal(SAMPLES, 4))
    case('sdpa', F.scaled_dot_product_attention, normal(SAMPLES, 2, 4, 8), normal(SAMPLES, 2, 5, 8), normal(SAMPLES, 2, 5, 8))
    case(
        'sdpau',
        lambda a, b, d: F.scaled_dot_product_attention(a, b, d, is_causal=True),
        normal(SAMPLES, 2, 4, 8),
        normal(2, 4, 8),
        normal(2, 4, 8),
        dims=(0, None, None),
    )
    case(
        'sdpam',
        lambda a, b, d, m: F.scaled_dot_product_attention(a, b, d, m),
        normal(SAMPLES, 2, 4, 8),
        normal(SAMPLES, 2, 4, 8),
        normal(SAMPLES, 2, 4, 8),
        normal(SAMPLES, 4, 4),
    )
    for red in ('none', 'mean', 'sum'):
        for n in 'mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits soft_margin_loss'.split():
            case(
                n + red,
                lambda a, b, n=n, red=red: getattr(F, n)(a, b, reduction=red),
                normal(SAMPLES, 3, 4),
                positive(SAMPLES, 3, 4),
            )
            case(
                n + red + 'u',
                lambda a, b, n=n, red=red: getattr(F, n)(a, b, reduction=red),
                normal(SAMPLES, 3, 4),
                positive(3, 4),
                dims=(0, None),
            )
        case(
            'bce' + red,
            lambda a, b, red=red: F.binary_cross_entropy(a.sigmoid(), b.sigmoid(), reduction=red),
            normal(SAMPLES, 3),
            normal(SAMPLES, 3),
        )
        case('kl' + red, lambda a, b, red=red: F.kl_div(a, b, reduction=red), normal(SAMPLES, 3, 2), positive(SAMPLES, 3, 2))
        case('ce' + red, lambda a, b, red=red: F.cross_entropy(a, b, reduction=red), normal(SAMPLES, 4, 3), whole(SAMPLES, 4))
        case('ce1' + red, lambda a, b, red=red: F.cross_entropy(a, b, reduction=red), normal(SAMPLES, 3), whole(SAMPLES))
        case(
            'cew' + red,
            lambda a, b, red=red: F.cross_entropy(a, b, weight=torch.tensor([1.0, 2.0, 3.0]), ignore_index=1, reduction=red),
            normal(SAMPLES, 4, 3),
            whole(SAMPLES, 4),
        )
        case(
            'cels' + red,
            lambda a, b, red=red: F.cross_entropy(a, b, label_smoothing=0.1, reduction=red),
            normal(SAMPLES, 4, 3),
            whole(SAMPLES, 4),
        )
        case(
            'cep' + red,
            lambda a, b, red=red: F.cross_entropy(a, b.softmax(1), reduction=red),
            normal(SAMPLES, 4, 3),
            normal(SAMPLES, 4, 3),
        )
        case(
            'ce2d' + red, lambda a, b, red=red: F.cross_entropy(a, b, reduction=red), normal(SAMPLES, 2, 3, 4), whole(SAMPLES, 2, 4)
        )
        case(
            'nll' + red,
            lambda a, b, red=red: F.nll_loss(a.log_softmax(-1), b, reduction=red),
            normal(SAMPLES, 4, 3),
            whole(SAMPLES, 4),
        )
        case(
            'nll1' + red, lambda a, b, red=red: F.nll_loss(a.log_softmax(-1), b, reduction=red), normal(SAMPLES, 3), whole(SAMPLES)
        )
    case('klbm', lambda a, b: F.kl_div(a, b, reduction='batchmean'), normal(SAMPLES, 3, 2), positive(SAMPLES, 3, 2))
    case('cemb', lambda a, b: F.cosine_embedding_loss(a, b, torch.ones(3)), normal(SAMPLES, 3, 4), normal(SAMPLES, 3, 4))
    case(
        'trip', lambda a, b, d: F.triplet_margin_loss(a, b, d), normal(SAMPLES, 3, 4), normal(SAMPLES, 3, 4), normal(SAMPLES, 3, 4)
    )
    case('marg', lambda a, b: F.margin_ranking_loss(a, b, torch.ones(3)), normal(SAMPLES, 3), normal(SAMPLES, 3))
    case(
        'meta',
        lambda a: a * len(a) * a.size(0) * a.numel() * a.dim() * float(a.is_floating_point()) * float(torch.is_tensor(a)),
        normal(SAMPLES, 3),
    )
    case('iter', lambda a: sum((x for x in a)), normal(SAMPLES, 3))
    case('contains', lambda a: a.is_contiguous() and a, normal(SAMPLES, 3))
    case('tolist', lambda a: torch.stack([a[i] for i in range(a.shape[0])]), normal(SAMPLES, 3))
    case('allclose', lambda a: a.isclose(a), normal(SAMPLES, 3))
    case('clone', lambda a: a.clone().detach().contiguous(), normal(SAMPLES, 3))
    case('complex', lambda a: torch.view_as_real(torch.view_as_complex(a) * 1j), normal(SAMPLES, 3, 2))
    case('max2', lambda a, b: torch.max(a, b) + torch.min(a, b), normal(SAMPLES, 3), normal(SAMPLES, 3))
    case('nan', lambda a: torch.nan_to_num(a), normal(SAMPLES, 3))
    case('cov', torch.cov, normal(SAMPLES, 3, 4))
    case('nested', lambda a: vmap(lambda x: vmap(torch.sum)(x) + x[0].sin())(a), normal(SAMPLES, 2, 3, 3))
    case('rand_false', lambda a: a + torch.zeros(3) + torch.arange(3), normal(SAMPLES, 3))
    case('addr', torch.addr, normal(SAMPLES, 2, 3), normal(SAMPLES, 2), normal(SAMPLES, 3))
    case('mvlgamma', lambda a: torch.lgamma(a) + torch.digamma(a) + torch.erf(a) + torch.special.i0(a), positive(SAMPLES, 3))
    case('trapz', lambda a: torch.trapezoid(a), normal(SAMPLES, 4))
    case('bincount', lambda a: torch.histc(a, 3, 0, 1), positive(SAMPLES, 4))
    case('logdet', torch.logdet, matrices(SAMPLES, 3))
    case('lstm', lambda a: torch.lstm_cell(a, (a, a), torch.ones(16, 4), torch.ones(16, 4)), normal(SAMPLES, 2, 4))
    case('gru', lambda a: torch.gru_cell(a, a, torch.ones(12, 4), torch.ones(12, 4)), normal(SAMPLES, 2, 4))
    case('celu', lambda a: F.celu(a) + F.threshold(a, 0, 1) + F.rrelu(a), normal(SAMPLES, 3))
    case('hyp', lambda a: torch.hypot(a, a) + torch.ldexp(a, a), normal(SAMPLES, 3))
    case('copysign', lambda a: torch.copysign(a, -1.0) + a.round(decimals=1), normal(SAMPLES, 3))
    return found


class RulesAgainstLoops(unittest.TestCase):
    """Each case once under vmap and once in a loop."""

    def setUp(self):
        from rushlight._functorch import _dispatch

        self.strict = _dispatch.strict
        self.strict[0] = True
        self.addCleanup(self.strict.__setitem__, 0, False)

    def test_all(self):
        for name, function, arguments, dims in cases():
            with self.subTest(name):
                count = next(a.shape[d] for a, d in zip(arguments, dims) if d is not None)
                rows = []
                for i in range(count):
                    sample = [a if d is None else a.select(d, i) for a, d in zip(arguments, dims)]
                    rows.append(tree.tree_leaves(function(*sample)))
                results = tree.tree_leaves(vmap(function, in_dims=dims)(*arguments))
                for column, result in zip(zip(*rows), results):
                    wanted = torch.stack(list(column))
                    self.assertEqual((wanted.shape, wanted.dtype), (result.shape, result.dtype))
                    if not wanted.is_complex():
                        wanted, result = wanted.double(), result.double()
                    self.assertTrue(torch.allclose(wanted, result, atol=1e-4, rtol=1e-4, equal_nan=True))


if __name__ == "__main__":
    unittest.main()
