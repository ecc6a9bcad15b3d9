"""pytorch-ignite: an engine, events and metrics."""
# packages: pytorch-ignite
# needs: numpy packaging
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss
from show import show

torch.manual_seed(0)
model, loss = torch.nn.Linear(4, 3), torch.nn.CrossEntropyLoss()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,))), 8, shuffle=True)
trainer = create_supervised_trainer(model, torch.optim.SGD(model.parameters(), 0.1), loss)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(loss)})


@trainer.on(Events.EPOCH_COMPLETED)
def check(engine):
    evaluator.run(data)
    show(f"epoch {engine.state.epoch}", dict(sorted(evaluator.state.metrics.items())))


trainer.run(data, max_epochs=3)
