"""Tables and orders: rtdl's networks and embeddings, allrank's losses; layers of torchnlp."""
# packages: rtdl rtdl-num-embeddings allrank pytorch-nlp
# needs: numpy scipy gcsfs google-auth pandas scikit-learn scikit-base omegaconf rich tqdm einops pyyaml tensorboard attrs flatten-dict packaging fsspec category-encoders matplotlib
import torch
from allrank.models.losses import approxNDCGLoss, binary_listNet, lambdaLoss, listMLE, listNet, neuralNDCG, ordinal, pointwise_rmse, rankNet
from allrank.models.metrics import dcg, mrr, ndcg
from rtdl import MLP, FTTransformer, ResNet
from rtdl_num_embeddings import (
    LinearEmbeddings,
    LinearReLUEmbeddings,
    PeriodicEmbeddings,
    PiecewiseLinearEmbeddings,
    PiecewiseLinearEncoding,
    compute_bins,
)
from show import saved, show, steps
from torchnlp.nn import Attention, LockedDropout

torch.manual_seed(0)
numbers, kinds = torch.randn(6, 4), torch.randint(0, 3, (6, 2))
for net in (
    MLP.make_baseline(d_in=4, d_layers=[8, 6], dropout=0.0, d_out=2),
    ResNet.make_baseline(d_in=4, d_main=8, d_hidden=12, dropout_first=0.0, dropout_second=0.0, n_blocks=2, d_out=2),
):
    show(type(net).__name__, net.eval()(numbers))
    show("traced", saved(torch.jit.trace(net, numbers))(numbers))
    steps(type(net).__name__, net, lambda: net(numbers).square().mean())
former = FTTransformer.make_baseline(
    n_num_features=4,
    cat_cardinalities=[3, 3],
    d_token=8,
    n_blocks=2,
    attention_dropout=0.0,
    ffn_d_hidden=12,
    ffn_dropout=0.0,
    residual_dropout=0.0,
    d_out=1,
)
show("former", former(numbers, kinds))
steps("former", former, lambda: former(numbers, kinds).square().mean(), optimizer=lambda p, lr: former.make_default_optimizer())
bins = compute_bins(torch.randn(50, 4), n_bins=4)
for layer in (
    LinearEmbeddings(4, 5),
    LinearReLUEmbeddings(4, 5),
    PeriodicEmbeddings(4, 5, lite=False),
    PeriodicEmbeddings(4, 5, lite=True),
    PiecewiseLinearEncoding(bins),
    PiecewiseLinearEmbeddings(bins, 5, activation=True, version="B"),
):
    show(type(layer).__name__, layer(numbers))
scores, wanted = torch.randn(3, 6, requires_grad=True), torch.randint(0, 4, (3, 6)).float()
wanted[:, -1] = -1
for loss in (
    lambda s, y: approxNDCGLoss(s, y),
    lambda s, y: listNet(s, y),
    lambda s, y: lambdaLoss(s, y, weighing_scheme="ndcgLoss2_scheme"),
    lambda s, y: neuralNDCG(s, y),
    lambda s, y: rankNet(s, y),
    lambda s, y: pointwise_rmse(s, y, 4),
    lambda s, y: binary_listNet(s, y),
):
    value = loss(scores, wanted.clone())
    show("ranking", [value, *torch.autograd.grad(value, scores)])
torch.manual_seed(1)
show("listmle", listMLE(scores, wanted.clone()))
show("metrics", [ndcg(scores, wanted.clamp_min(0), ats=[2, 4]), mrr(scores, wanted.clamp_min(0)), dcg(scores, wanted.clamp_min(0))])
attention = Attention(6)
show("attention", attention(torch.randn(2, 1, 6), torch.randn(2, 5, 6)))
show("locked", LockedDropout(0.5)(torch.ones(4, 2, 3)))
