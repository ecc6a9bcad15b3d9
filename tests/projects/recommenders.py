"""Recommenders: DeepFM and others of deepctr-torch, models of RecBole, learning to rank by allrank."""
# packages: deepctr-torch recbole allrank thop torchvision
# needs: numpy scipy pandas scikit-learn tqdm tensorboard colorlog colorama pyyaml texttable psutil tabulate plotly attrs flatten-dict
import os

import numpy as np
import torch
from deepctr_torch.inputs import DenseFeat, SparseFeat, VarLenSparseFeat, get_feature_names
from deepctr_torch.models import AFM, CCPM, DCN, DIFM, ESMM, MLR, MMOE, NFM, PNN, AutoInt, DCNMix, DeepFM, FiBiNET, IFM, WDL, xDeepFM
from show import show, steps

torch.manual_seed(0)
random = np.random.RandomState(0)
columns = [SparseFeat("user", 10, 4), SparseFeat("item", 12, 4), DenseFeat("price", 1)]
given = {"user": random.randint(0, 10, 64), "item": random.randint(0, 12, 64), "price": random.rand(64).astype("float32")}
wanted = random.randint(0, 2, 64).astype("float32")
for kind in (DeepFM, WDL, DCN, DCNMix, xDeepFM, AutoInt, NFM, FiBiNET, IFM, DIFM, PNN, AFM, MLR, CCPM):
    if kind is MLR:
        model = MLR(columns, task="binary", seed=1)
    elif kind is AFM:
        model = AFM(columns, columns[:2], task="binary", seed=1)
    elif kind is CCPM:
        model = CCPM(columns, columns[:2], dnn_hidden_units=(8,), task="binary", seed=1)
    elif kind is PNN:
        model = PNN(columns, dnn_hidden_units=(8, 4), task="binary", seed=1)
    else:
        model = (
            kind(columns, columns, dnn_hidden_units=(8, 4), task="binary", seed=1)
            if kind not in (DCNMix,)
            else kind(columns, columns, dnn_hidden_units=(8, 4), seed=1, low_rank=4, num_experts=2)
        )
    model.compile("adam", "binary_crossentropy", metrics=["auc"])
    history = model.fit(given, wanted, batch_size=32, epochs=2, verbose=0, shuffle=False)
    show(kind.__name__, float(history.history["loss"][-1]))
    show(kind.__name__ + " predicts", torch.as_tensor(model.predict(given, 64)))
for kind in (MMOE, ESMM):
    model = (
        kind(columns, tower_dnn_hidden_units=(4,), task_types=["binary", "binary"], task_names=["a", "b"], seed=1)
        if kind is ESMM
        else kind(
            columns,
            num_experts=2,
            expert_dnn_hidden_units=(8,),
            gate_dnn_hidden_units=(4,),
            tower_dnn_hidden_units=(4,),
            task_types=["binary", "binary"],
            task_names=["a", "b"],
            seed=1,
        )
    )
    model.compile("adagrad", ["binary_crossentropy", "binary_crossentropy"])
    model.fit(given, np.stack([wanted, 1 - wanted], 1), batch_size=32, epochs=1, verbose=0, shuffle=False)
    show(kind.__name__, torch.as_tensor(model.predict(given, 64)))
