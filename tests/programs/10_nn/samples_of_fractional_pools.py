"""Which dimension each sample of a fractional pool is for, and what samples must be."""

import torch
import torch.nn.functional as F

volume = torch.arange(9 * 9 * 9.0).reshape(1, 1, 9, 9, 9) * 37 % 729
for d in range(3):
    for sample in (0.0, 0.5, 0.9):
        samples = torch.tensor([[[0.1, 0.1, 0.1]]])
        samples[0, 0, d] = sample
        _, places = F.fractional_max_pool3d(volume, (1, 1, 1), output_size=(4, 4, 4), _random_samples=samples, return_indices=True)
        places = places[0, 0]
        print(d, sample, (places[:, 0, 0] // 81).tolist(), (places[0, :, 0] // 9 % 9).tolist(), (places[0, 0] % 9).tolist())
        out = F.fractional_max_pool3d(volume, (2, 3, 1), output_size=(3, 4, 5), _random_samples=samples)
        flat = F.fractional_max_pool2d(volume[:, 0], (2, 3), output_size=(4, 3), _random_samples=samples[:, :, :2].expand(1, 9, 2))
        print(out.sum().item(), flat.sum().item())
for pool, dims in ((F.fractional_max_pool2d, 2), (F.fractional_max_pool3d, 3)):
    for sizes in ((1, dims), (2, 1, dims), (1, 2, dims), (1, 1, 4), (0, 1, dims), (1, 1, dims)):
        for dtype in (torch.float32, torch.float64):
            try:
                print(pool(torch.ones((1, 1) + (5,) * dims), 2, output_size=2, _random_samples=torch.ones(sizes, dtype=dtype) / 3).shape)
            except RuntimeError as e:
                print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")
