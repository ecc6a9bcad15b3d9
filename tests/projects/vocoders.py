"""Vocoders and codecs from configurations: vocos, BigVGAN and the codec of Descript."""
# packages: vocos bigvgan descript-audio-codec descript-audiotools encodec torchaudio julius torch-stoi nnAudio
# needs: numpy scipy librosa soundfile einops pyyaml huggingface_hub argbind flatten-dict tensorboard rich ffmpy importlib-resources ipython markdown2 matplotlib pyloudnorm pystoi randomname tqdm
import torch
from bigvgan.bigvgan import BigVGAN
from bigvgan.env import AttrDict
from dac.model import DAC
from show import saved, show, steps
from vocos.feature_extractors import MelSpectrogramFeatures
from vocos.heads import ISTFTHead
from vocos.models import VocosBackbone
from vocos.pretrained import Vocos

torch.manual_seed(0)
wave = torch.randn(1, 4096) * 0.1
vocos = Vocos(
    MelSpectrogramFeatures(sample_rate=16000, n_fft=256, hop_length=64, n_mels=20),
    VocosBackbone(20, 32, 64, 2),
    ISTFTHead(32, 256, 64, padding="same"),
).eval()
features = vocos.feature_extractor(wave)
show("mels", features)
show("vocos", vocos.decode(features))
show("traced", saved(torch.jit.trace(vocos.backbone, features))(features))
codec = DAC(
    encoder_dim=8,
    encoder_rates=[2, 4],
    decoder_dim=32,
    decoder_rates=[4, 2],
    n_codebooks=3,
    codebook_size=32,
    codebook_dim=4,
    sample_rate=16000,
).eval()
with torch.no_grad():
    z, codes, latents, commitment, books = codec.encode(wave[:, None, :1024])
    show("dac", [z, codes, latents, commitment, books])
    show("dac out", codec.decode(z))
steps(
    "dac",
    codec,
    lambda: (codec(wave[:, None, :512], 16000)["audio"] ** 2).mean() + codec(wave[:, None, :512], 16000)["vq/commitment_loss"].mean(),
)
h = AttrDict(
    resblock="1",
    upsample_rates=[4, 2],
    upsample_kernel_sizes=[8, 4],
    upsample_initial_channel=16,
    resblock_kernel_sizes=[3, 5],
    resblock_dilation_sizes=[[1, 3, 5], [1, 3, 5]],
    activation="snakebeta",
    snake_logscale=True,
    num_mels=20,
    use_cuda_kernel=False,
    use_tanh_at_final=False,
    use_bias_at_final=False,
)
gan = BigVGAN(h)
show("bigvgan", gan(features[:, :, :16]))
gan.remove_weight_norm()
show("bigvgan bare", gan(features[:, :, :16]))
