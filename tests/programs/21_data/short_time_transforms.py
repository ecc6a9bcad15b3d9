"""Short-time Fourier transforms: signal and window are computed in the wider of their types, and refusals show the call."""

import torch

narrow, wide = torch.hann_window(8), torch.hann_window(8, dtype=torch.float64)
signal = torch.arange(32.0).reshape(1, 32)
spectrum = torch.stft(signal, 8, 4, window=narrow, return_complex=True)


def show(function):
    try:
        result = function()
        print(result.dtype, tuple(result.shape), round(result.abs().sum().item(), 3))
    except (RuntimeError, NotImplementedError) as error:
        print(type(error).__name__, error)


show(lambda: torch.stft(signal.double(), 8, 4, window=narrow, return_complex=True))
show(lambda: torch.stft(signal, 8, 4, window=wide, return_complex=True))
show(lambda: torch.istft(spectrum, 8, 4, window=wide))
show(lambda: torch.stft(signal.long(), 8, 4, window=narrow, return_complex=True))
show(lambda: torch.stft(signal.bool(), 8, 4, center=False, return_complex=True))
show(lambda: torch.stft(signal, 8, 0, return_complex=True))
show(lambda: torch.stft(signal, 8, 4, 20, return_complex=True))
show(lambda: torch.stft(signal, 8, 4, window=torch.ones(5), return_complex=True))
show(lambda: torch.stft(signal, 100, 4, return_complex=True, center=False))
show(lambda: torch.stft(signal[None, None], 8, 4, return_complex=True, center=False))
show(lambda: torch.istft(spectrum, 8, 4, window=torch.zeros(8)))
show(lambda: torch.istft(spectrum, 10, 4))
show(lambda: torch.istft(spectrum, 8, 9, window=narrow))
show(lambda: torch.istft(spectrum, 8, 4, window=torch.ones(3)))
show(lambda: torch.istft(spectrum, 8, 4, 20, window=torch.ones(20)))
