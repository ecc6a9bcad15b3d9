"""speechbrain, asteroid-filterbanks and torch_stoi: layers and measures of speech."""
# packages: speechbrain asteroid-filterbanks torchaudio
# needs: numpy scipy hyperpyyaml sentencepiece joblib tqdm huggingface_hub packaging requests
import torch
from asteroid_filterbanks import Encoder, STFTFB
from show import show
from speechbrain.lobes.features import Fbank
from speechbrain.nnet.RNN import GRU

torch.manual_seed(0)
wave = torch.randn(1, 4000)
show("stft", Encoder(STFTFB(n_filters=64, kernel_size=64))(wave[:, None]))
show("fbank", Fbank(n_mels=20)(wave))
show("gru", GRU(hidden_size=4, input_shape=(1, 5, 3))(torch.randn(1, 5, 3)))
