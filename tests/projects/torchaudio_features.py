"""torchaudio: spectra, resampling, augmentations, models."""
# packages: torchaudio
# needs: numpy
import torch
import torchaudio
from torchaudio import functional as F, transforms as T
from show import saved, show

torch.manual_seed(0)
wave = torch.sin(torch.arange(8000) * 0.05)[None] + 0.1 * torch.randn(1, 8000)
show("spectrogram", T.Spectrogram(n_fft=256)(wave))
mel = T.MelSpectrogram(8000, n_fft=256, n_mels=20)
show("mel", mel(wave))
show("mel scripted", saved(torch.jit.script(mel))(wave))
show("mfcc", T.MFCC(8000, n_mfcc=10, melkwargs={"n_fft": 256, "n_mels": 20})(wave))
show("resample", T.Resample(8000, 6000)(wave))
show("db", T.AmplitudeToDB()(mel(wave)))
show("griffin", F.griffinlim(T.Spectrogram(n_fft=256)(wave), torch.hann_window(256), 256, 128, 256, 2.0, 3, 0.99, None, False))
show("biquad", F.lowpass_biquad(wave, 8000, 1000.0))
show("kaldi", torchaudio.compliance.kaldi.fbank(wave, num_mel_bins=10, sample_frequency=8000.0, dither=0.0))
show("mask", T.FrequencyMasking(5)(mel(wave)))
torch.manual_seed(1)
model = torchaudio.models.Conformer(input_dim=20, num_heads=4, ffn_dim=32, num_layers=2, depthwise_conv_kernel_size=5).eval()
with torch.no_grad():
    show("conformer", model(mel(wave).transpose(1, 2)[:, :40], torch.tensor([40]))[0])
    tasnet = torchaudio.models.ConvTasNet(num_sources=2, enc_kernel_size=8, enc_num_feats=16, msk_kernel_size=3, msk_num_feats=16, msk_num_hidden_feats=16, msk_num_layers=2, msk_num_stacks=1).eval()
    show("tasnet", tasnet(wave[None, :, :2000]))
    w2v = torchaudio.models.wav2vec2_model("group_norm", [(16, 10, 5), (16, 8, 4)], False, 32, 0.0, 16, 4, 2, 4, 0.0, 48, 0.0, 0.0, False, 0.0, 12).eval()
    show("wav2vec2", w2v(wave)[0])
