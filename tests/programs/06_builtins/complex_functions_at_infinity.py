# Elementary functions of complex numbers at infinity and next to it.
import torch

inf = float("inf")
names = "exp sin cos tan sinh cosh tanh atan atanh acosh sqrt sigmoid".split()
for z in (complex(1e30, 0), complex(0, 1e30), complex(inf, 0), complex(0, inf), complex(inf, 1), complex(-inf, 1), complex(inf, inf)):
    for name in names:
        value = getattr(torch, name)(torch.tensor(z, dtype=torch.complex128)).item()
        # Zeros without their signs.
        print(name, z, f"{value.real + 0.0:.10g} {value.imag + 0.0:.10g}")
print(torch.sqrt(torch.tensor([complex(-1e30, 1), complex(3, -4), complex(0, -8), complex(1e308, 1e308)], dtype=torch.complex128)))
