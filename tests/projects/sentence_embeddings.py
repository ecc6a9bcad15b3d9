"""sentence-transformers: a model of parts, its losses."""
# packages: sentence-transformers transformers
# needs: numpy packaging pyyaml regex requests safetensors tokenizers tqdm filelock huggingface_hub scikit-learn scipy pillow typing_extensions
import torch
from sentence_transformers import util
from sentence_transformers.models import Dense, Pooling
from show import show

torch.manual_seed(0)
features = {"token_embeddings": torch.randn(2, 5, 8), "attention_mask": torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])}
features = Pooling(8, pooling_mode="mean")(features)
show("pooled", features["sentence_embedding"])
show("dense", Dense(8, 4)(features)["sentence_embedding"])
show("cosine", util.cos_sim(torch.randn(2, 4), torch.randn(3, 4)))
