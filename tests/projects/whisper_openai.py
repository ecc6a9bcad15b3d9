"""openai-whisper: the model from small dimensions, log-mel spectra, greedy decoding."""
# packages: openai-whisper
# needs: numpy tqdm tiktoken more-itertools numba
import torch
import whisper
from show import show
from whisper.model import ModelDimensions, Whisper

torch.manual_seed(0)
model = Whisper(ModelDimensions(80, 1500, 32, 2, 2, 51864, 448, 32, 2, 2)).eval()
# The model leaves it as memory was, for the weights that are loaded.
torch.nn.init.normal_(model.decoder.positional_embedding)
show("mel filters", whisper.audio.mel_filters("cpu", 80))
wave = torch.sin(torch.arange(16000) * 0.05)
mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(wave))
show("mel", mel)
with torch.no_grad():
    features = model.embed_audio(mel[None])
    show("features", features)
    show("logits", model.logits(torch.tensor([[50257, 50362]]), features))
