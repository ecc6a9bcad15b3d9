"""pytorch_lightning: a small model trained, checked and tested by a Trainer, with a checkpoint and TorchScript."""
# packages: pytorch-lightning torchmetrics lightning-utilities
# needs: numpy packaging typing_extensions fsspec pyyaml tqdm
import logging
import tempfile
import warnings

import pytorch_lightning as pl
import torch
from show import show
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Model(pl.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 2))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, number):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, number):
        self.log("val", nn.functional.cross_entropy(self(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}


pl.seed_everything(0)
data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
model = Model()
with tempfile.TemporaryDirectory() as folder:
    trainer = pl.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder, gradient_clip_val=1.0)
    trainer.fit(model, DataLoader(data, 16, shuffle=True), DataLoader(data, 16))
    show("metrics", {k: float(v) for k, v in sorted(trainer.callback_metrics.items())})
    show("weights", list(model.parameters()))
    trainer.save_checkpoint(folder + "/m.ckpt")
    again = Model.load_from_checkpoint(folder + "/m.ckpt")
    print(torch.equal(again(torch.ones(1, 8)), model(torch.ones(1, 8))))
script = model.to_torchscript()
show("script", script(torch.ones(1, 8)))
