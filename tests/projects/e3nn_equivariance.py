"""e3nn: irreducible representations, tensor products and spherical harmonics."""
# packages: e3nn opt_einsum_fx
# needs: numpy scipy sympy opt_einsum
import torch
from e3nn import nn, o3
from show import show

torch.manual_seed(0)
x = o3.Irreps("2x0e + 3x1o").randn(5, -1)
product = o3.FullyConnectedTensorProduct("2x0e + 3x1o", "1x0e + 1x1o", "4x0e + 2x1o + 1x2e")
sh = o3.spherical_harmonics("1x0e + 1x1o", torch.randn(5, 3), normalize=True)
show("sh", sh)
show("product", product(x, sh))
show("linear", o3.Linear("2x0e + 3x1o", "4x0e + 1x1o")(x))
gate = nn.Gate("4x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o")
show("gate", gate(gate.irreps_in.randn(3, -1)))
rotation = o3.rand_matrix()
show("wigner", o3.Irreps("1o+2e").D_from_matrix(rotation))
