"""transformers: ViT, CLIP, Whisper and wav2vec2 from configurations; saved and loaded as safetensors."""
# packages: transformers
# needs: numpy packaging pyyaml regex requests safetensors tokenizers tqdm filelock huggingface_hub
import tempfile

import torch
from transformers import (
    AutoModel, CLIPConfig, CLIPModel, CLIPTextConfig, CLIPVisionConfig, ConvNextConfig, ConvNextModel, SegformerConfig,
    SegformerForSemanticSegmentation, SwinConfig, SwinModel, ViTConfig, ViTModel, Wav2Vec2Config, Wav2Vec2Model, WhisperConfig, WhisperForConditionalGeneration,
)
from show import saved, show

small = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
torch.manual_seed(5)
image = torch.randn(1, 3, 32, 32)


def made(cls, config):
    torch.manual_seed(0)
    return cls(config).eval()


with torch.no_grad():
    vit = made(ViTModel, ViTConfig(**small, image_size=32, patch_size=8))
    show("vit", vit(image)[0])
    show("vit traced", saved(torch.jit.trace(made(ViTModel, ViTConfig(**small, image_size=32, patch_size=8, return_dict=False)), image))(image)[0])
    show("swin", made(SwinModel, SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4))(image)[0])
    show("convnext", made(ConvNextModel, ConvNextConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]))(image)[0])
    show("segformer", made(SegformerForSemanticSegmentation, SegformerConfig(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], decoder_hidden_size=16))(image).logits)
    clip = made(CLIPModel, CLIPConfig(text_config=CLIPTextConfig(**small, vocab_size=60, eos_token_id=59).to_dict(), vision_config=CLIPVisionConfig(**small, image_size=32, patch_size=8).to_dict(), projection_dim=24))
    show("clip", clip(input_ids=torch.tensor([[3, 4, 5, 59]]), pixel_values=image).logits_per_image)
    w2v = made(Wav2Vec2Model, Wav2Vec2Config(**small, conv_dim=(16, 16), conv_stride=(5, 4), conv_kernel=(10, 8), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4))
    show("wav2vec2", w2v(torch.randn(1, 1600))[0])
    whisper = made(WhisperForConditionalGeneration, WhisperConfig(vocab_size=80, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, num_mel_bins=20, max_source_positions=50, max_target_positions=30, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None))
    show("whisper", whisper(torch.randn(1, 20, 100), decoder_input_ids=torch.tensor([[1, 5, 6]])).logits)
    with tempfile.TemporaryDirectory() as folder:
        vit.save_pretrained(folder)
        again = AutoModel.from_pretrained(folder).eval()
        print(torch.equal(again(image)[0], vit(image)[0]))
