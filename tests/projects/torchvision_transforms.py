"""torchvision: transforms of images, old and new, data sets of files."""
# packages: torchvision
# needs: numpy pillow
import os
import tempfile

import numpy
import torch
from PIL import Image
from torchvision import datasets, transforms
from torchvision.transforms import v2
from torchvision.utils import make_grid
from show import show

rng = numpy.random.default_rng(0)
picture = Image.fromarray(rng.integers(0, 255, (40, 50, 3), dtype=numpy.uint8))
torch.manual_seed(0)
old = transforms.Compose([
    transforms.Resize(32), transforms.RandomCrop(28), transforms.RandomHorizontalFlip(), transforms.ColorJitter(0.2, 0.2, 0.2),
    transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.25] * 3), transforms.RandomErasing(p=1.0),
])
show("old", old(picture))
tensor = transforms.functional.pil_to_tensor(picture)
show("affine", transforms.functional.affine(tensor.float(), 20.0, [2, 3], 1.2, [5.0, 0.0]))
show("blur", transforms.GaussianBlur(5, 1.3)(tensor.float()))
new = v2.Compose([v2.ToImage(), v2.RandomResizedCrop(24, antialias=True), v2.ToDtype(torch.float32, scale=True), v2.RandomRotation(15)])
show("new", new(picture))
show("script", torch.jit.script(torch.nn.Sequential(transforms.CenterCrop(10), transforms.Normalize([0.5] * 3, [0.25] * 3)))(tensor.float()))
with tempfile.TemporaryDirectory() as folder:
    for name in ("cat", "dog"):
        os.makedirs(os.path.join(folder, name))
        for i in range(3):
            Image.fromarray(rng.integers(0, 255, (16, 16, 3), dtype=numpy.uint8)).save(os.path.join(folder, name, f"{i}.png"))
    data = datasets.ImageFolder(folder, transforms.ToTensor())
    loader = torch.utils.data.DataLoader(data, batch_size=3)
    for images, labels in loader:
        show("batch", images)
        print(labels)
    show("grid", make_grid(images))
