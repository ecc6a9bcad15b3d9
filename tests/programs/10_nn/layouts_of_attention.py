# The result of attention is laid out as its queries where nothing is dropped; heads that were split off go together as a view
import torch
import torch.nn.functional as F

torch.manual_seed(0)
B, T, C, H = 2, 4, 12, 3


def heads(x):
    return x.view(B, T, H, C // H).transpose(1, 2)


x = torch.randn(B, T, C)
q, k, v = (heads(part) for part in torch.randn(B, T, 3 * C).split(C, dim=2))
for causal in (False, True):
    y = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    print(y.stride(), y.is_contiguous(), y.transpose(1, 2).is_contiguous())
    print(y.transpose(1, 2).view(B, T, C)[0, 1], y[1, 2, 3])
contiguous = [part.contiguous() for part in (q, k, v)]
print(F.scaled_dot_product_attention(*contiguous).stride())
print(F.scaled_dot_product_attention(q, contiguous[1], contiguous[2]).stride())
print(F.scaled_dot_product_attention(contiguous[0], k, v).stride())
print(F.scaled_dot_product_attention(q[:, :, :2], k, v).stride())
print(F.scaled_dot_product_attention(q[0], k[0], v[0]).stride())
print(F.scaled_dot_product_attention(q, k, v, attn_mask=torch.zeros(T, T)).stride())
print(F.scaled_dot_product_attention(q.double(), k.double(), v.double()).stride())
print(F.scaled_dot_product_attention(q.bfloat16(), k.bfloat16(), v.bfloat16()).stride())
print(F.scaled_dot_product_attention(q, k, v.transpose(2, 3).contiguous().transpose(2, 3)).stride())
leaf = x.clone().requires_grad_()
own = heads(leaf * 2)
z = F.scaled_dot_product_attention(own, own, own).transpose(1, 2).reshape(B, T, C)
print(z.grad_fn.name())
z.sum().backward()
print(leaf.grad[0, 0])
