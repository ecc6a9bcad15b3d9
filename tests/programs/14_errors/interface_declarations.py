"""What is wrong with an interface is said where it is declared."""
import torch
from typing import List


def without_type():
    @torch.jit.interface
    class Store:
        def __init__(self):
            pass


def with_body():
    @torch.jit.interface
    class Store:
        def get(self, key) -> int:
            return 3


def long_body():
    @torch.jit.interface
    class Store(torch.nn.Module):
        def get(self) -> int:
            y = 3
            return y


def unknown_type():
    @torch.jit.interface
    class Store:
        def get(self, key: "Missing") -> int:
            pass


def fine():
    @torch.jit.interface
    class Store:
        size: int

        def get(self, key: int = 3) -> List[int]:
            pass

    return Store.__name__


def documented():
    @torch.jit.interface
    class Store:
        """What stores."""

        def get(self, key: int) -> int:
            """Gives."""
            pass
            """Really."""

    return Store.__name__


def only_documented():
    @torch.jit.interface
    class Store:
        def get(self, key: int) -> int:
            """Gives."""

    return Store.__name__


def a_function():
    @torch.jit.interface
    def store(x):
        return x


for make in (without_type, with_body, long_body, unknown_type, fine, documented, only_documented, a_function):
    try:
        print(make())
    except RuntimeError as error:
        print(f"<<RuntimeError>>\n{error}\n<<end>>")


class Plain:
    pass


def of_class(x: torch.Tensor):
    return torch.nn.Linear.foo


try:
    torch.jit.script(of_class)
except RuntimeError as error:
    print(f"<<RuntimeError>>\n{error}\n<<end>>")
