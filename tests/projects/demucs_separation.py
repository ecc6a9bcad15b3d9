"""demucs: a small HDemucs and Demucs, evaluated and trained."""
# packages: demucs dora-search julius openunmix torchaudio
# needs: numpy einops lameenc pyyaml tqdm omegaconf retrying treetable scipy
import torch
from demucs.apply import apply_model
from demucs.demucs import Demucs
from demucs.hdemucs import HDemucs
from show import show, steps

torch.manual_seed(0)
model = Demucs(["drums", "bass"], channels=8, depth=3, lstm_layers=1, resample=False).eval()
mix = torch.randn(1, 2, 3000)
with torch.no_grad():
    show("demucs", model(mix))
torch.manual_seed(0)
hybrid = HDemucs(["drums", "bass"], channels=8, depth=3, nfft=256, dconv_lstm=5, dconv_attn=5).eval()
with torch.no_grad():
    show("hdemucs", hybrid(torch.randn(1, 2, 4096)))
    show("apply", apply_model(model, mix, shifts=0, split=False))
steps("demucs", model, lambda: model(mix).abs().mean())
