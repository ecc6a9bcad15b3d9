# Settings that programs make at their start: devices that are not there, determinism, precision, default types.
import torch
import torch.backends.cudnn as cudnn
from torch.nn.attention import SDPBackend, sdpa_kernel


def attempt(call, *args):
    try:
        print(call(*args))
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.is_initialized())
torch.cuda.manual_seed_all(3)
torch.cuda.empty_cache()
attempt(torch.cuda.current_device)
attempt(torch.cuda.synchronize)
device = "cuda" if torch.cuda.is_available() else "cpu"
print(torch.ones(2, device=device))

cudnn.deterministic = True
cudnn.benchmark = False
print(cudnn.deterministic, cudnn.benchmark, torch.backends.cudnn.deterministic)
print(torch.backends.mps.is_available(), torch.backends.mkldnn.enabled)
with torch.backends.mkldnn.flags(enabled=False):
    print(torch.backends.mkldnn.enabled)
print(torch.backends.mkldnn.enabled, torch.backends.cuda.matmul.allow_tf32)

torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled())
print(torch.get_deterministic_debug_mode())
torch.use_deterministic_algorithms(False)
attempt(torch.use_deterministic_algorithms, 3)
attempt(torch.set_deterministic_debug_mode, "none")
print(torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision("high")
print(torch.get_float32_matmul_precision())

torch.set_default_device("cpu")
print(torch.get_default_device(), torch.ones(1).device)
torch.set_default_dtype(torch.float64)
print(torch.ones(1).dtype)
torch.set_default_dtype(torch.float32)
attempt(torch.set_default_dtype, torch.int32)
print(torch.is_storage(3), torch.ones(3).nbytes, torch.ones(3, dtype=torch.int8).nbytes)

x = torch.eye(2).reshape(1, 1, 2, 2)
with sdpa_kernel(SDPBackend.MATH):
    print(torch.nn.functional.scaled_dot_product_attention(x, x, x))
print(SDPBackend.MATH, repr(SDPBackend.FLASH_ATTENTION))


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + x.sum(0) * 2 + torch.ones(1)[0]


print(torch.jit.export_opnames(torch.jit.script(Model())))
