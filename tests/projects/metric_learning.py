"""pytorch-metric-learning: losses and miners."""
# packages: pytorch-metric-learning
# needs: numpy scikit-learn tqdm
import torch
from pytorch_metric_learning import distances, losses, miners
from show import show

torch.manual_seed(0)
x, y = torch.randn(12, 5, requires_grad=True), torch.arange(12) % 3
for loss in (losses.TripletMarginLoss(), losses.ContrastiveLoss(), losses.NTXentLoss(), losses.MultiSimilarityLoss(), losses.CircleLoss()):
    show(type(loss).__name__, loss(x, y))
pairs = miners.MultiSimilarityMiner()(x, y)
show("mined", [part.shape[0] for part in pairs])
show("cosine", distances.CosineSimilarity()(x))
