"""nnAudio, vocos, torchcrepe and julius: features and filters of sound."""
# packages: nnAudio julius
# needs: numpy scipy
import julius
import torch
from nnAudio.features import CQT1992v2, MelSpectrogram
from show import show

torch.manual_seed(0)
wave = torch.randn(1, 8000)
show("mel", MelSpectrogram(sr=8000, n_fft=256, n_mels=16, verbose=False)(wave))
show("cqt", CQT1992v2(sr=8000, n_bins=24, fmin=110, verbose=False)(wave))
show("resample", julius.resample_frac(wave, 4, 3))
show("lowpass", julius.lowpass_filter(wave, 0.1))
