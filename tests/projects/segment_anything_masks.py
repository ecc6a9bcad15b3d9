"""segment-anything: a small model of the same parts, asked with points."""
# packages: segment-anything torchvision
# needs: numpy pillow
import torch
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, TwoWayTransformer
from show import show

torch.manual_seed(0)
encoder = ImageEncoderViT(img_size=64, patch_size=16, embed_dim=32, depth=2, num_heads=2, out_chans=32, use_rel_pos=True, window_size=2, global_attn_indexes=(1,)).eval()
prompts = PromptEncoder(embed_dim=32, image_embedding_size=(4, 4), input_image_size=(64, 64), mask_in_chans=8).eval()
decoder = MaskDecoder(num_multimask_outputs=3, transformer=TwoWayTransformer(depth=2, embedding_dim=32, mlp_dim=64, num_heads=2), transformer_dim=32, iou_head_hidden_dim=32).eval()
with torch.no_grad():
    features = encoder(torch.randn(1, 3, 64, 64))
    show("features", features)
    sparse, dense = prompts(points=(torch.tensor([[[10.0, 20.0]]]), torch.tensor([[1]])), boxes=None, masks=None)
    masks, scores = decoder(features, prompts.get_dense_pe(), sparse, dense, multimask_output=True)
    show("masks", masks)
    show("scores", scores)
