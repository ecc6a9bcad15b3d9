"""sbi: posteriors from simulations, with flows and with classifiers."""
# packages: sbi nflows zuko pyro-ppl pyro-api skorch torchdiffeq
# needs: numpy scipy matplotlib tqdm joblib pillow scikit-learn pandas tensorboard
import os
import tempfile
import warnings

warnings.simplefilter("ignore")
import numpy as np
import torch
from sbi.inference import NPE, NRE
from sbi.neural_nets.embedding_nets import FCEmbedding
from sbi.utils import BoxUniform
from sbi.utils.metrics import unbiased_mmd_squared
from show import show

# Its logs go to the folder where a program is.
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
torch.manual_seed(0)
np.random.seed(0)
prior = BoxUniform(-torch.ones(2), torch.ones(2))
theta = prior.sample((200,))
x = theta + 0.1 * torch.randn(200, 2)
for kind, name in ((NPE, "maf"), (NPE, "mdn"), (NPE, "nsf"), (NRE, "mlp")):
    torch.manual_seed(1)
    inference = kind(prior, **{"classifier" if kind is NRE else "density_estimator": name}, show_progress_bars=False)
    estimator = inference.append_simulations(theta, x).train(max_num_epochs=3, training_batch_size=50, stop_after_epochs=5)
    show(f"{kind.__name__} {name}", torch.tensor(inference.summary["training_loss"]))
    posterior = inference.build_posterior()
    if kind is NPE:
        show("density", posterior.log_prob(theta[:5], x=x[0]))
        show("samples", posterior.sample((4,), x=x[0], show_progress_bars=False))
    else:
        # The loss is the same wherever zero of the logits is.
        potential = posterior.potential(theta[:5], x=x[:1])
        show("potential", potential - potential[0])
show("embedding", FCEmbedding(6, 4)(torch.randn(3, 6)))
show("mmd", unbiased_mmd_squared(torch.randn(20, 2), torch.randn(20, 2) + 1))
os.chdir("/")
place.cleanup()
