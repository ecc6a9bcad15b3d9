"""Names that packages import: checks of tensors, steps of derivatives, policies of wrapping, settings, scaled gradients."""
import multiprocessing

import torch
from torch.autograd.functional import _as_tuple, _construct_standard_basis_for, _fill_in_zeros, _grad_postprocess, _tuple_postprocess, _validate_v
from torch.distributed.fsdp import FullyShardedDataParallel, api, wrap
from torch.fx.experimental.symbolic_shapes import guard_or_false, statically_known_true
from torch.numa.binding import AffinityMode, NumaOptions
from torch.optim.lbfgs import _cubic_interpolate, _strong_wolfe
from torch._vmap_internals import _vmap


def t(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


t("all", lambda: torch._check_tensor_all_with(ValueError, torch.tensor([True, True])))
t("not all", lambda: torch._check_tensor_all_with(ValueError, torch.tensor([True, False]), lambda: "some are not"))
t("no bools", lambda: torch._check_tensor_all(torch.tensor([1, 0])))
t("no bool", lambda: torch._check(1))
t("no error", lambda: torch._check_with(int, False, "text"))
a, b = torch.ones(2), torch.ones(2, requires_grad=True)
t("tuple", lambda: (_as_tuple(a, "inputs", "f"), _tuple_postprocess(((a, b), (b,)), (False, True)), _grad_postprocess((b * 2,), False)))
t("list", lambda: _as_tuple([a], "inputs", "f"))
t("sizes", lambda: _validate_v((torch.ones(3),), (b,), True))
t("zeros", lambda: _fill_in_zeros((None,), (a,), False, False, "back"))
t("strict", lambda: _fill_in_zeros((None,), (a,), True, False, "double_back_trick"))
t("basis", lambda: _construct_standard_basis_for((torch.ones(2), torch.ones(1)), (2, 1)))
t("vmap", lambda: _vmap(lambda row: (row.sum(), None), allow_none_pass_through=True)(torch.arange(4.0).view(2, 2)))
t("out_dims", lambda: _vmap(lambda row: (row, row), 0, (0,))(torch.ones(2, 2)))
one = torch.tensor
t("cubic", lambda: _cubic_interpolate(0.0, one(1.0), one(-1.0), 1.0, one(0.8), one(0.5)))


def objective(x, step, direction):
    place = x + step * direction
    return float((place**4).sum()), 4 * place**3


x = one([0.5, -1.0])
loss, gradient = objective(x, 0, x)
t("search", lambda: _strong_wolfe(objective, x, 1.0, -gradient, loss, gradient, -gradient.dot(gradient)))
t("parts", lambda: (multiprocessing.connection.wait.__name__, multiprocessing.reduction.__name__))
linear, relu = torch.nn.Linear(3, 3), torch.nn.ReLU()
policy = wrap.ModuleWrapPolicy({torch.nn.Linear})
t("policy", lambda: (policy(linear, False), policy(relu, False), policy(relu, True), wrap.wrap(relu) is relu))
t("by size", lambda: [wrap.size_based_auto_wrap_policy(linear, recurse, 12, 12) for recurse in (True, False)])
t("custom", lambda: wrap.CustomPolicy(lambda module: 3)._run_policy(relu, set(), {}))
t("settings", lambda: (api.FullOptimStateDictConfig(), api.ShardedStateDictConfig(), api.StateDictSettings(1, 2, 3), NumaOptions(AffinityMode.NODE)))
t("divided", lambda: FullyShardedDataParallel.fsdp_modules(linear))
scale, grown = one(8.0), torch.tensor(0, dtype=torch.int32)
for found in (0.0, 0.0, 1.0):
    print(torch._amp_update_scale_(scale, grown, one(found), 2.0, 0.5, 2), grown)
gradients, found = [one([4.0, float("inf")]), one([2.0])], one(0.0)
torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, one(0.5))
print(gradients, found)
print(torch._disable_dynamo(lambda x: x)(3), torch.autograd._is_checkpoint_valid(), torch.autograd._profiler_enabled())
print(torch.backends.cudnn.benchmark_limit, torch.backends.opt_einsum.set_flags(), torch.export.Dim.AUTO, torch.export.Dim("x", min=2))
t("einsum", lambda: torch.backends.opt_einsum.set_flags(None, "auto"))
t("known", lambda: (guard_or_false(True), statically_known_true(False)))
