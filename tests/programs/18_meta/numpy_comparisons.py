"""Comparisons and operators in place between tensors and what no tensor operator takes."""
import torch, numpy as np, warnings
x=torch.tensor([1.,2.]); g=x.clone().requires_grad_()
def t(n,f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        try: r=f(); r=(type(r).__name__, r)
        except Exception as e: r=('ERR',type(e).__name__,str(e).splitlines()[0][:90])
    print(n, r, [(v.category.__name__, str(v.message)[:40]) for v in w])
t('str',lambda:x==np.array(['a','b'])); t('shape',lambda:x==np.ones(3)); t('list',lambda:x==[1.,2.]); t('none',lambda:x==None); t('ne none',lambda:x!=None); t('obj',lambda:x==np.array([1.,2.],dtype=object)); t('ne',lambda:x!=np.array([1.,3.])); t('g',lambda:g==np.array([1.,3.])); t('neg stride',lambda: x==np.array([1.,2.])[::-1]); t('str scalar', lambda: x=='a'); t('tuple',lambda: x==(1.,2.)); t('dt', lambda: x==np.array(['2020-01-01'],dtype='datetime64[D]')); t('c',lambda: x==np.array([1j,2])); t('npstr',lambda: x==np.str_('a'))
t('lt',lambda:x<np.array([1.,3.])); t('__eq__',lambda:x.__eq__(np.array([1.,3.]))); t('__lt__',lambda:x.__lt__(np.array([1.,3.]))); t('__add__',lambda:x.__add__(np.array([1.,3.]))); t('__iadd__',lambda:x.__iadd__(np.array([1.,3.]))); t('__rtruediv__',lambda:x.__rtruediv__(np.array([1.,3.]))); t('__rpow__',lambda:x.__rpow__(np.array([1.,3.]))); t('__rsub__',lambda:x.__rsub__(np.array([1.,3.]))); t('__eq__ list',lambda:x.__eq__([1.,2.])); t('iadd str',lambda: x.__iadd__('a'))
def ia(o):
    y=x.clone()
    y+=o
    return y
t('iadd list',lambda:ia([1.,2.])); t('iadd str',lambda:ia('a')); t('iadd none',lambda:ia(None))
def ip(o):
    y=x.clone(); y**=o; return y
t('ipow',lambda:ip(np.float64(2))); t('ipow a',lambda:ip(np.array([1.,2.])))
def ifd(o):
    y=x.clone(); y//=o; return y
t('ifd',lambda:ifd(np.float64(2))); t('ifd a',lambda:ifd(np.array([1.,2.])))
def iand(o):
    y=(x>1).clone(); y&=o; return y
t('iand',lambda:iand(np.bool_(True))); t('iand a',lambda:iand(np.array([True,True]))); t('iand i',lambda:iand(np.int64(1)))
def ish(o):
    y=x.long().clone(); y<<=o; return y
t('ish',lambda:ish(np.int64(1))); 
def imod(o):
    y=x.clone(); y%=o; return y
t('imod',lambda:imod(np.float32(2))); t('imod a',lambda:imod(np.array([2.,2.]))); t('imod s',lambda:imod('a'))
def imm(o):
    y=torch.eye(2); y@=o; return y
t('imatmul',lambda:imm(np.eye(2,dtype=np.float32))); t('imatmul t',lambda:imm(torch.eye(2)))
