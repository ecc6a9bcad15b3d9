"""Train the digit recogniser, script it and save it as digits.pt; record what it answers in expected.json.

    python train.py            about a minute on one core
    python train.py --record   only writes expected.json again, from the digits.pt that is there

Needs PyTorch, and what make_digits.py needs. PyTorch is used here only: to *run* digits.pt nobody needs it.
"""

import argparse
import json
import pathlib
import time
from typing import Final, List

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image

import make_digits

HERE = pathlib.Path(__file__).parent


class Digits(nn.Module):
    """Ten probabilities for one picture of a digit.

    The picture is a float tensor (channels, height, width) with values in 0..1, of one or three channels and any size,
    dark on light or light on dark.
    """

    classes: List[str]
    size: Final[int]

    def __init__(self) -> None:
        super().__init__()
        self.classes = make_digits.NAMES
        self.size = make_digits.SIZE
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1),
            nn.BatchNorm2d(12),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(24, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(32 * 3 * 3, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 10)
        )

    def prepare(self, image: torch.Tensor) -> torch.Tensor:
        """A picture as the network wants it: (1, 1, size, size), grey, a square with the digit in the middle."""
        if image.dim() != 3 or image.size(0) not in [1, 3]:
            raise ValueError(f"expected an image of shape (1 or 3, height, width), got {image.size()}")
        grey = image.mean(dim=0, keepdim=True)
        height, width = grey.size(1), grey.size(2)
        side = max(height, width)
        left, top = (side - width) // 2, (side - height) // 2
        padding = [left, side - width - left, top, side - height - top]
        square = F.pad(grey.unsqueeze(0), padding, mode="replicate")
        return F.adaptive_avg_pool2d(square, [self.size, self.size])

    def ink(self, pictures: torch.Tensor) -> torch.Tensor:
        """How much each pixel differs from the paper, whose brightness is that of the border; at most 1."""
        border = [pictures[:, :, 0], pictures[:, :, -1], pictures[:, :, :, 0], pictures[:, :, :, -1]]
        paper = torch.cat(border, dim=2).median(dim=2)[0]
        ink = (pictures - paper[:, :, None, None]).abs()
        return ink / ink.amax(dim=[2, 3], keepdim=True).clamp(min=0.05)

    def scores(self, pictures: torch.Tensor) -> torch.Tensor:
        """Unnormalised scores (batch, 10) of prepared pictures; what training minimises the loss of."""
        return self.classifier(self.features(self.ink(pictures)))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.scores(self.prepare(image)).softmax(dim=1)[0]

    @torch.jit.export
    def classify(self, image: torch.Tensor) -> str:
        """The name of the most likely digit."""
        return self.classes[int(self.forward(image).argmax())]


def accuracy(model, images, digits):
    model.eval()
    with torch.no_grad():
        hits = sum(
            int((model.scores(x).argmax(1) == y).sum()) for x, y in zip(images.split(500), digits.split(500))
        )
    return hits / len(digits)


def train(count, epochs, batch=64):
    torch.manual_seed(7)
    images, digits = map(torch.from_numpy, make_digits.training_set(count, seed=2024))
    held_images, held_digits = map(torch.from_numpy, make_digits.training_set(2000, seed=5))
    model = Digits()
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    steps = epochs * (count // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=6e-3, total_steps=steps)
    for epoch in range(epochs):
        model.train()
        order = torch.randperm(count)
        for i in range(count // batch):
            chosen = order[i * batch : (i + 1) * batch]
            loss = F.cross_entropy(model.scores(images[chosen]), digits[chosen], label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1}: held-out accuracy {accuracy(model, held_images, held_digits):.4f}", flush=True)
    return model.eval()


def read_image(path):
    """A picture as the command line reads `@picture.png`: float (channels, height, width) in 0..1."""
    pixels = torch.from_numpy(numpy.array(Image.open(path)))
    if pixels.dim() == 2:
        pixels = pixels[:, :, None]
    return pixels.permute(2, 0, 1).contiguous().float() / 255


def record(path):
    """Write expected.json: what the saved file answers for each PNG."""
    model = torch.jit.load(str(path))
    answers = {}
    for name in make_digits.NAMES:
        image = read_image(HERE / f"{name}.png")
        with torch.no_grad():
            probabilities = model(image)
        answers[f"{name}.png"] = {"class": model.classify(image), "probabilities": probabilities.tolist()}
        print(f"{name + '.png':10} {answers[name + '.png']['class']:6} {float(probabilities.max()):.3f}")
    lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items())
    (HERE / "expected.json").write_text("{\n" + lines + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--count", type=int, default=30000)
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    torch.set_num_threads(1)
    path = HERE / "digits.pt"
    if not options.record:
        began = time.time()
        torch.jit.script(train(options.count, options.epochs)).save(str(path))
        print(f"trained in {time.time() - began:.0f} s; {path.name} is {path.stat().st_size} bytes")
    record(path)


if __name__ == "__main__":
    main()
