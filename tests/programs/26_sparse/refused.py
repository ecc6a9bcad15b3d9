# What sparse layouts refuse, and in which words.
import torch

d = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]])
s = torch.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 10.0], (2, 3))
h = torch.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2))
c = s.coalesce()
cs, cc = d.to_sparse_csr(), d.to_sparse_csc()
CALLS = """
cc.exp() cs-cs cs/2 cs.sum(0) cs.T cs.permute(1,0) cs==cs cs.mean() cs.pow(2) cs.norm() cs.any() cs[0:1] cs.unsqueeze(0) cs.type()
cs+torch.ones(3,3) torch.ones(3,3)+s torch.ones(3,3)*s s*torch.ones(3,3) s.clone().sin_() s.clone().pow_(2) torch.pow(s,0)
s.mean() s.max() s.max(0) s.max(d) s.eq(1) s==s s<1 s.exp() s+1 s.all(0) s.clamp(min=0) s.fmod(2) s.std() s.sort() s.softmax(0)
s.squeeze() h.squeeze() s.chunk(2) s.narrow(0,0,1) s[0:1] s[torch.tensor([0])] s[5] s[0,0,0] s.view(6) s.reshape(3,2) s.expand(2,2,3)
s.select(0,7) s.index_select(0,torch.tensor([5])) s.narrow_copy(0,0,5) h.transpose(0,1) h.t() h.permute(1,0) s.permute(0)
torch.cat([s,d]) torch.cat([cs,cs]) torch.stack([s,h]) torch.mv(s,torch.ones(2,2)) torch.bmm(s,d) torch.hspmm(s,d) torch.smm(s,d)
torch.mm(s,torch.ones(2,2)) torch.mm(torch.ones(3,3),s) s.to_sparse(1) s.to_dense(torch.float64) cs.to_dense(torch.float64)
bool(s) float(s) s.item() s.is_shared() s.clone().sparse_resize_((1,1),2,0) s.clone().sparse_resize_((3,4,2),2,1)
torch.sparse.sum(cs) torch.sparse.sum(d) torch.sparse.softmax(cs,1) torch.sparse.spdiags(torch.ones(2,3),torch.tensor([1,1]),(3,3))
torch.sparse.sampled_addmm(cs,torch.ones(2,4),torch.ones(3,3)) torch.sparse_coo_tensor([[0]],[1],(2,),requires_grad=True)
"""
for call in CALLS.split():
    try:
        print(call, eval(call))
    except Exception as e:
        print(call)
        print(f"<<{type(e).__name__}>>")
        print(str(e).split(" This could")[0])
        print("<<end>>")
