"""silero-vad: the model that the package ships, as TorchScript."""
# packages: silero-vad torchaudio
# needs: numpy packaging
import torch
from show import show
from silero_vad import get_speech_timestamps, load_silero_vad

torch.manual_seed(0)
model = load_silero_vad()
wave = torch.sin(torch.arange(16000) * 0.1) * torch.randn(16000)
for i in range(3):
    show("probability", model(wave[i * 512 : i * 512 + 512], 16000))
print(get_speech_timestamps(wave, model))
