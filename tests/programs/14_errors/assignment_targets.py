"""What nothing can be assigned to, in functions of source texts."""
import torch

TARGETS = ("a, *1", "a, *b[0]", "a, *x.b", "1", "a, 1", "x + 1", "[a, b]", "a, *b, *c")

for target in TARGETS:
    try:
        print(torch.jit.CompilationUnit(f"def f(x):\n    {target} = (3, 4, 5)\n    return x\n").f.graph)
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(error)
        print("<<end>>")
