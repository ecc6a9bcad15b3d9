"""transformers: decoders from configurations, greedy and sampled text, beams, caches."""
# packages: transformers
# needs: numpy packaging pyyaml regex requests safetensors tokenizers tqdm filelock huggingface_hub
import torch
from transformers import (
    GPT2Config, GPT2LMHeadModel, GPTNeoXConfig, GPTNeoXForCausalLM, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM,
    OPTConfig, OPTForCausalLM, Qwen2Config, Qwen2ForCausalLM, T5Config, T5ForConditionalGeneration, set_seed,
)
from show import show

ids = torch.arange(3, 11).reshape(1, 8)
small = dict(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, pad_token_id=0, eos_token_id=1, bos_token_id=2)


def made(cls, config):
    torch.manual_seed(0)
    return cls(config).eval()


gpt2 = made(GPT2LMHeadModel, GPT2Config(vocab_size=64, n_embd=32, n_layer=2, n_head=4, n_positions=64, pad_token_id=0, eos_token_id=1, bos_token_id=2))
llama = made(LlamaForCausalLM, LlamaConfig(**small, num_key_value_heads=2))
with torch.no_grad():
    show("gpt2", gpt2(ids).logits)
    show("llama", llama(ids, labels=ids).loss)
    show("mistral", made(MistralForCausalLM, MistralConfig(**small, num_key_value_heads=2, sliding_window=4))(ids).logits)
    show("qwen2", made(Qwen2ForCausalLM, Qwen2Config(**small, num_key_value_heads=2))(ids).logits)
    show("neox", made(GPTNeoXForCausalLM, GPTNeoXConfig(**small))(ids).logits)
    show("opt", made(OPTForCausalLM, OPTConfig(vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48, word_embed_proj_dim=32))(ids).logits)
print(gpt2.generate(ids, max_new_tokens=6, do_sample=False).tolist())
print(llama.generate(ids, max_new_tokens=6, do_sample=False).tolist())
set_seed(3)
print(llama.generate(ids, max_new_tokens=6, do_sample=True, top_k=10, temperature=0.8).tolist())
print(gpt2.generate(ids, max_new_tokens=4, num_beams=3, do_sample=False).tolist())
t5 = made(T5ForConditionalGeneration, T5Config(vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, decoder_start_token_id=0))
print(t5.generate(ids, max_new_tokens=5, do_sample=False).tolist())
