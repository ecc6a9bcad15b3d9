"""NumPy beside tensors: operators, functions, indices, conversions."""
import torch, numpy as np, warnings, operator
def show(r):
    if isinstance(r, torch.Tensor): return 'T', str(r.dtype), list(r.shape), [round(v,4) if isinstance(v,float) else v for v in r.detach().flatten().tolist()], r.requires_grad
    if isinstance(r, np.ndarray): return 'A', str(r.dtype), list(r.shape), [show(v) if isinstance(v,torch.Tensor) else v for v in r.flatten().tolist()]
    if isinstance(r, np.generic): return 'G', type(r).__name__, r.item()
    return type(r).__name__, r
def t(n,f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        try: r=show(f())
        except Exception as e: r=('ERR',type(e).__name__,str(e).splitlines()[0][:90])
    print(n, r, [(v.category.__name__, str(v.message)[:40]) for v in w])
x=torch.tensor([1.,2.]); i=torch.tensor([1,2]); b=torch.tensor([True,False]); g=torch.tensor([1.,2.],requires_grad=True); z=torch.tensor(3.); d=x.double(); e=torch.empty(0)
a=np.array([10.,20.]); ai=np.array([3,4]); a32=a.astype(np.float32); ab=np.array([True,False]); a0=np.array(2.); m=np.eye(2,dtype=np.float32)
for on in ['add','truediv','pow','matmul','eq','ne','lt','and_','lshift']:
    o=getattr(operator,on)
    for tn,tt in (('x',x),('i',i),('g',g),('b',b)):
        for sn,s in (('f64',np.float64(2)),('f32',np.float32(2)),('i64',np.int64(2)),('i8',np.int8(2)),('b',np.bool_(True)),('a',a),('ai',ai),('ab',ab),('a0',a0)):
            t(f'{on} {tn} {sn}',lambda:o(tt,s)); t(f'{on} {sn} {tn}',lambda:o(s,tt))
for on in ['iadd','imul','isub','itruediv']:
    o=getattr(operator,on)
    for sn,s in (('f64',np.float64(2)),('a',a),('ai',ai)):
        t(f'{on} x {sn}',lambda:o(x.clone(),s)); t(f'{on} arr {sn}',lambda:o(a.copy(),x)); t(f'{on} i {sn}',lambda:o(i.clone(),s))
for f in ['exp','sin','sqrt','abs','negative','add','multiply','isnan','asarray','array','ones_like','stack','concatenate','dot','argmax','sort','transpose','reshape','squeeze','where','clip','maximum','matmul','float32','int64','isscalar','ndim','shape','allclose','array_equal','round','linalg.norm','cumsum','copy','log','power','square','expand_dims','repeat','tile','unique','nonzero','outer','vstack','bool_','asanyarray','ascontiguousarray','isfinite']:
    fn=np
    for p in f.split('.'): fn=getattr(fn,p)
    two={'add','multiply','dot','maximum','matmul','allclose','array_equal','power','outer'}
    for tn,tt in (('x',x),('i',i),('g',g),('z',z),('b',b)):
        if f in two: t(f'np.{f} {tn}',lambda:fn(tt,a)); t(f'np.{f} a {tn}',lambda:fn(a,tt)); t(f'np.{f} {tn}{tn}',lambda:fn(tt,tt))
        elif f in ('stack','concatenate','vstack'): t(f'np.{f} {tn}',lambda:fn([tt,tt]))
        elif f=='reshape': t(f'np.{f} {tn}',lambda:fn(tt,(-1,1)))
        elif f=='clip': t(f'np.{f} {tn}',lambda:fn(tt,1,1.5))
        elif f=='where': t(f'np.{f} {tn}',lambda:fn(tt>1,tt,a))
        elif f in ('expand_dims','repeat','tile'): t(f'np.{f} {tn}',lambda:fn(tt,2 if f!='expand_dims' else 0))
        else: t(f'np.{f} {tn}',lambda:fn(tt))
M=torch.arange(6.).reshape(2,3)
for n,k in {'npint':np.int64(1),'npbool':np.bool_(True),'npboolF':np.bool_(False),'arr':np.array([0,1]),'arrb':np.array([True,False]),'arr2':np.array([[0,1],[1,0]]),'arr0':np.array(1),'tup':(np.array([0,1]),np.array([1,2])),'tup2':(np.int64(0),np.int32(1)),'sl':slice(np.int64(0),np.int64(1)),'i32':np.array([0,1],dtype=np.int32),'flt':np.array([0.,1.]),'npf':np.float64(1.),'list':[np.int64(0),np.int64(1)],'mask2':np.ones((2,3),dtype=bool),'ell':(Ellipsis,np.array([0,2])),'none':(None,np.array([0,1])),'i8':np.array([0,1],dtype=np.int8), 'str':np.array(['a']),'empty':np.array([],dtype=np.int64),'emptyf':np.array([]), 'obj':np.array([0,1],dtype=object),'neg':np.array([-1]),'oob':np.array([5])}.items():
    t('idx '+n,lambda:M[k])
    def si():
        q=M.clone(); q[k]=9.; return q
    t('set '+n,si)
    def si2():
        q=M.clone(); q[k]=np.float32(7); return q
    t('setnp '+n,si2)
for n,v in {'arr':np.array([7.,8.,9.]),'f64':np.float64(3),'i64':np.int64(3),'bool':np.bool_(True),'arr0':np.array(4.),'bad':np.array([1.,2.]),'int':np.array([1,2,3])}.items():
    def sv():
        q=M.clone(); q[0]=v; return q
    t('setval '+n,sv)
t('reversed',lambda:list(map(lambda v:v.tolist(),reversed(M)))); t('reversed0',lambda:reversed(z)); t('rev type',lambda:reversed(M)); t('rev1',lambda:reversed(x))
t('a[idx t]',lambda:a[i-1]); t('a[bt]',lambda:a[b]); t('a[z]',lambda:a[torch.tensor(1)]); t('list[t]',lambda:[1,2][torch.tensor(1)]); t('range',lambda:list(range(torch.tensor(3))))
t('prio',lambda:torch.Tensor.__array_priority__); t('wrap',lambda:x.__array_wrap__(np.array([1.,2.]))); t('wrapb',lambda:x.__array_wrap__(np.array([True,False]))); t('array',lambda:x.__array__()); t('arraydt',lambda:x.__array__(np.float64)); t('hasufunc',lambda:hasattr(x,'__array_ufunc__')); t('hasiface',lambda:hasattr(x,'__array_interface__')); t('hasfn',lambda:hasattr(x,'__array_function__'))
t('arr g',lambda:np.asarray(g)); t('arr half',lambda:np.asarray(x.half())); t('arr bf',lambda:np.asarray(x.bfloat16())); t('arr dtype',lambda:np.asarray(x,dtype=np.int32)); t('np shares',lambda:(lambda q:(np.asarray(q).__setitem__(0,9.),q)[1])(x.clone())); t('np copy',lambda:(lambda q:(np.array(q).__setitem__(0,9.),q)[1])(x.clone()))
t('contains',lambda:np.float32(1) in x); t('contains2',lambda:1. in x); t('contains arr', lambda: a in x); t('ufunc out',lambda:np.add(a,x,out=a.copy())); t('reduce',lambda:np.add.reduce(x)); t('outer u',lambda:np.multiply.outer(x,x)); t('at',lambda:np.frompyfunc(lambda v:v*2,1,1)(x))
t('np.add out t',lambda:np.add(x.numpy(),1,out=x.clone().numpy())); t('float',lambda:np.float64(z)); t('int',lambda:np.int64(torch.tensor(3))); t('arrlist',lambda:np.array([z,z])); t('arrlist2',lambda:np.array([x,x])); t('tensor of np',lambda:torch.tensor([np.float32(1),np.float64(2)])); t('tensor np64',lambda:torch.tensor(np.float64(2))); t('as_tensor',lambda:torch.as_tensor(a)); t('tensor npb',lambda:torch.tensor(np.bool_(True))); t('tensor npi8',lambda:torch.tensor(np.int8(3))); t('full np',lambda:torch.full((2,),np.float64(2))); t('add alpha np',lambda:torch.add(x,x,alpha=np.float64(2))); t('clamp np',lambda:x.clamp(np.float64(1.5))); t('pow np',lambda:torch.pow(x,np.int64(2))); t('zeros np',lambda:torch.zeros(np.int64(2))); t('reshape np',lambda:M.reshape(np.int64(3),-1)); t('sum np dim',lambda:M.sum(np.int64(0))); t('zeros t',lambda:torch.zeros((np.int32(1),2))); t('where np',lambda:torch.where(b,x,np.float64(0))); t('mul arr',lambda:torch.mul(x,a)); t('add np32',lambda:torch.add(x,np.float32(1)));t('eq fn',lambda:torch.eq(x,a)); t('x.eq',lambda:x.eq(a)); t('x.add',lambda:x.add(np.float64(2)));t('fill',lambda:x.clone().fill_(np.float64(2))); t('item',lambda: x.sum()*np.pi)
