# The order of dimensions in memory, tensors that exchange what they are, and other questions that few programs ask.
import torch


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


x = torch.ones(2, 3, 4, 5)
tensors = [x, x.permute(0, 2, 3, 1), x.to(memory_format=torch.channels_last), torch.ones(2, 1, 3), torch.ones(3).expand(2, 3),
           torch.tensor(1.0), x.transpose(1, 2)[:, :, ::2], torch.ones(1, 1, 2, 2), torch.ones(0, 3)]
for tensor in tensors:
    attempt(lambda: tensor.dim_order())
    attempt(lambda: tensor.dim_order(ambiguity_check=True))
    attempt(lambda: tensor.dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last]))
attempt(lambda: x.dim_order(ambiguity_check=5))

a, b = torch.ones(2, requires_grad=True), torch.zeros(3, dtype=torch.float64)
a.tag = 1
torch.utils.swap_tensors(a, b)
print(a, b, b.tag, hasattr(a, "tag"))
parameter, plain = torch.nn.Parameter(torch.ones(2)), torch.zeros(2)
torch.utils.swap_tensors(parameter, plain)
print(parameter, plain)
c, d = torch.ones(2, requires_grad=True), torch.zeros(2)
c.sum().backward()
torch.utils.swap_tensors(c, d)
print(c.grad, d.grad)

t = torch.tensor([1.0, 2.0])
print(t.polygamma(1), t.const_data_ptr() == t.data_ptr(), t.volatile)
print(t.storage_type(), torch.ones(1, dtype=torch.bool).storage_type())
print(t.module_load(torch.zeros(2)), t, torch.ones(2).module_load(torch.nn.Parameter(t), assign=True))
print(t.polygamma_(1).isinf())
