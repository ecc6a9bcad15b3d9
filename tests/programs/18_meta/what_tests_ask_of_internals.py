# Names of torch._C and torch._jit_internal that programs ask for besides operators and graphs.
import io
from typing import List, Optional, Union

import torch


def takes(a, /, b, *c, d=1, **e):
    pass


print(torch._jit_internal.get_callable_argument_names(takes), torch._jit_internal.get_callable_argument_names(print))
print([torch._jit_internal.is_optional(t) for t in (Optional[int], Union[int, None, str], Union[List[int], List[float]], int)])
torch._jit_internal.check_empty_containers(torch.rand(2, 3))
found = torch._C.InferredType(torch._C.IntType.get())
print(found.success(), found.type())
absent = torch._C.InferredType("why not")
print(absent.success(), absent.reason())
print(torch._C._ivalue_debug_python_object(takes) is takes)


@torch.jit.script
def f(x):
    return x + 1


f(torch.ones(1))
f(torch.ones(1))
(plan,) = f.get_debug_state().execution_plans.values()
print(plan.code.num_bailouts(), plan.code.grad_executor_states(), "aten::add" in str(plan.graph))
buffer = io.BytesIO()
torch.jit.save(f, buffer)
buffer.seek(0)
print(torch.serialization._is_zipfile(buffer), torch.serialization._is_zipfile(io.BytesIO(b"no archive")))
