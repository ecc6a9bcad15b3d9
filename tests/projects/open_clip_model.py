"""open_clip: a small CLIP from its configuration, scripted."""
# packages: open_clip_torch timm torchvision
# needs: numpy pillow ftfy regex tqdm huggingface_hub safetensors pyyaml
import torch
from open_clip.model import CLIP
from show import saved, show

torch.manual_seed(0)
model = CLIP(32, {"image_size": 32, "layers": 2, "width": 64, "patch_size": 8}, {"context_length": 16, "vocab_size": 50, "width": 64, "heads": 2, "layers": 2}).eval()
image, ids = torch.randn(1, 3, 32, 32), torch.randint(1, 50, (2, 16))
with torch.no_grad():
    show("image", model.encode_image(image, normalize=True))
    show("text", model.encode_text(ids, normalize=True))
    show("both", list(model(image, ids)))
