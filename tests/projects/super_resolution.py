"""Images made larger, restored, compressed: spandrel's networks read from weights, compressai's codecs, facexlib's networks."""
# packages: spandrel compressai pytorch-msssim torch_geometric facexlib torchvision
# needs: numpy einops safetensors pyyaml scipy matplotlib pandas tqdm pillow opencv-python-headless numba filterpy requests aiohttp fsspec jinja2 psutil pyparsing xxhash tomli pybind11
import torch
from compressai.entropy_models import EntropyBottleneck, GaussianConditional
from compressai.layers import GDN, AttentionBlock, MaskedConv2d, ResidualBlockUpsample
from compressai.models import CompressionModel, FactorizedPrior, ScaleHyperprior
from show import saved, show, steps
from spandrel import ModelLoader
from spandrel.architectures.Compact.__arch.SRVGG import SRVGGNetCompact
from spandrel.architectures.ESRGAN.__arch.RRDB import RRDBNet
from spandrel.architectures.NAFNet.__arch.NAFNet_arch import NAFNet
from spandrel.architectures.SPAN.__arch.span import SPAN
from spandrel.architectures.SwinIR.__arch.SwinIR import SwinIR

torch.manual_seed(0)
x = torch.rand(1, 3, 16, 16)
for net in (
    RRDBNet(num_filters=8, num_blocks=2, scale=2),
    SRVGGNetCompact(num_feat=8, num_conv=2, upscale=2),
    SwinIR(img_size=16, embed_dim=12, depths=[2, 2], num_heads=[2, 2], window_size=4, upscale=2, upsampler="pixelshuffle"),
    SPAN(feature_channels=8, num_in_ch=3, num_out_ch=3, upscale=2),
    NAFNet(width=8, middle_blk_num=1, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]),
):
    name = type(net).__name__
    with torch.no_grad():
        show(name, net.eval()(x))
    found = ModelLoader().load_from_state_dict(net.state_dict())
    print(found.architecture.name, found.scale, found.purpose, found.size_requirements, found.tags)
    with torch.no_grad():
        show("loaded", found(x))
    if name in ("RRDBNet", "SRVGGNetCompact", "SwinIR"):
        show("traced", saved(torch.jit.trace(net, x, check_trace=False))(x))
show("gdn", GDN(6)(torch.randn(1, 6, 4, 4)))
show("masked", MaskedConv2d(3, 4, 5, padding=2, mask_type="A")(torch.randn(1, 3, 6, 6)))
show("attention", AttentionBlock(8)(torch.randn(1, 8, 4, 4)))
show("up", ResidualBlockUpsample(4, 6, 2)(torch.randn(1, 4, 4, 4)))
for net in (FactorizedPrior(8, 12), ScaleHyperprior(8, 12)):
    picture = torch.rand(1, 3, 64, 64)
    name = type(net).__name__
    show(name, net.eval()(picture))
    net.update(force=True)
    written = net.compress(picture)
    print([len(s) for part in written["strings"] for s in part], list(written["shape"]))
    show(name + " read", net.decompress(written["strings"], written["shape"]))
    steps(
        name,
        net,
        lambda: (
            net(picture)["x_hat"].square().mean() + sum(p.log().mean().neg() for p in net(picture)["likelihoods"].values()) + net.aux_loss()
        ),
    )
conditional = GaussianConditional([0.11, 0.5, 1.0, 2.0])
show("conditional", conditional.eval()(torch.randn(1, 4, 3, 3), torch.rand(1, 4, 3, 3) + 0.1))
bottleneck = EntropyBottleneck(4)
show("bottleneck", [bottleneck.eval()(torch.randn(1, 4, 3, 3)), bottleneck.loss()])
