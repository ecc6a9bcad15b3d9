"""facenet-pytorch: the Inception network of faces, and finding faces."""
# packages: facenet-pytorch torchvision
# needs: numpy pillow requests tqdm
import torch
from facenet_pytorch import InceptionResnetV1, fixed_image_standardization
from facenet_pytorch.models.mtcnn import ONet, PNet, RNet
from show import saved, show

torch.manual_seed(0)
model = InceptionResnetV1(classify=False, pretrained=None).eval()
x = fixed_image_standardization(torch.randint(0, 255, (1, 3, 96, 96)).float())
with torch.no_grad():
    show("embedding", model(x))
    show("traced", saved(torch.jit.trace(model, x))(x))
    for cls, size in ((PNet, 24), (RNet, 24), (ONet, 48)):
        show(cls.__name__, cls(pretrained=False).eval()(torch.rand(1, 3, size, size)))
