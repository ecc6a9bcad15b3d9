"""Numbers in traces stay numbers: dtypes of results before and after saving, freezing and copying."""
import io
import torch
c = torch.tensor(2.5, dtype=torch.float64)
c1 = torch.tensor([2.5], dtype=torch.float64)
def sl(t):
    b=io.BytesIO(); torch.jit.save(t,b); b.seek(0); return torch.jit.load(b)
y=torch.ones(3,2)
for name,f in {'cap mul':lambda y: y.sum()*c,'cap add':lambda y: y.sum()+c,'cap sub':lambda y: y.sum()-c,'cap div':lambda y: y.sum()/c,'cap pow': lambda y: y.sum()**c,'cap mul_':lambda y: y.sum().mul(c).clone(),
  'cap rmul': lambda y: c*y.sum(), 'c1': lambda y:y*c1, 'floordiv': lambda y: y.sum()//c, 'mod': lambda y: y.sum()%c, 'max': lambda y: torch.maximum(y.sum(), c), 'addalpha': lambda y: torch.add(y.sum(), c, alpha=2), 'divmode': lambda y: torch.div(y.sum(), c, rounding_mode='floor'),
  'mul_': lambda y: y.sum().to(torch.float64).mul_(c), 'lit pow': lambda y: y.sum()**2.5, 'lit rpow': lambda y: 2.5**y.sum(), 'lit rsub': lambda y: 2.5-y.sum(), 'lit fdiv':lambda y: y.sum()//2.5,  'lit rfdiv':lambda y: 2.5//y.sum(), 'lit rmod':lambda y: 5.5%y.sum(), 'lit mod':lambda y: y.sum()%2.5, 'lit where': lambda y: torch.where(y.sum()>1, y.sum(), 0.0), 'lit where1': lambda y: torch.where(y.sum()>1, 2.0, y.sum()), 'lit where0': lambda y: torch.where(y.sum()>1, 1.0, 0.0),
  'lit max': lambda y: torch.fmod(y.sum(), 2.5), 'int lit on f16': lambda y: y.half().sum()*3, 'lit on bool': lambda y: (y.sum()>1)*3, 'lit on bool2': lambda y: (y.sum()>1)+0.5,'lit on int': lambda y: y.to(torch.int8).amax()*3, 'xlogy': lambda y: torch.xlogy(y.sum(), 2.5), 'rxlogy': lambda y: torch.xlogy(2.5, y.sum()), 'true_divide': lambda y: y.sum().true_divide(2.5), 'atan2': lambda y: torch.atan2(y.sum(), y.amax()*0.5), 'lerp': lambda y: torch.lerp(y.sum(), y.amax(), 0.5), 'addcmul': lambda y: torch.addcmul(y.sum(), y.amax(), y.amax(), value=0.5), 'copysign': lambda y: torch.copysign(y.sum(), -2.5), 'bitand': lambda y: y.to(torch.int8).amax() & 3, 'shift': lambda y: y.to(torch.int8).amax() << 3, 'rshift2': lambda y: 1 << y.to(torch.int8).amax(), 'mfill': lambda y: y.sum().masked_fill(y.sum()>0, 0.5), 'full': lambda y: torch.full_like(y, 2.5), 'setitem': lambda y: (y.__setitem__(0, 2.5), y.clone())[1], 'setitem2': lambda y: (y.__setitem__(y>0, 2.5), y.clone())[1],'eq': lambda y: y.sum()==6, 'sqrt': lambda y: (y.sum()*2)**0.5, 'neg': lambda y: -y.sum()+1, 'heaviside': lambda y: torch.maximum(y.sum()*2, y.amax()), 'sub alpha': lambda y: torch.sub(y.sum(), 1.5, alpha=2), 'rsub fn': lambda y: torch.rsub(y.sum(), 1.5),'div mode': lambda y: torch.div(y.sum(), 2.5, rounding_mode='floor'), 'rem': lambda y: torch.remainder(5, y.sum()), 'float_power': lambda y: torch.float_power(y.sum(), 2), 'threshold': lambda y: torch.threshold(y.sum(), 0.5, 0.5), 'clip': lambda y: y.sum().clip(max=2), 'xor': lambda y: (y.to(torch.int8).amax() ^ 1)}.items():
    try:
        t=torch.jit.trace(f,y.clone()); l=sl(t)
        print(name, f(y.clone()).dtype, t(y.clone()).dtype, l(y.clone()).dtype)
    except Exception as e: print(name,'ERR',str(e)[:200].replace('\n','|'))
class M(torch.nn.Module):
    def __init__(s): super().__init__(); s.register_buffer('b', torch.tensor(2.5,dtype=torch.float64))
    def forward(s,x): return x.sum()*s.b, s.b*x.sum(), x.sum()+s.b
s=torch.jit.script(M().eval()); print([v.dtype for v in s(y)]); fz=torch.jit.freeze(s); print([v.dtype for v in fz(y)], [v.dtype for v in fz(y)])
tr=torch.jit.trace(M().eval(), y); print([v.dtype for v in tr(y)]); fz=torch.jit.freeze(tr); print([v.dtype for v in fz(y)], [v.dtype for v in fz(y)])
class L(torch.nn.Module):
    def forward(s,x): return x.sum()*2.5, 2.5*x.sum(), x.sum()+2.5, torch.mul(2.5, x.sum())
tr=torch.jit.trace(L().eval(), y); print([v.dtype for v in tr(y)]); fz=torch.jit.freeze(tr); print([v.dtype for v in fz(y)], [v.dtype for v in fz(y)]);l=sl(fz); print([v.dtype for v in l(y)], [v.dtype for v in l(y)]); l=torch.jit.freeze(sl(tr)); print([v.dtype for v in l(y)], [v.dtype for v in l(y)])
import copy
l=copy.deepcopy(tr); print('copied',[v.dtype for v in l(y)], [v.dtype for v in l(y)])
with torch.no_grad():
    l=sl(tr); print('nograd',[v.dtype for v in l(y)], [v.dtype for v in l(y)])

cases = {
 'sum*2.5': (lambda y: y.sum()*2.5, torch.ones(3,2)),
 '0.5*mean': (lambda y: 0.5*y.mean(), torch.ones(3,2)),
 '1/size': (lambda y: y.sum()*(1.0/y.size(0)), torch.ones(3,2)),
 'size*sum': (lambda y: y.sum()*y.size(0), torch.ones(3,2)),
 'sum/size': (lambda y: y.sum()/y.size(0), torch.ones(3,2)),
 'int*0.5': (lambda y: y*0.5, torch.ones(3,2,dtype=torch.int64)),
 'int0*0.5': (lambda y: y.sum()*0.5, torch.ones(3,2,dtype=torch.int32)),
 '2**x': (lambda y: 2**y.sum(), torch.ones(3,2)),
 'x**2': (lambda y: y.sum()**2, torch.ones(3,2)),
 'cmp': (lambda y: y.sum()>2.5, torch.ones(3,2)),
 'where': (lambda y: torch.where(y.sum()>1, y.sum(), 0.0), torch.ones(3,2)),
 'where2': (lambda y: torch.where(y.sum()>1, 1, 0.0), torch.ones(3,2)),
 'clamp': (lambda y: y.sum().clamp(0.5), torch.ones(3,2)),
 'half': (lambda y: y.sum()*2.5, torch.ones(3,2,dtype=torch.half)),
 'halfint': (lambda y: y.sum()*y.size(0)+1, torch.ones(3,2,dtype=torch.half)),
 'i8': (lambda y: y[0,0]*300, torch.ones(3,2,dtype=torch.int8)),
 'rsub': (lambda y: 1 - y.sum(), torch.ones(3,2)),
 'rdiv': (lambda y: 1 / y.sum(), torch.ones(3,2)),
 'fdiv': (lambda y: y.sum()//2, torch.ones(3,2)),
 'mod': (lambda y: y.sum()%2, torch.ones(3,2)),
 'cplx': (lambda y: y.sum()*1j, torch.ones(3,2)),
 'inplace': (lambda y: y.sum().mul_(2.5), torch.ones(3,2)),
 'iadd': (lambda y: y.sum().add_(2.5), torch.ones(3,2)),
 'add alpha': (lambda y: torch.add(y.sum(), 2.5, alpha=2), torch.ones(3,2)),
 'max': (lambda y: torch.add(2.5, y.sum()), torch.ones(3,2)),
 'mulmul': (lambda y: torch.mul(2.5, y.sum()) , torch.ones(3,2)),
 'shape prod': (lambda y: y.sum()*(y.shape[0]*y.shape[1]), torch.ones(3,2)),
 'shape float': (lambda y: y.sum()*(y.shape[0]*0.5), torch.ones(3,2)),
 'shape**': (lambda y: y.sum()*(y.shape[0]**-0.5), torch.ones(3,2)),
 'item tensor': (lambda y: y.sum()*torch.tensor(2.5,dtype=torch.float64), torch.ones(3,2)),
 'numel': (lambda y: y.sum()/y.numel(), torch.ones(3,2)),
 'size out': (lambda y: torch.zeros(())+y.size(0)*0.5, torch.ones(3,2)),
 'isize': (lambda y: y.sum()*y.size(0), torch.ones(3,2,dtype=torch.int32)),
 'ret size': (lambda y: y.size(0)*2, torch.ones(3,2,dtype=torch.int32)),
 'ret size1': (lambda y: y.size(0)*2.5, torch.ones(3,2,dtype=torch.int32)),
 'ret size2': (lambda y: y.size(0)/2, torch.ones(3,2,dtype=torch.int32)),
}

for n,(f,v) in cases.items():
    t=torch.jit.trace(f,v.clone()); r=t(v.clone()); print(n, r.dtype, r.tolist(), sl(t)(v.clone()).dtype)
for n,f in {'n1':lambda y: y.to(torch.int8).amax()*y.size(0), 'n2': lambda y: y.size(0)*y.to(torch.int8).amax(), 'n3': lambda y: y.to(torch.int8)*y.size(0), 'n4': lambda y: y.half().amax()*(y.size(0)*0.5), 'n5': lambda y: y.half().amax()+(y.size(0)/2), 'n6': lambda y: torch.where(y.sum()>1, y.half().amax(), y.size(0)*2.0), 'n7': lambda y: y.half().amax()**y.size(0), 'n8': lambda y: y.half().amax()/(y.size(0)**0.5), 'n9': lambda y: (y.to(torch.int8)>y.size(0))*y.size(0),'n10': lambda y: y.size(0)%2+y.amax().half(), 'n11': lambda y: -y.size(0)+y.amax().to(torch.int8),'n12': lambda y: y.to(torch.int8).amax()*int(y.size(0)), 'n13': lambda y: y.half().amax()*float(y.size(0)), 'n14': lambda y: 1.0/y.size(0)*y.half().amax(), 'n15': lambda y: y.half().amax().add_(y.size(0)), 'n16': lambda y: y.half().amax()/y.numel(), 'n17': lambda y: y.half().amax()*len(y), 'n18': lambda y: y.half().amax()*(y.size(0)//2),'n19': lambda y: y.half().amax()*(y.size(0)-1)*(y.size(1)+1.5)}.items():
    try:
        t=torch.jit.trace(f,y.clone()); l=sl(t)
        print(n, f(y.clone()).dtype, t(y.clone()).dtype, l(y.clone()).dtype)
    except Exception as e: print(n,'ERR',str(e)[:200].replace('\n','|'))
print(torch.jit.trace(lambda y: y.sum()*2.5-1, y).graph)
