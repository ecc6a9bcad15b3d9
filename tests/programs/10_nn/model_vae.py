# a variational autoencoder with a loss, scripted training step with gradients off, and sampling under a seed
import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(16, 8)
        self.fc21 = nn.Linear(8, 3)
        self.fc22 = nn.Linear(8, 3)
        self.fc3 = nn.Linear(3, 8)
        self.fc4 = nn.Linear(8, 16)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    @torch.jit.export
    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 16))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 16), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


torch.manual_seed(0)
m = VAE()
s = torch.jit.script(m)
loss = torch.jit.script(loss_function)
x = torch.rand(4, 1, 4, 4)
with torch.no_grad():
    torch.manual_seed(1)
    a = m(x)
    torch.manual_seed(1)
    b = s(x)
    print([torch.allclose(p, q) for p, q in zip(a, b)], round(float(loss(b[0], x, b[1], b[2])), 3))
    torch.manual_seed(2)
    print([round(v, 3) for v in s.decode(torch.randn(1, 3)).flatten().tolist()])
print(loss.graph_for if False else loss.code)
