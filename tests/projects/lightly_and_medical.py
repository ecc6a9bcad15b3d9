"""Pictures: losses and heads of lightly, U-Nets of nnU-Net, transforms of torchio, X-ray networks, the reader of easyocr."""
# packages: lightly lightly-utils dynamic-network-architectures torchio torchxrayvision easyocr torchvision timm pytorch-lightning torchmetrics lightning-utilities
# needs: numpy scipy pillow opencv-python-headless scikit-image scikit-learn tqdm hydra-core requests urllib3 pydantic python-dateutil psutil aenum SimpleITK nibabel humanize typer rich deprecated pandas imageio shapely pyclipper python-bidi ninja pyyaml einops gdown packaging
import contextlib
import io
import warnings

warnings.simplefilter("ignore")
import torch
from dynamic_network_architectures.architectures.unet import PlainConvUNet, ResidualEncoderUNet
from show import saved, show, steps
from torch import nn

torch.manual_seed(0)
plain = PlainConvUNet(
    1,
    3,
    (4, 8, 12),
    nn.Conv2d,
    3,
    (1, 2, 2),
    (1, 1, 1),
    2,
    (1, 1),
    conv_bias=True,
    norm_op=nn.InstanceNorm2d,
    norm_op_kwargs={"affine": True},
    nonlin=nn.LeakyReLU,
    deep_supervision=True,
)
picture = torch.randn(1, 1, 16, 16)
show("unet", plain(picture))
steps("unet", plain, lambda: sum(part.square().mean() for part in plain(picture)))
residual = ResidualEncoderUNet(
    1, 2, (4, 8), nn.Conv3d, 3, (1, 2), (1, 1), 2, (1,), conv_bias=False, norm_op=nn.BatchNorm3d, nonlin=nn.ReLU
).eval()
volume = torch.randn(1, 1, 8, 8, 8)
show("volume", residual(volume))
show("traced", saved(torch.jit.trace(residual, volume))(volume))
print(residual.compute_conv_feature_map_size((8, 8, 8)))

from lightly.loss import (
    BarlowTwinsLoss,
    DCLLoss,
    DINOLoss,
    NegativeCosineSimilarity,
    NTXentLoss,
    SwaVLoss,
    TiCoLoss,
    VICRegLoss,
    VICRegLLoss,
    MSNLoss,
    KoLeoLoss,
)
from lightly.models.modules import BYOLProjectionHead, DINOProjectionHead, MoCoProjectionHead, SimCLRProjectionHead, SwaVProjectionHead
from lightly.models.utils import deactivate_requires_grad, update_momentum

a, b = torch.randn(8, 16, requires_grad=True), torch.randn(8, 16, requires_grad=True)
for loss in (NTXentLoss(), NegativeCosineSimilarity(), BarlowTwinsLoss(), VICRegLoss(), DCLLoss(), TiCoLoss()):
    value = loss(a, b)
    show(type(loss).__name__, [value, *torch.autograd.grad(value, a)])
show("koleo", KoLeoLoss()(a))
dino = DINOLoss(output_dim=16)
show("dino", dino([a.detach(), b.detach()], [a, b, a + b], epoch=1))
show("swav", SwaVLoss()([a, b], [a + b]))
bank = NTXentLoss(memory_bank_size=(12, 16))
show("bank", [bank(a, b), bank(b, a)])
for head in (
    SimCLRProjectionHead(16, 12, 8),
    BYOLProjectionHead(16, 12, 8),
    MoCoProjectionHead(16, 12, 8),
    DINOProjectionHead(16, 12, 8, 10),
    SwaVProjectionHead(16, 12, 8),
):
    show(type(head).__name__, head(a))

import torchio

torch.manual_seed(1)
subject = torchio.Subject(
    t1=torchio.ScalarImage(tensor=torch.rand(1, 12, 10, 8)), label=torchio.LabelMap(tensor=(torch.rand(1, 12, 10, 8) > 0.5).long())
)
for transform in (
    torchio.ZNormalization(),
    torchio.RescaleIntensity((0, 1)),
    torchio.CropOrPad((8, 8, 8)),
    torchio.RandomFlip(axes=(0, 1), flip_probability=1),
    torchio.RandomNoise(std=(0.1, 0.1)),
    torchio.RandomGamma((0.2, 0.2)),
    torchio.RandomBiasField(),
    torchio.RandomBlur(std=(1, 1)),
    torchio.RandomAffine(degrees=10),
    torchio.ToCanonical(),
    torchio.OneHot(),
):
    torch.manual_seed(2)
    with contextlib.redirect_stdout(io.StringIO()):
        changed = transform(subject)
    show(type(transform).__name__, [changed.t1.data, changed.label.data])
sampler = torchio.GridSampler(subject, 6, 2)
aggregator = torchio.inference.GridAggregator(sampler)
for batch in torch.utils.data.DataLoader(sampler, batch_size=4):
    aggregator.add_batch(batch["t1"][torchio.DATA], batch[torchio.LOCATION])
print(torch.equal(aggregator.get_output_tensor(), subject.t1.data))

from easyocr.model.vgg_model import Model as Recogniser
from torchxrayvision.models import DenseNet

torch.manual_seed(3)
reader = Recogniser(1, 16, 16, 20).eval()
show("reader", reader(torch.randn(1, 1, 64, 100), None))
xray = DenseNet(num_classes=4, in_channels=1, growth_rate=4, block_config=(2, 2), num_init_features=8).eval()
show("xray", xray(torch.randn(1, 1, 64, 64)))
