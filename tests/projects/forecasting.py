"""Forecasts: DeepAR and others of gluonts, temporal fusion and N-BEATS of pytorch-forecasting, Chronos from a configuration."""
# packages: gluonts pytorch-forecasting pytorch-lightning lightning lightning-utilities torchmetrics pytorch-optimizer chronos-forecasting transformers accelerate
# needs: numpy pandas scipy scikit-learn scikit-base pydantic toolz tqdm typing_extensions pyyaml fsspec packaging huggingface_hub tokenizers safetensors regex einops
import logging
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
import numpy as np
import pandas as pd
import torch
from gluonts.torch.distributions import NegativeBinomialOutput, NormalOutput, StudentTOutput
from gluonts.torch.model.deepar.module import DeepARModel
from gluonts.torch.model.simple_feedforward.module import SimpleFeedForwardModel
from gluonts.torch.model.tft.module import TemporalFusionTransformerModel
from gluonts.torch.model.d_linear.module import DLinearModel
from gluonts.torch.model.patch_tst.module import PatchTSTModel
from show import saved, show, steps

torch.manual_seed(0)
past, future = torch.rand(3, 24) + 1, torch.rand(3, 6) + 1
linear = DLinearModel(6, 24, hidden_dimension=8)
show("dlinear", linear(past, torch.ones(3, 24)))
ff = SimpleFeedForwardModel(6, 24, hidden_dimensions=[8], distr_output=StudentTOutput())
show("feed forward", ff(past))
steps("feed forward", ff, lambda: ff.loss(past, future, torch.ones(3, 6)).mean())
patches = PatchTSTModel(
    prediction_length=6,
    context_length=24,
    patch_len=8,
    stride=4,
    padding_patch="end",
    d_model=8,
    nhead=2,
    dim_feedforward=16,
    dropout=0.0,
    activation="relu",
    norm_first=False,
    num_encoder_layers=1,
    scaling="mean",
    distr_output=NormalOutput(),
    num_feat_dynamic_real=0,
).eval()
show("patches", patches(past, torch.ones(3, 24)))
ar = DeepARModel(
    freq="D",
    context_length=12,
    prediction_length=6,
    num_feat_dynamic_real=1,
    num_feat_static_real=1,
    num_feat_static_cat=1,
    cardinality=[3],
    hidden_size=8,
    distr_output=NegativeBinomialOutput(),
    lags_seq=[1, 2, 7],
    dropout_rate=0.0,
)
length = ar._past_length
counts = torch.randint(0, 9, (3, length)).float()
arguments = (torch.arange(3)[:, None], torch.rand(3, 1), torch.rand(3, length, 1), counts, torch.ones(3, length), torch.rand(3, 6, 1))
torch.manual_seed(1)
show("deepar", ar(*arguments, num_parallel_samples=4))
steps(
    "deepar",
    ar,
    lambda: ar.loss(*arguments, torch.randint(0, 9, (3, 6), generator=torch.Generator().manual_seed(2)).float(), torch.ones(3, 6)).mean(),
)
for output in (StudentTOutput(), NormalOutput(), NegativeBinomialOutput()):
    head = output.get_args_proj(5)
    distribution = output.distribution(head(torch.randn(4, 5)), scale=torch.ones(4))
    show(type(output).__name__, [distribution.mean, distribution.log_prob(torch.ones(4)), distribution.sample((2,))])

from pytorch_forecasting import SMAPE, NBeats, QuantileLoss, TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.models import NHiTS

frame = pd.DataFrame(
    {
        "time": np.tile(np.arange(40), 3),
        "group": np.repeat(["a", "b", "c"], 40),
        "value": np.sin(np.arange(120) * 0.3) + np.repeat([1.0, 2.0, 3.0], 40),
        "known": np.cos(np.arange(120) * 0.2),
    }
)
data = TimeSeriesDataSet(
    frame,
    time_idx="time",
    target="value",
    group_ids=["group"],
    max_encoder_length=16,
    max_prediction_length=4,
    time_varying_unknown_reals=["value"],
    time_varying_known_reals=["known"],
    static_categoricals=["group"],
)
single = TimeSeriesDataSet(
    frame,
    time_idx="time",
    target="value",
    group_ids=["group"],
    max_encoder_length=16,
    min_encoder_length=16,
    max_prediction_length=4,
    min_prediction_length=4,
    time_varying_unknown_reals=["value"],
)
for kind, source, extra in (
    (
        TemporalFusionTransformer,
        data,
        {"hidden_size": 8, "attention_head_size": 2, "dropout": 0.0, "hidden_continuous_size": 4, "loss": QuantileLoss()},
    ),
    (NBeats, single, {"widths": [8, 16], "backcast_loss_ratio": 0.1, "loss": SMAPE()}),
    (NHiTS, data, {"hidden_size": 8, "loss": SMAPE()}),
):
    torch.manual_seed(3)
    model = kind.from_dataset(source, learning_rate=0.01, log_interval=-1, **extra)
    given, (wanted, _) = next(iter(source.to_dataloader(train=False, batch_size=8, num_workers=0)))
    steps(kind.__name__, model, lambda: model.loss(model(given)["prediction"], wanted).mean())
    show(kind.__name__, model.eval()(given)["prediction"])
