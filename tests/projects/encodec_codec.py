"""encodec: the codec with random weights: encoding, decoding, codes."""
# packages: encodec torchaudio
# needs: numpy einops
import torch
from encodec import EncodecModel
from show import show

torch.manual_seed(0)
model = EncodecModel.encodec_model_24khz(pretrained=False).eval()
model.set_target_bandwidth(3.0)
wave = torch.randn(1, 1, 4800) * 0.1
with torch.no_grad():
    show("encoder", model.encoder(wave))
    frames = model.encode(wave)
    print(frames[0][0].shape)
    show("decoder", model.decoder(model.encoder(wave)))
