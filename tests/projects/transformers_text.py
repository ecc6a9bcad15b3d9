"""transformers: text models from configurations, evaluated and traced."""
# packages: transformers
# needs: numpy packaging pyyaml regex requests safetensors tokenizers tqdm filelock huggingface_hub
import torch
import transformers
from transformers import (
    BertConfig, BertForSequenceClassification, BertModel, DistilBertConfig, DistilBertModel, ElectraConfig, ElectraModel, RobertaConfig,
    RobertaForMaskedLM, T5Config, T5Model, BartConfig, BartModel, AlbertConfig, AlbertModel,
)
from show import saved, show

ids = torch.arange(2, 26).reshape(2, 12) % 50
mask = torch.ones_like(ids)
mask[1, 8:] = 0
small = dict(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)


def made(cls, config):
    torch.manual_seed(0)
    return cls(config).eval()


with torch.no_grad():
    bert = made(BertModel, BertConfig(**small))
    show("bert", dict(bert(ids, attention_mask=mask)))
    traced = torch.jit.trace(made(BertModel, BertConfig(**small, return_dict=False)), (ids, mask))
    show("bert traced", saved(traced)(ids, mask))
    show("electra", made(ElectraModel, ElectraConfig(**small, embedding_size=16))(ids, attention_mask=mask)[0])
    show("roberta", made(RobertaForMaskedLM, RobertaConfig(**small))(ids, attention_mask=mask, labels=ids).loss)
    show("albert", made(AlbertModel, AlbertConfig(**small, embedding_size=16))(ids, attention_mask=mask)[0])
    show("distilbert", made(DistilBertModel, DistilBertConfig(vocab_size=60, dim=32, n_layers=2, n_heads=4, hidden_dim=48))(ids, attention_mask=mask)[0])
    t5 = made(T5Model, T5Config(vocab_size=60, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4))
    show("t5", t5(input_ids=ids, attention_mask=mask, decoder_input_ids=ids[:, :5])[0])
    bart = made(BartModel, BartConfig(vocab_size=60, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48))
    show("bart", bart(input_ids=ids, attention_mask=mask)[0])
model = made(BertForSequenceClassification, BertConfig(**small, num_labels=3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = transformers.get_linear_schedule_with_warmup(optimizer, 1, 10)
for _ in range(3):
    out = model(ids, attention_mask=mask, labels=torch.tensor([0, 2]))
    out.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    show("bert loss", out.loss)
