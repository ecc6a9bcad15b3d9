"""Potentials of atoms: SchNet and PaiNN of , scripted; networks of torchmd-net; MACE."""
# packages: torch-ema torchmetrics lightning-utilities pytorch-lightning torchmd-net torch_geometric mace-torch e3nn opt_einsum_fx lightning
# needs: numpy scipy ase matscipy h5py hydra-core tqdm pyyaml rich tensorboard tensorboardX fasteners dirsync colorlog hydra-colorlog fsspec aiohttp warp-lang opt_einsum sympy prettytable configargparse python-hostlist gitpython lmdb orjson psutil pyparsing xxhash requests jinja2 packaging pandas matplotlib
import contextlib
import io

import numpy as np
import torch
from show import saved, show, steps

torch.manual_seed(0)
positions = torch.randn(5, 3) * 1.5
numbers = torch.tensor([6, 1, 1, 8, 1])
with contextlib.redirect_stdout(io.StringIO()):
    from torchmdnet.models.model import create_model

for name in ("tensornet", "equivariant-transformer", "graph-network", "transformer"):
    torch.manual_seed(2)
    arguments = dict(
        model=name,
        embedding_dimension=16,
        num_layers=2,
        num_rbf=8,
        rbf_type="expnorm",
        trainable_rbf=False,
        activation="silu",
        cutoff_lower=0.0,
        cutoff_upper=5.0,
        max_z=20,
        max_num_neighbors=32,
        equivariance_invariance_group="O(3)",
        precision=32,
        neighbor_embedding=True,
        num_heads=4,
        distance_influence="both",
        attn_activation="silu",
        aggr="add",
        prior_model=None,
        output_model="Scalar",
        reduce_op="add",
        derivative=True,
        atom_filter=-1,
        box_vecs=None,
        static_shapes=False,
        check_errors=True,
        vector_cutoff=False,
        output_mlp_num_layers=1,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        found = create_model(arguments)(numbers, positions.clone(), torch.zeros(5, dtype=torch.long))
    show(name, found)

from e3nn import o3

with contextlib.redirect_stdout(io.StringIO()):
    from mace import data, modules
from mace.tools import torch_geometric, utils

torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
table = utils.AtomicNumberTable([1, 6, 8])
configuration = data.Configuration(
    atomic_numbers=numbers.numpy(),
    positions=positions.double().numpy(),
    properties={"energy": -1.5, "forces": np.zeros((5, 3))},
    property_weights={"energy": 1.0, "forces": 1.0},
    cell=np.eye(3) * 20,
    pbc=(False, False, False),
)
atoms = data.AtomicData.from_config(configuration, z_table=table, cutoff=4.0)
mace = modules.MACE(
    r_max=4.0,
    num_bessel=4,
    num_polynomial_cutoff=5,
    max_ell=2,
    interaction_cls=modules.interaction_classes["RealAgnosticResidualInteractionBlock"],
    interaction_cls_first=modules.interaction_classes["RealAgnosticResidualInteractionBlock"],
    num_interactions=2,
    num_elements=3,
    hidden_irreps=o3.Irreps("8x0e + 8x1o"),
    MLP_irreps=o3.Irreps("8x0e"),
    gate=torch.nn.functional.silu,
    atomic_energies=np.array([-0.5, -1.0, -2.0]),
    avg_num_neighbors=4,
    atomic_numbers=table.zs,
    correlation=2,
)
loader = torch_geometric.dataloader.DataLoader([atoms], batch_size=1)
for given in loader:
    out = mace(given.to_dict(), training=True)
    show("mace", [out["energy"], out["forces"], out["node_energy"]])
    steps(
        "mace", mace, torch.enable_grad()(lambda: modules.WeightedEnergyForcesLoss(1.0, 10.0)(given, mace(given.to_dict(), training=True)))
    )
