"""Names that projects use: functions that are gone, storages by type, switches, grouped products."""
import torch


def show(name, function):
    try:
        print(name, "->", function())
    except (RuntimeError, NotImplementedError) as error:
        print(f"{name} <<{type(error).__name__}>>\n{str(error).splitlines()[0][:60]}\n<<end>>")


x = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
for name in ("qr", "eig", "symeig", "cholesky", "lu"):
    show(name, lambda: getattr(torch, name)(x))
    show(name, lambda: getattr(x, name)())
for name in ("solve", "lstsq"):
    show(name, lambda: getattr(torch, name)(x, x))
    show(name, lambda: getattr(x, name)(x))
infos = torch.lu(x, get_infos=True)
print(infos.LU, infos.pivots, infos.info)
show("padded", lambda: x.to_padded_tensor(0.0))
print(torch.legacy_contiguous_format, torch.jagged, torch.ByteStorage, torch.FloatStorage)
for function in (
    "_jit_set_nvfuser_enabled", "_jit_override_can_fuse_on_cpu", "_jit_override_can_fuse_on_gpu", "_set_graph_executor_optimize",
):
    print(function, getattr(torch._C, function)(True))
print(torch._C._jit_can_fuse_on_gpu(), torch.nn.modules.transformer._get_activation_fn("relu") is torch.nn.functional.relu)
show("activation", lambda: torch.nn.modules.transformer._get_activation_fn("x"))


class Named(torch.Tensor):
    pass


n = torch.Tensor._make_subclass(Named, x, True)
print(type(n).__name__, n.requires_grad, torch.Tensor._make_subclass(Named, x).requires_grad, n.data_ptr() == x.data_ptr())
cuda = torch.backends.cuda
with cuda.sdp_kernel(enable_flash=False):
    print(cuda.flash_sdp_enabled(), cuda.math_sdp_enabled())
cuda.enable_math_sdp(True)
print(cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.cudnn_sdp_enabled())
print(torch.nn.init._no_grad_uniform_(torch.ones(2), 3.0, 3.0))
a, b = torch.arange(64.0).reshape(4, 16).bfloat16(), torch.arange(128.0).reshape(2, 16, 4).bfloat16() / 100
ends = torch.tensor([1, 4], dtype=torch.int32)
b8 = torch.cat([b, b], 2)
print(torch.nn.functional.grouped_mm(a, b8, offs=ends).shape, torch.nn.functional.grouped_mm(a.reshape(2, 2, 16), b8).shape)
import torch._dynamo.exc
import torch._functorch.config

print(issubclass(torch._dynamo.exc.Unsupported, torch._dynamo.exc.TorchDynamoException), torch._functorch.config.functionalize_rng_ops)
print([name in dir(torch) for name in ("add", "sparse_coo_tensor", "autocast", "jit", "uint16", "TensorType", "vmap", "linalg_qr")], len(dir(torch)) > 900)
print([name for name in dir(torch) if not hasattr(torch, name)])
