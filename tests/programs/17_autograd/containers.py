"""Tensors that go through lists, dicts and tuples of a script keep where they come from."""
import torch
from typing import List, Dict, Tuple, Optional, NamedTuple
def check(f, *mk):
    x=torch.tensor([1.,2.,3.],requires_grad=True); y=torch.tensor([4.,5.,6.],requires_grad=True)
    try:
        s=torch.jit.script(f)
        r=s(x*2,y*3); r.sum().backward(); print(f.__name__, r.requires_grad, None if x.grad is None else x.grad.tolist(), None if y.grad is None else y.grad.tolist())
    except Exception as e: print(f.__name__,'ERR',type(e).__name__,str(e).split('\n')[0][:150])
def pop(x, y):
    l=[x,y]; return l.pop()*2+l.pop(0)
def popskip(x, y):
    skips: List[torch.Tensor]=[]
    for i in range(3):
        x=x*2; skips.append(x)
    for i in range(3): y=y+skips.pop()
    return y
def index(x,y):
    l=[x,y]; return l[-1]*l[0]
def slice_(x,y):
    l=[x,y,x+y]; return torch.stack(l[1:]).sum()
def rev(x,y):
    l=[x,y]; l.reverse(); return l[0]*2
def reversed_(x,y):
    o=x*0
    for v in [x,y][::-1]: o=o*2+v
    return o
def zipped(x,y):
    o=x*0
    for a,b in zip([x,y],[y,x]): o=o+a*b
    return o
def enum_(x,y):
    o=x*0
    for i,a in enumerate([x,y]): o=o+a*i
    return o
def compr(x,y):
    return torch.stack([v*2 for v in [x,y]]).sum()
def unpack(x,y):
    a,b=[x,y]; return a*b
def copy_(x,y):
    l=[x,y].copy(); return l[0]*l[1]
def listf(x,y):
    l=list([x,y]); return l[0]*l[1]
def ext(x,y):
    l=[x]; l.extend([y]); l+= [x]; l=l+[y]; return l[1]*l[2]+l[3]
def ins(x,y):
    l=[x]; l.insert(0,y); return l[0]*2
def setit(x,y):
    l=[x,y]; l[0]=y*x; return l[0]
def mulr(x,y):
    l=[x,y]*2; return l[3]*l[2]
def rem(x,y):
    l=[x,y]; del l[0]; return l[0]*3
def clr(x,y):
    l=[x,y]; l.clear(); l.append(x); return l[0]
def dget(x,y):
    d={'a':x,'b':y}; return d['a']*d['b']
def dpop(x,y):
    d={'a':x,'b':y}; return d.pop('a')*2
def dget2(x,y):
    d={'a':x,'b':y}; return d.get('a',y)*2
def dgetd(x,y):
    d={'a':x}; return d.get('z',y)*2
def dset(x,y):
    d: Dict[str,torch.Tensor]={}; d['q']=x; d['q']=d['q']*y; return d['q']
def dsetd(x,y):
    d={'a':x}; return d.setdefault('a',y)*3+d.setdefault('b',y)
def dvals(x,y):
    o=x*0
    for v in {'a':x,'b':y}.values(): o=o+v*v
    return o
def ditems(x,y):
    o=x*0
    for k,v in {'a':x,'b':y}.items(): o=o*2+v
    return o
def dpopitem(x,y):
    d={'a':x,'b':y}; k,v=d.popitem(); return v*7
def dupd(x,y):
    d={'a':x}; d.update({'b':y}); return d['b']*d['a']
def dcopy(x,y):
    d={'a':x}.copy(); return d['a']*5
def dlist(x,y):
    d={'a':x,'b':y}; return list(d.values())[1]*2
def dictf(x,y):
    d=dict([('a',x),('b',y)]); return d['b']
def tint(x,y):
    d={1:x}; return d[1]*2
def tup(x,y):
    t=(x,y); return t[0]*t[1]
def tupsl(x,y):
    t=(x,y,x); return t[1:][0]*2
def tupl(x,y):
    l=[(x,y),(y,x)]; a,b=l.pop(); return a*2+b*3
def nest(x,y):
    l=[[x],[y]]; return l.pop().pop()*l[0].pop()
def opt(x,y):
    l: List[Optional[torch.Tensor]]=[x,None,y]
    v=l.pop(); assert v is not None
    return v*2
def optidx(x,y):
    l: List[Optional[torch.Tensor]]=[x,None,y]
    v=l[0]; assert v is not None
    return v*2
def sorted_(x,y):
    l=sorted([x.sum(),y.sum()]); return l[0]*2
def sort_(x,y):
    l=[y.sum(),x.sum()]; l.sort(); return l[0]*2+l[1]
def maxl(x,y):
    return max(x.sum(),y.sum())*2
def minl(x,y):
    return min([x.sum(),y.sum()])*2
def suml(x,y):
    return sum([x,y])
def catl(x,y):
    l: List[torch.Tensor]=[]
    for i in range(2): l.append(x*i); l.append(y)
    return torch.cat(l)
def split_(x,y):
    l=x.split([1,2]); return l[0]*l[1]
def chunk_(x,y):
    l=x.chunk(3); a,b,c=l; return a*b*c
def unb(x,y):
    l=list(x.unbind(0)); return l.pop()*y
def iterx(x,y):
    o=y.sum()*0
    for v in x: o=o*2+v
    return o
def dd(x,y):
    d: Dict[str,List[torch.Tensor]]={'a':[x,y]}; return d['a'].pop()*2
def contains(x,y):
    l=[x,y]; n=len(l); b=l[n-1]; return b*n
def isnt(x,y):
    l: Optional[List[torch.Tensor]]=[x]
    if l is not None: return l[0]*2
    return y
class P(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor
def nt(x,y):
    p=P(x,y); return p.a*p[1]
def anyl(x,y):
    l: List[Tuple[str,torch.Tensor]]=[('a',x)]; l.append(('b',y)); k,v=l[1]; return v*2
def swap(x,y):
    l=[x,y]; l[0],l[1]=l[1],l[0]; return l[0]*2
def pairs(x,y):
    l=[x,y]; return torch.stack([a*b for a,b in zip(l,l[::-1])]).sum()
def remove_(x,y):
    l=[x.sum(),y.sum()]; l.remove(x.sum()); return l[0]
for f in [pop,popskip,index,slice_,rev,reversed_,zipped,enum_,compr,unpack,copy_,listf,ext,ins,setit,mulr,rem,clr,dget,dpop,dget2,dgetd,dset,dsetd,dvals,ditems,dpopitem,dupd,dcopy,dlist,dictf,tint,tup,tupsl,tupl,nest,opt,optidx,sorted_,sort_,maxl,minl,suml,catl,split_,chunk_,unb,iterx,dd,contains,isnt,nt,anyl,swap,pairs,remove_]: check(f)
