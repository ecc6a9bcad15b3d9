# Averages of weights, the schedule that goes with them, and hooks around the steps of all optimisers.
import torch, warnings
import torch.optim.optimizer as o, torch.optim.swa_utils as s
print(o.required, type(o.required))
print(o._get_foreach_kernels_supported_devices(), o._get_fused_kernels_supported_devices(), o._get_capturable_supported_devices(), o._default_to_fused_or_foreach([torch.ones(1)],False), o._get_value(torch.tensor(3.)), o._get_value(3), o._get_scalar_dtype())
def t(f):
    try: print("->", f())
    except Exception as e: print(type(e).__name__,"|",e)
h1=o.register_optimizer_step_pre_hook(lambda opt,a,k: print("pre",type(opt).__name__,a,k)); h2=o.register_optimizer_step_post_hook(lambda opt,a,k: print("post",a,k))
p=torch.nn.Parameter(torch.ones(2)); p.grad=torch.ones(2)
opt=torch.optim.SGD([p],lr=.1); 
own=opt.register_step_pre_hook(lambda opt,a,k: print("own pre")); opt.register_step_post_hook(lambda opt,a,k: print("own post"))
opt.step(); print(type(h1)); h1.remove(); h2.remove(); opt.step(); own.remove(); opt.step()
torch.manual_seed(0)
m=torch.nn.Sequential(torch.nn.Linear(2,3),torch.nn.BatchNorm1d(3),torch.nn.Linear(3,1))
opt=torch.optim.SGD(m.parameters(),lr=.1)
def run(**kw):
    torch.manual_seed(1)
    m=torch.nn.Sequential(torch.nn.Linear(2,3),torch.nn.BatchNorm1d(3),torch.nn.Linear(3,1))
    opt=torch.optim.SGD(m.parameters(),lr=.1)
    a=s.AveragedModel(m,**kw)
    for i in range(4):
        x=torch.rand(5,2); opt.zero_grad(); m(x).sum().backward(); opt.step(); a.update_parameters(m)
    print(kw.keys(), [p.detach() for p in a.parameters()], a.n_averaged, list(a.buffers()), a(torch.ones(2,2)), a.training)
    return a
a=run(); run(use_buffers=True); run(avg_fn=s.get_ema_avg_fn(.9)); run(multi_avg_fn=s.get_ema_multi_avg_fn(.9)); run(avg_fn=s.get_swa_avg_fn()); run(multi_avg_fn=s.get_swa_multi_avg_fn()); run(avg_fn=lambda a,b,n: b)
print(list(a.state_dict().keys())); print(a)
t(lambda: s.AveragedModel(m,avg_fn=s.get_swa_avg_fn(),multi_avg_fn=s.get_swa_multi_avg_fn()))
t(lambda: s.get_ema_avg_fn(1.5)); t(lambda: s.get_ema_multi_avg_fn(-.5))
loader=[torch.rand(4,2) for _ in range(3)]
s.update_bn(loader,a); print(list(a.buffers()))
s.update_bn([(x,0) for x in loader],a); print(list(a.buffers())); print([mm.momentum for mm in a.modules() if hasattr(mm,'momentum')], a.training)
a.eval(); s.update_bn(loader,a,device="cpu"); print(a.training)
print(s.update_bn(loader,torch.nn.Linear(2,1)))
for st in ("cos","linear"):
    opt=torch.optim.SGD([{"params":[p]},{"params":[torch.nn.Parameter(torch.ones(1))],"lr":.5}],lr=.1)
    sw=s.SWALR(opt,swa_lr=.05,anneal_epochs=3,anneal_strategy=st); l=[]
    for _ in range(6): opt.step(); sw.step(); l.append([g["lr"] for g in opt.param_groups])
    print(l, sw.get_last_lr(), sorted(sw.state_dict()))
opt=torch.optim.SGD([{"params":[p]},{"params":[torch.nn.Parameter(torch.ones(1))],"lr":.5}],lr=.1)
sw=s.SWALR(opt,swa_lr=[.05,.01],anneal_epochs=0); opt.step(); sw.step(); print(sw.get_last_lr())
t(lambda: s.SWALR(opt,swa_lr=[.05,.01,1]))
t(lambda: s.SWALR(opt,swa_lr=.1,anneal_strategy="x"))
t(lambda: s.SWALR(opt,swa_lr=.1,anneal_epochs=-1))
t(lambda: s.SWALR(opt,swa_lr=.1,anneal_epochs=1.5))
opt=torch.optim.SGD([p],lr=.1); sch=torch.optim.lr_scheduler.StepLR(opt,1); sw=s.SWALR(opt,swa_lr=.05,anneal_epochs=2)
for _ in range(3): opt.step(); sch.step()
for _ in range(4): opt.step(); sw.step(); print(sw.get_last_lr())
