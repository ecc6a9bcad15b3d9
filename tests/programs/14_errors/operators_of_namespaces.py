# torch.ops tells of arguments that fit no schema; functions of torch that scripts lack; overloads without types
import torch


def told(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).strip().split("\n")[:2])


x = torch.ones(2)
told(lambda: torch.ops.aten.relu())
told(lambda: torch.ops.aten.relu(x, 1, 2))
told(lambda: torch.ops.aten.relu.default(x, 1))
told(lambda: torch.ops.aten.type_as(x))
told(lambda: torch.ops.aten.type_as(x, x, x))
told(lambda: torch.ops.aten.add(x, x, 2))
told(lambda: torch.ops.aten.add(x, 1, alpha=2))
told(lambda: torch.ops._test.leaky_relu(torch.tensor([-1.0, 1.0])))
told(lambda: torch.ops._test.leaky_relu(x, foo=x))
told(lambda: torch.ops._test.get_first([["hello"], ["there"]]))
told(lambda: torch.ops._test.cat([x, x]))
print(torch.ops._test.leaky_relu, type(torch.ops._test).__name__)


def unknown(x):
    torch.set_anomaly_enabled(True)
    return x


told(lambda: torch.jit.script(unknown))


class Loose(torch.nn.Module):
    @torch.jit._overload_method
    def hello(self, x):  # noqa: F811
        pass

    @torch.jit._overload_method
    def hello(self, x):  # noqa: F811
        # type: (int) -> int
        pass

    def hello(self, x):  # noqa: F811
        return x + 3

    def forward(self, x):
        return self.hello(1), self.hello(x)


told(lambda: torch.jit.script(Loose()))
