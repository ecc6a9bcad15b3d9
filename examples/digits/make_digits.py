"""Draw the digit images: the training set, and the ten PNG files beside this script.

    python make_digits.py               writes zero.png ... nine.png
    python make_digits.py --sheet OUT   writes a contact sheet of training images, to look at

Training images (`training_set`) come from two sources in equal parts: the digits of every TrueType font found in
`FONT_FOLDERS`, and stroke skeletons drawn with a round pen. Both are then rotated, sheared, scaled, shifted, blurred,
recoloured in either polarity and covered with noise. The PNG files (`brush_digit`) are neither: each is a few Bezier
curves of their own, drawn with a broad nib, so that no training image has their shapes.

Needs Pillow and numpy. On Debian the fonts are in fonts-dejavu, fonts-liberation and fonts-freefont-ttf.
"""

import argparse
import math
import pathlib
import random

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
SIZE = 28
CANVAS = 112
FONT_FOLDERS = [
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/truetype/freefont",
    "/usr/share/fonts/truetype/liberation",
]


# Training images ------------------------------------------------------------------------------------------------------


def arc(cx, cy, rx, ry, start, stop, steps=14):
    """Points of an ellipse from angle `start` to `stop`, in degrees, y downwards."""
    angles = [math.radians(start + (stop - start) * i / steps) for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


# Each digit: the ways to write it; each way: its pen strokes, in a unit square with y downwards.
STROKES = {
    0: [[arc(0.5, 0.5, 0.30, 0.45, -90, 270, 28)], [arc(0.5, 0.5, 0.40, 0.44, -60, 300, 28)]],
    1: [
        [[(0.5, 0.05), (0.5, 0.95)]],
        [[(0.3, 0.25), (0.52, 0.05), (0.52, 0.95)]],
        [[(0.3, 0.25), (0.52, 0.05), (0.52, 0.95)], [(0.3, 0.95), (0.75, 0.95)]],
    ],
    2: [
        [arc(0.5, 0.3, 0.3, 0.25, 190, 390) + [(0.2, 0.95), (0.82, 0.95)]],
        [arc(0.5, 0.3, 0.28, 0.25, 200, 400) + arc(0.32, 0.83, 0.13, 0.1, 250, 20) + [(0.6, 0.92), (0.82, 0.88)]],
    ],
    3: [
        [arc(0.45, 0.28, 0.28, 0.23, 200, 450) + arc(0.45, 0.72, 0.32, 0.23, 270, 520)],
        [[(0.2, 0.06), (0.75, 0.06), (0.42, 0.42)] + arc(0.44, 0.69, 0.32, 0.26, 280, 520)],
    ],
    4: [
        [[(0.62, 0.95), (0.62, 0.05), (0.15, 0.68), (0.85, 0.68)]],
        [[(0.28, 0.08), (0.2, 0.55), (0.82, 0.55)], [(0.68, 0.12), (0.66, 0.95)]],
        [[(0.5, 0.05), (0.15, 0.6), (0.85, 0.6)], [(0.66, 0.35), (0.66, 0.95)]],
    ],
    5: [
        [[(0.78, 0.06), (0.28, 0.06), (0.24, 0.45)] + arc(0.46, 0.66, 0.32, 0.28, 230, 510)],
        [[(0.26, 0.08), (0.26, 0.45)] + arc(0.44, 0.67, 0.33, 0.27, 240, 500), [(0.26, 0.08), (0.76, 0.08)]],
    ],
    6: [
        [[(0.7, 0.06), (0.42, 0.25), (0.25, 0.55)] + arc(0.5, 0.7, 0.27, 0.24, 190, 550, 24)],
        [arc(0.62, 0.6, 0.4, 0.54, 280, 180) + arc(0.48, 0.68, 0.27, 0.26, 180, 540, 24)],
    ],
    7: [
        [[(0.18, 0.07), (0.8, 0.07), (0.42, 0.95)]],
        [[(0.18, 0.07), (0.8, 0.07), (0.42, 0.95)], [(0.35, 0.5), (0.75, 0.5)]],
        [[(0.2, 0.18), (0.2, 0.07), (0.8, 0.07)] + arc(0.9, 0.95, 0.48, 0.75, 250, 180)],
    ],
    8: [
        [arc(0.5, 0.28, 0.25, 0.22, 90, 450, 24), arc(0.5, 0.73, 0.31, 0.23, -90, 270, 24)],
        [arc(0.5, 0.27, 0.26, 0.22, -20, -270) + arc(0.5, 0.72, 0.3, 0.23, -90, 200) + [(0.32, 0.6), (0.72, 0.15)]],
    ],
    9: [
        [arc(0.5, 0.3, 0.27, 0.25, 0, -360, 24) + [(0.77, 0.3), (0.72, 0.95)]],
        [arc(0.48, 0.31, 0.28, 0.25, 0, -360, 24) + arc(0.4, 0.45, 0.37, 0.5, -10, 110)],
    ],
}


def fonts():
    """Every usable font file, in a stable order."""
    found = sorted(p for folder in FONT_FOLDERS for p in pathlib.Path(folder).glob("*.ttf"))
    if not found:
        raise SystemExit("no fonts found; see FONT_FOLDERS in make_digits.py")
    return [str(p) for p in found]


def font_digit(digit, paths, rng):
    """A white digit of a random font on black."""
    image = Image.new("L", (CANVAS, CANVAS), 0)
    font = ImageFont.truetype(rng.choice(paths), rng.randint(84, 104))
    ImageDraw.Draw(image).text(
        (CANVAS / 2, CANVAS / 2), str(digit), fill=255, font=font, anchor="mm", stroke_width=rng.choice([0, 0, 1, 3])
    )
    return image


def stroke_digit(digit, rng):
    """A white digit drawn with a round pen on black: a skeleton whose points have been moved a little."""
    image = Image.new("L", (CANVAS, CANVAS), 0)
    pen = ImageDraw.Draw(image)
    radius = rng.uniform(2.5, 8.0)
    wobble = rng.uniform(0.0, 1.2)
    phase = [rng.uniform(0, 2 * math.pi) for _ in range(4)]
    for stroke in rng.choice(STROKES[digit]):
        points = []
        for x, y in stroke:
            # A smooth displacement of the whole plane, and a small one of each point.
            dx = 0.05 * math.sin(3 * y + phase[0]) + 0.03 * math.sin(7 * y + phase[1]) + rng.gauss(0, 0.004) * wobble
            dy = 0.05 * math.sin(3 * x + phase[2]) + 0.03 * math.sin(7 * x + phase[3]) + rng.gauss(0, 0.004) * wobble
            points.append((CANVAS * (0.16 + 0.68 * (x + dx)), CANVAS * (0.13 + 0.74 * (y + dy))))
        pen.line(points, fill=255, width=round(2 * radius), joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=255)
    return image


def distort(image, rng):
    """Rotate, shear, scale and shift about the middle, and shrink to the training size."""
    angle = math.radians(rng.gauss(0, 8))
    shear = rng.gauss(0, 0.12)
    sx, sy = rng.uniform(0.75, 1.25), rng.uniform(0.8, 1.2)
    tx, ty = rng.uniform(-0.09, 0.09) * CANVAS, rng.uniform(-0.09, 0.09) * CANVAS
    a, b = math.cos(angle) / sx, (math.sin(angle) + shear) / sx
    d, e = -math.sin(angle) / sy, math.cos(angle) / sy
    middle = CANVAS / 2
    c, f = middle - a * (middle + tx) - b * (middle + ty), middle - d * (middle + tx) - e * (middle + ty)
    image = image.transform(image.size, Image.AFFINE, (a, b, c, d, e, f), Image.BILINEAR)
    if rng.random() < 0.4:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(1, 4)))
    return image.resize((SIZE, SIZE), Image.BOX)


def recolour(image, rng):
    """Ink and paper of random brightness (either may be the lighter), uneven light and noise; floats in 0..1."""
    mask = numpy.asarray(image, dtype=numpy.float32) / 255
    paper = rng.random()
    ink = paper
    while abs(ink - paper) < 0.35:
        ink = rng.random()
    ramp = numpy.linspace(-0.5, 0.5, SIZE, dtype=numpy.float32)
    light = rng.uniform(-0.1, 0.1) * ramp[:, None] + rng.uniform(-0.1, 0.1) * ramp[None, :]
    noise = numpy.random.default_rng(rng.getrandbits(32)).normal(0, rng.uniform(0, 0.07), mask.shape)
    return numpy.clip(paper + (ink - paper) * mask + light + noise, 0, 1).astype(numpy.float32)


def training_set(count, seed):
    """`count` images (count, 1, 28, 28) and their digits; the same for the same seed and fonts."""
    rng = random.Random(seed)
    paths = fonts()
    images = numpy.empty((count, 1, SIZE, SIZE), dtype=numpy.float32)
    digits = numpy.empty(count, dtype=numpy.int64)
    for i in range(count):
        digits[i] = digit = i % 10
        drawn = font_digit(digit, paths, rng) if (i // 10) % 2 == 0 else stroke_digit(digit, rng)
        images[i, 0] = recolour(distort(drawn, rng), rng)
    return images, digits


# The PNG files --------------------------------------------------------------------------------------------------------

# Each digit: its cubic Bezier segments as four points on a 100 by 100 field, y downwards.
BEZIERS = {
    0: [[(52, 14), (18, 16), (18, 86), (48, 87)], [(48, 87), (82, 88), (84, 18), (52, 14)]],
    1: [[(30, 34), (40, 30), (48, 22), (54, 12)], [(54, 12), (55, 40), (50, 60), (52, 88)]],
    2: [
        [(24, 34), (22, 6), (76, 8), (70, 38)],
        [(70, 38), (66, 58), (38, 66), (22, 86)],
        [(22, 86), (42, 80), (60, 88), (80, 84)],
    ],
    3: [[(26, 20), (52, 4), (84, 26), (46, 47)], [(46, 47), (96, 46), (76, 100), (22, 84)]],
    4: [
        [(46, 12), (38, 32), (30, 46), (18, 62)],
        [(18, 62), (40, 60), (60, 62), (84, 59)],
        [(62, 36), (64, 54), (60, 70), (63, 90)],
    ],
    5: [
        [(74, 15), (60, 17), (46, 15), (32, 17)],
        [(32, 17), (31, 28), (29, 36), (28, 46)],
        [(28, 46), (58, 32), (84, 56), (66, 78)],
        [(66, 78), (54, 92), (36, 90), (22, 80)],
    ],
    6: [
        [(66, 12), (40, 22), (24, 48), (28, 70)],
        [(28, 70), (32, 96), (76, 92), (74, 66)],
        [(74, 66), (72, 44), (38, 44), (28, 68)],
    ],
    7: [[(20, 20), (40, 16), (60, 20), (80, 15)], [(80, 15), (62, 40), (48, 60), (44, 90)]],
    8: [
        [(68, 22), (50, 2), (20, 24), (44, 44)],
        [(44, 44), (66, 58), (86, 72), (62, 86)],
        [(62, 86), (36, 96), (14, 74), (42, 54)],
        [(42, 54), (62, 42), (76, 34), (68, 22)],
    ],
    9: [
        [(70, 30), (60, 8), (28, 12), (29, 36)],
        [(29, 36), (32, 60), (66, 54), (71, 28)],
        [(71, 28), (74, 54), (66, 76), (50, 90)],
    ],
}

# (width, height, mode, paper, ink, nib angle in degrees, nib length, nib thickness)
BRUSHES = [
    (64, 64, "RGB", (250, 246, 232), (40, 44, 90), 40, 9, 4),
    (48, 64, "L", 20, 235, 0, 7, 7),
    (96, 80, "RGB", (28, 70, 52), (240, 240, 228), 70, 8, 5),
    (64, 64, "L", 245, 60, 45, 10, 3),
    (72, 72, "RGB", (255, 255, 255), (200, 30, 40), 20, 8, 5),
    (56, 70, "RGB", (236, 226, 196), (84, 50, 20), 60, 10, 4),
    (64, 64, "L", 0, 255, 30, 6, 6),
    (96, 96, "RGB", (252, 250, 244), (24, 40, 110), 35, 10, 4),
    (50, 50, "RGB", (16, 16, 24), (255, 200, 60), 80, 8, 5),
    (64, 88, "L", 200, 30, 10, 8, 5),
]


def bezier(points, steps=60):
    """Points of one cubic Bezier segment."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
    for i in range(steps + 1):
        t = i / steps
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


def nib(x, y, angle, length, thickness):
    """The rectangle that a broad nib covers at one point."""
    ux, uy = math.cos(angle) * length / 2, -math.sin(angle) * length / 2
    vx, vy = math.sin(angle) * thickness / 2, math.cos(angle) * thickness / 2
    return [(x + i * ux + j * vx, y + i * uy + j * vy) for i, j in [(-1, -1), (1, -1), (1, 1), (-1, 1)]]


def brush_digit(digit):
    """The picture of one digit for the example, as a Pillow image."""
    width, height, mode, paper, ink, angle, length, thickness = BRUSHES[digit]
    scale = 4 * min(width, height) / 100
    left, top = (4 * width - 100 * scale) / 2, (4 * height - 100 * scale) / 2
    image = Image.new(mode, (4 * width, 4 * height), paper)
    pen = ImageDraw.Draw(image)
    for segment in BEZIERS[digit]:
        for x, y in bezier(segment):
            corners = nib(x, y, math.radians(angle), length, thickness)
            pen.polygon([(left + scale * px, top + scale * py) for px, py in corners], fill=ink)
    return image.resize((width, height), Image.BOX)


def contact_sheet(count=200):
    """Training images side by side, one digit per column."""
    images, _ = training_set(count, seed=1)
    sheet = Image.new("L", (10 * (SIZE + 2), count // 10 * (SIZE + 2)), 128)
    for i in range(count):
        tile = Image.fromarray((images[i, 0] * 255).astype(numpy.uint8))
        sheet.paste(tile, (i % 10 * (SIZE + 2), i // 10 * (SIZE + 2)))
    return sheet


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheet", metavar="OUT")
    options = parser.parse_args()
    if options.sheet:
        contact_sheet().save(options.sheet)
        return
    here = pathlib.Path(__file__).parent
    for digit, name in enumerate(NAMES):
        brush_digit(digit).save(here / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
