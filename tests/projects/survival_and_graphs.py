"""Survival and knowledge: pycox with torchtuples, torchsurv, pykeen, torchkge, Kolmogorov-Arnold networks, topics of torchnlp."""
# packages: pycox torchtuples torchsurv torchmetrics lightning-utilities pykeen class-resolver torch-max-mem torch-ppr torchkge pykan
# needs: numpy scipy pandas scikit-learn matplotlib h5py numba feather-format requests py7zr tqdm pyyaml sympy more-itertools click click-default-group more-click dataclasses-json docdata pystow optuna tabulate typing_extensions pydantic
import contextlib
import io

import numpy as np
import torch
import torchtuples
from kan import KAN
from pycox.models import CoxPH, CoxTime, DeepHitSingle, LogisticHazard, MTLR, PCHazard
from pykeen.models import ComplEx, DistMult, RotatE, TransE
from pykeen.triples import TriplesFactory
from show import show, steps
from torchkge.models import TransHModel
from torchsurv.loss import cox, weibull
from torchsurv.metrics.cindex import ConcordanceIndex

torch.manual_seed(0)
np.random.seed(0)
x = np.random.randn(64, 4).astype("float32")
durations, events = np.random.exponential(2, 64).astype("float32"), np.random.randint(0, 2, 64)
for kind in (LogisticHazard, MTLR, DeepHitSingle, PCHazard):
    cuts = kind.label_transform(5)
    target = cuts.fit_transform(durations, events)
    torch.manual_seed(1)
    model = kind(
        torchtuples.practical.MLPVanilla(4, [8], cuts.out_features, batch_norm=True, dropout=None),
        torchtuples.optim.Adam(0.01),
        duration_index=cuts.cuts,
    )
    log = model.fit(x, target, batch_size=64, epochs=3, verbose=False, shuffle=False)
    show(kind.__name__, [torch.as_tensor(log.to_pandas().values), torch.as_tensor(model.predict_surv(x[:5]))])
torch.manual_seed(2)
coxph = CoxPH(torchtuples.practical.MLPVanilla(4, [8], 1, batch_norm=False, output_bias=False), torchtuples.optim.AdamWR(0.01))
coxph.fit(x, (durations, events), batch_size=64, epochs=3, verbose=False, shuffle=False)
coxph.compute_baseline_hazards()
show("CoxPH", torch.as_tensor(coxph.predict_surv(x[:3])))
risk = torch.randn(64, requires_grad=True)
happened, when = torch.as_tensor(events).bool(), torch.as_tensor(durations)
for ties in ("efron", "breslow"):
    loss = cox.neg_partial_log_likelihood(risk, happened, when, ties_method=ties)
    show("cox " + ties, [loss, *torch.autograd.grad(loss, risk)])
parameters = torch.randn(64, 2, requires_grad=True)
loss = weibull.neg_log_likelihood_weibull(parameters, happened, when)
show("weibull", [loss, *torch.autograd.grad(loss, parameters)])
show("cindex", ConcordanceIndex()(risk.detach(), happened, when))
facts = np.array([[f"e{i}", f"r{i % 3}", f"e{(i * 5 + 1) % 12}"] for i in range(30)])
triples = TriplesFactory.from_labeled_triples(facts)
for kind in (TransE, DistMult, ComplEx, RotatE):
    model = kind(triples_factory=triples, embedding_dim=8, random_seed=0)
    batch = triples.mapped_triples[:6]
    show(kind.__name__, [model.score_hrt(batch), model.score_t(batch[:, :2])])
    steps(kind.__name__, model, lambda: torch.nn.functional.softplus(-model.score_hrt(batch)).mean(), rate=0.1)
kge = TransHModel(6, 12, 3)
heads, tails, relations = torch.arange(5), torch.arange(5) + 5, torch.arange(5) % 3
show("transh", kge(heads, tails, relations, heads.flip(0), tails.flip(0)))
with contextlib.redirect_stdout(io.StringIO()):
    kan = KAN(width=[2, 3, 1], grid=3, k=3, seed=0, auto_save=False)
given = torch.rand(20, 2) * 2 - 1
show("kan", kan(given))
steps("kan", kan, lambda: (kan(given)[:, 0] - given[:, 0] * given[:, 1]).square().mean(), rate=0.1)
