"""kornia: colours, filters, geometry, augmentations, features."""
# packages: kornia kornia_rs
# needs: numpy packaging
import kornia
import torch
from show import saved, show

torch.manual_seed(0)
x = torch.rand(2, 3, 32, 32)
show("hsv", kornia.color.rgb_to_hsv(x))
show("lab", kornia.color.rgb_to_lab(x))
show("gray", kornia.color.rgb_to_grayscale(x))
show("gaussian", kornia.filters.gaussian_blur2d(x, (5, 5), (1.5, 1.5)))
show("sobel", kornia.filters.sobel(x))
show("canny", kornia.filters.canny(x)[0])
show("median", kornia.filters.median_blur(x, (3, 3)))
show("rotate", kornia.geometry.transform.rotate(x, torch.tensor([10.0, 20.0])))
show("warp", kornia.geometry.transform.warp_perspective(x, torch.eye(3)[None].repeat(2, 1, 1) + 0.01 * torch.rand(2, 3, 3), (24, 24)))
show("homography", kornia.geometry.homography.find_homography_dlt(torch.rand(1, 8, 2), torch.rand(1, 8, 2)))
show("rotation", kornia.geometry.conversions.axis_angle_to_rotation_matrix(torch.rand(2, 3)))
show("ssim", kornia.metrics.ssim(x, x.flip(0), 5))
torch.manual_seed(1)
augment = kornia.augmentation.AugmentationSequential(
    kornia.augmentation.RandomHorizontalFlip(p=0.5), kornia.augmentation.RandomAffine(15.0, p=1.0), kornia.augmentation.ColorJitter(0.1, 0.1, 0.1, 0.1, p=1.0),
)
show("augment", augment(x))
show("harris", kornia.feature.harris_response(x[:, :1]))
show("dilation", kornia.morphology.dilation(x, torch.ones(3, 3)))
show("dice", kornia.losses.dice_loss(torch.randn(1, 3, 8, 8), torch.randint(0, 3, (1, 8, 8))))
