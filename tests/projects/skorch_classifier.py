"""skorch: a classifier in scikit-learn's clothes."""
# packages: skorch
# needs: numpy scikit-learn scipy tabulate tqdm
import numpy
import torch
from show import show
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier

torch.manual_seed(0)
rng = numpy.random.default_rng(0)
x, y = rng.normal(size=(80, 5)).astype("float32"), rng.integers(0, 2, 80)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(5, 8), torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.b(self.a(x).relu()).softmax(-1)


net = NeuralNetClassifier(Net, max_epochs=3, lr=0.1, verbose=0, batch_size=16)
net.fit(x, y)
show("proba", torch.tensor(net.predict_proba(x[:4])))
for row in net.history:
    show("epoch", [float(row["train_loss"]), float(row["valid_loss"])])
show("scores", cross_val_score(make_pipeline(StandardScaler(), net), x, y, cv=3).tolist())
