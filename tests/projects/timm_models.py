"""timm: models by name, features, scripting, an optimiser and a schedule."""
# packages: timm torchvision
# needs: numpy pillow pyyaml safetensors huggingface_hub
import timm
import timm.loss
import timm.optim
import timm.scheduler
import torch
from show import saved, show

torch.manual_seed(0)
x = torch.randn(2, 3, 64, 64)
for name, options in {
    "resnet18": {}, "mobilenetv3_small_050": {}, "efficientnet_lite0": {}, "vit_tiny_patch16_224": {"img_size": 64},
    "convnext_atto": {}, "swin_tiny_patch4_window7_224": {"img_size": 64, "window_size": 2}, "mixer_s32_224": {"img_size": 64},
    "regnety_002": {}, "ghostnet_050": {}, "levit_128s": {"img_size": 64},
}.items():
    torch.manual_seed(1)
    model = timm.create_model(name, num_classes=7, **options).eval()
    with torch.no_grad():
        show(name, model(x))
torch.manual_seed(1)
features = timm.create_model("resnet18", features_only=True).eval()
show("features", [f for f in features(x)])
model = timm.create_model("resnet18", num_classes=7, drop_path_rate=0.1).eval()
with torch.no_grad():
    print(torch.allclose(saved(torch.jit.script(model))(x), model(x), atol=1e-5))
model.train()
optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
scheduler = timm.scheduler.CosineLRScheduler(optimizer, t_initial=10, warmup_t=2, warmup_lr_init=1e-5)
loss_of = timm.loss.LabelSmoothingCrossEntropy(0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = loss_of(model(x), torch.tensor([0, 3]))
    loss.backward()
    optimizer.step()
    scheduler.step(step + 1)
    show("loss", loss)
    print("%.6g" % optimizer.param_groups[0]["lr"])
