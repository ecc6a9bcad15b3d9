# what names of the Python program mean inside a script
import math
import string
import time

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

K = 3
LIST = [1, 2]
DTYPE = torch.float64

class Thing:
    pass

thing = Thing()

def modules(x: float):
    return math.pi * x, math.sqrt(x), string.digits

print(torch.jit.script(modules)(4.0))

def a_global():
    return K

def a_list():
    return LIST[0]

def a_dtype(x):
    return x.to(DTYPE)

def an_attribute():
    return thing.value

def a_builtin():
    return time.time()

def a_class():
    return Thing

def a_cast():
    return int

def a_function():
    return torch.relu

def missing():
    return torch.no_such_function(1)

def undefined():
    return nothing

for f in (a_global, a_list, a_dtype, an_attribute, a_builtin, a_class, a_cast, a_function, missing, undefined):
    err(torch.jit.script, f)
