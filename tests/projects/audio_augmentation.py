"""Sound changed, tagged and compared: torch-audiomentations, PANNs' networks and hear21passt's, resemblyzer's voices."""
# packages: torch-audiomentations torch-pitch-shift torchaudio julius panns-inference torchlibrosa hear21passt timm torchvision Resemblyzer
# needs: numpy scipy librosa primePy packaging webrtcvad setuptools typing_extensions matplotlib pyyaml huggingface_hub safetensors
import contextlib
import io
import random

import numpy as np
import torch
from show import saved, show, steps
from torch_audiomentations import (
    AddColoredNoise,
    BandPassFilter,
    Compose,
    Gain,
    HighPassFilter,
    LowPassFilter,
    PeakNormalization,
    PolarityInversion,
    Shift,
    TimeInversion,
)
from torch_audiomentations.utils.convolution import convolve
from torch_pitch_shift import get_fast_shifts, pitch_shift

torch.manual_seed(0)
random.seed(0)
np.random.seed(0)
wave = torch.randn(2, 1, 16000) * 0.1
for kind in (
    AddColoredNoise,
    BandPassFilter,
    Gain,
    HighPassFilter,
    LowPassFilter,
    PeakNormalization,
    PolarityInversion,
    Shift,
    TimeInversion,
):
    torch.manual_seed(1)
    show(kind.__name__, kind(p=1.0, sample_rate=16000, output_type="tensor")(wave))
show(
    "compose",
    Compose([Gain(p=0.5, output_type="dict"), PolarityInversion(p=0.5, output_type="dict")], output_type="dict")(
        wave, sample_rate=16000
    ).samples,
)
show("convolve", convolve(wave, torch.randn(1, 1, 50)))
show("pitch shift", pitch_shift(wave, get_fast_shifts(16000)[0], 16000))

with contextlib.redirect_stdout(io.StringIO()):
    from panns_inference.models import Cnn14, init_layer
    from resemblyzer.voice_encoder import VoiceEncoder
    from hear21passt.models.passt import PaSST
    from hear21passt.models.preprocess import AugmentMelSTFT

tagger = Cnn14(sample_rate=16000, window_size=256, hop_size=80, mel_bins=64, fmin=50, fmax=8000, classes_num=20).eval()
found = tagger(wave[:, 0], None)
show("panns", found)
voice = VoiceEncoder("cpu", verbose=False)
speech = torch.sin(torch.arange(48000) * 0.05 * (1 + torch.sin(torch.arange(48000) * 0.0003))).numpy() * 0.3
show("voice", torch.as_tensor(voice.embed_utterance(speech)))
show("voice batch", voice(torch.rand(2, 20, 40)))
with contextlib.redirect_stdout(io.StringIO()):
    mel = AugmentMelSTFT(n_mels=32, sr=16000, win_length=400, hopsize=160, n_fft=512, freqm=0, timem=0, fmin=0.0, fmax=None).eval()
    net = PaSST(
        img_size=(32, 96),
        patch_size=16,
        stride=(16, 16),
        in_chans=1,
        num_classes=7,
        embed_dim=24,
        depth=2,
        num_heads=2,
        u_patchout=0,
        s_patchout_t=0,
        s_patchout_f=0,
    ).eval()
    pictures = mel(wave[:, 0])[:, None, :, :96]
    logits = net(pictures)
show("mel", pictures)
show("passt", logits)
