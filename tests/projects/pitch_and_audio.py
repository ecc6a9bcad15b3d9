"""Pitch and sound: torchcrepe, auraloss,, torchlibrosa."""
# packages: torchcrepe auraloss torchlibrosa torchaudio
# needs: numpy scipy librosa resampy tqdm
import auraloss
import numpy
import torch
import torchcrepe
from show import saved, show, steps
from torchlibrosa.stft import LogmelFilterBank, Spectrogram

torch.manual_seed(0)
numpy.random.seed(0)
wave = torch.sin(torch.arange(8000) * 0.17)[None] + 0.05 * torch.randn(1, 8000)
net = torchcrepe.Crepe("tiny").eval()
frames = next(torchcrepe.preprocess(wave, 16000, 800))
show("frames", frames)
with torch.no_grad():
    probabilities = net(frames)
show("crepe", probabilities)
pitch, periodicity = torchcrepe.postprocess(
    probabilities.T[None], fmin=50, fmax=550, decoder=torchcrepe.decode.weighted_argmax, return_periodicity=True
)
show("pitch", [pitch, periodicity])
show("viterbi", torchcrepe.decode.viterbi(probabilities.T[None]))
show("filters", [torchcrepe.filter.median(pitch, 3), torchcrepe.filter.mean(pitch, 3)])
show("traced", saved(torch.jit.trace(net, frames))(frames))
a, b = torch.randn(2, 1, 4096), torch.randn(2, 1, 4096)
for loss in (
    auraloss.time.SISDRLoss(),
    auraloss.time.ESRLoss(),
    auraloss.time.LogCoshLoss(),
    auraloss.freq.STFTLoss(),
    auraloss.freq.MultiResolutionSTFTLoss(fft_sizes=[256, 512], hop_sizes=[64, 128], win_lengths=[256, 512]),
    auraloss.freq.STFTLoss(sample_rate=16000, perceptual_weighting=True, scale="mel", n_bins=32),
    auraloss.freq.SumAndDifferenceSTFTLoss(fft_sizes=[256], hop_sizes=[64], win_lengths=[256]),
):
    stereo = isinstance(loss, auraloss.freq.SumAndDifferenceSTFTLoss)
    x = (a.expand(2, 2, -1) * torch.tensor([1.0, 0.5])[:, None] if stereo else a).clone().requires_grad_()
    value = loss(x, b.expand_as(x))
    value.backward()
    show(type(loss).__name__, [value, x.grad])
mel = torch.nn.Sequential(Spectrogram(n_fft=256, hop_length=80), LogmelFilterBank(sr=16000, n_fft=256, n_mels=32))
show("mel", mel(wave))
