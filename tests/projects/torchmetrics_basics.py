"""torchmetrics: metrics of classification, regression, images and text, gathered in a collection."""
# packages: torchmetrics lightning-utilities
# needs: numpy packaging typing_extensions
import torch
import torchmetrics
from torchmetrics import MetricCollection, classification, image, regression, text
from show import show

torch.manual_seed(0)
scores, truth = torch.rand(50, 4).softmax(-1), torch.randint(0, 4, (50,))
metrics = MetricCollection({
    "accuracy": classification.MulticlassAccuracy(4), "f1": classification.MulticlassF1Score(4), "auroc": classification.MulticlassAUROC(4),
    "ap": classification.MulticlassAveragePrecision(4), "confusion": classification.MulticlassConfusionMatrix(4),
    "calibration": classification.MulticlassCalibrationError(4),
})
for i in range(5):
    metrics.update(scores[i * 10 : i * 10 + 10], truth[i * 10 : i * 10 + 10])
show("metrics", metrics.compute())
a, b = torch.randn(40), torch.randn(40)
for metric in (regression.MeanSquaredError(), regression.PearsonCorrCoef(), regression.SpearmanCorrCoef(), regression.R2Score()):
    show(type(metric).__name__, metric(a, b))
x, y = torch.rand(2, 3, 32, 32), torch.rand(2, 3, 32, 32)
show("ssim", image.StructuralSimilarityIndexMeasure(data_range=1.0)(x, y))
show("psnr", image.PeakSignalNoiseRatio(data_range=1.0)(x, y))
show("wer", text.WordErrorRate()(["hello there world"], ["hello their world"]))
show("bleu", text.BLEUScore(n_gram=2)(["the cat sat on it"], [["the cat sat on the mat"]]))
mean = torchmetrics.MeanMetric()
mean(2.0), mean(4.0)
print(mean.compute(), mean.state_dict())
