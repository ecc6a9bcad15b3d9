"""peft: low-rank adapters on a small language model, trained and merged."""
# packages: peft accelerate transformers
# needs: numpy packaging psutil pyyaml tqdm safetensors huggingface_hub regex tokenizers requests filelock
import torch
from peft import LoraConfig, get_peft_model
from show import show, steps
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = get_peft_model(GPT2LMHeadModel(GPT2Config(vocab_size=32, n_embd=16, n_layer=1, n_head=2, n_positions=16, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)), LoraConfig(r=2, lora_alpha=4, target_modules=["c_attn"], fan_in_fan_out=True))
ids = torch.arange(8)[None]
steps("lora", model, lambda: model(ids, labels=ids).loss, rate=0.1)
print(sum(p.numel() for p in model.parameters() if p.requires_grad))
show("merged", model.merge_and_unload().eval()(ids).logits)
