# Switches of a compiler that programs set and ask.
import torch
import torch._dynamo
import torch._dynamo.config
import torch._inductor.config


def t(f):
    try:
        print("->", f())
    except Exception as e:
        print(type(e).__name__, "|", str(e).split("\n")[0])


t(lambda: (torch._dynamo.is_compiling(), torch.compiler.is_compiling(), torch._dynamo.reset(), torch.compiler.reset()))
torch._dynamo.config.suppress_errors = True
torch._dynamo.config.cache_size_limit = 64
torch._inductor.config.coordinate_descent_tuning = True
t(lambda: (torch._dynamo.config.suppress_errors, torch._dynamo.config.cache_size_limit))
with torch._dynamo.config.patch(suppress_errors=False, cache_size_limit=3):
    t(lambda: (torch._dynamo.config.suppress_errors, torch._dynamo.config.cache_size_limit))
t(lambda: (torch._dynamo.config.suppress_errors, torch._dynamo.config.cache_size_limit))


@torch._dynamo.disable
def f(x):
    return x + 1


@torch._dynamo.disable(recursive=False)
def g(x):
    return x + 2


@torch._dynamo.allow_in_graph
def h(x):
    return x + 3


t(lambda: (f(1), g(1), h(1)))
t(lambda: isinstance(torch.nn.Linear(1, 1), torch._dynamo.OptimizedModule))
t(lambda: isinstance(torch.nn.Linear(1, 1), torch._dynamo.eval_frame.OptimizedModule))
x = torch.ones(2)
t(lambda: (torch._dynamo.mark_dynamic(x, 0), torch._dynamo.mark_static(x), torch._dynamo.graph_break()))
t(lambda: torch.compiler.cudagraph_mark_step_begin())
t(lambda: torch.compiler.allow_in_graph(h) is h)
t(lambda: torch.compiler.is_dynamo_compiling())
t(lambda: torch.compiler.is_exporting())
