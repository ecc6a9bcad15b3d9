# Batches of nested samples.
import collections
import warnings

import numpy as np
import torch
from torch.utils.data import *
from torch.utils.data._utils import collate as uc


def t(f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            print("->", f())
        except Exception as e:
            print(type(e).__name__, "|", e)
        for x in w:
            print("   warn", x.category.__name__, x.message)


t(lambda: default_collate([None]))
t(lambda: default_collate([object()]))
t(lambda: default_collate([[1,2],[3]]))
t(lambda: default_collate([{"a":1,"b":[1.,2]},{"a":2,"b":[3.,4]}]))
t(lambda: default_collate([torch.ones(2),torch.ones(3)]))
t(lambda: default_collate([]))
P=collections.namedtuple("P","x y")
t(lambda: default_collate([P(1,"a"),P(2,"b")]))
t(lambda: default_collate([np.float32(1),np.float32(2)]))
t(lambda: default_collate([np.ones(2),np.ones(2)]))
t(lambda: default_collate([np.array("a")]))
t(lambda: default_collate([np.array(["a"])]))
t(lambda: default_collate([True,False]))
t(lambda: default_collate(["a","b"]))
t(lambda: default_collate([b"a",b"b"]))
t(lambda: default_collate([1.5,2]))
t(lambda: default_collate([(1,2),(3,4)]))
t(lambda: default_collate([[1,2],[3,4]]))
t(lambda: default_collate([set([1])]))
t(lambda: default_collate([collections.OrderedDict(a=1),collections.OrderedDict(a=2)]))
t(lambda: default_collate([collections.defaultdict(int,a=1)]))
t(lambda: default_collate([range(2),range(2)]))
t(lambda: default_convert([np.ones(2),3,"a",{"q":np.int64(3)},P(np.ones(1),2),(np.ones(1),)]))
t(lambda: default_convert(np.array("a")))
t(lambda: uc.collate([1,2],collate_fn_map={int:lambda b,collate_fn_map=None: sum(b)}))
t(lambda: uc.collate([[1,2.],[3,4.]],collate_fn_map={int:lambda b,collate_fn_map=None: sum(b)}))
