"""hummingbird: models of scikit-learn as tensor programs, scripted, saved, loaded; onnx2torch: a model of ONNX as modules."""
# packages: hummingbird-ml onnx2torch torchvision
# needs: numpy scipy scikit-learn onnx onnxconverter-common psutil dill protobuf pillow
import contextlib
import os
import tempfile

import numpy as np
import onnx
import torch
from hummingbird.ml import convert, load
from onnx import TensorProto, helper, numpy_helper
from onnx2torch import convert as from_onnx
from show import saved, show, steps
from sklearn.cluster import KMeans
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

torch.manual_seed(0)
random = np.random.RandomState(0)
x = random.randn(60, 5).astype(np.float32)
y = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(np.int64) + (x[:, 2] > 1)
models = (
    DecisionTreeClassifier(max_depth=4),
    RandomForestClassifier(6, max_depth=4, random_state=0),
    GradientBoostingClassifier(n_estimators=4, random_state=0),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(MinMaxScaler(), GaussianNB()),
    MLPClassifier((8,), max_iter=20, random_state=0),
)
for model in models:
    model.fit(x, y)
    for backend in ("pytorch", "torch.jit"):
        converted = convert(model, backend, x)
        print(
            type(model).__name__,
            backend,
            int((converted.predict(x) == model.predict(x)).sum()),
            "%.5f" % float(np.abs(converted.predict_proba(x) - model.predict_proba(x)).max()),
        )
with tempfile.TemporaryDirectory() as folder:
    with contextlib.redirect_stdout(None):
        converted.save(os.path.join(folder, "model"))
    show("loaded", torch.as_tensor(load(os.path.join(folder, "model"), override_flag=True).predict_proba(x)))
for model in (
    ExtraTreesRegressor(4, max_depth=4, random_state=0),
    make_pipeline(PolynomialFeatures(2), Ridge()),
    IsolationForest(n_estimators=5, random_state=0),
    KMeans(3, n_init=1, random_state=0),
):
    model.fit(x, x[:, 0] * x[:, 1])
    for strategy in ("gemm", "tree_trav", "perf_tree_trav"):
        converted = convert(model, "torch.jit", x, extra_config={"tree_implementation": strategy})
        show(type(model).__name__ + " " + strategy, torch.as_tensor(np.asarray(converted.predict(x))))


def tensor(name, *shape):
    return numpy_helper.from_array(random.randn(*shape).astype(np.float32) * 0.3, name)


nodes = [
    helper.make_node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
    helper.make_node("Relu", ["c"], ["r"]),
    helper.make_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
    helper.make_node("GlobalAveragePool", ["r"], ["g"]),
    helper.make_node("Mul", ["p", "g"], ["m"]),
    helper.make_node("Flatten", ["m"], ["f"]),
    helper.make_node("Gemm", ["f", "k", "d"], ["z"], transB=1),
    helper.make_node("Softmax", ["z"], ["y"], axis=1),
]
graph = helper.make_graph(
    nodes,
    "small",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 8, 8])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 5])],
    [tensor("w", 4, 3, 3, 3), tensor("b", 4), tensor("k", 5, 16), tensor("d", 5)],
)
module = from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8))
given = torch.randn(2, 3, 8, 8)
show("onnx", module(given))
print(module.code.strip().splitlines()[-1].strip())
show("onnx traced", saved(torch.jit.trace(module, given))(given))
steps("onnx", module, lambda: module(given)[:, 0].sum())
