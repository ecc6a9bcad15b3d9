import os
import torch
import torch.distributed.rpc as rpc

@torch.jit.script
def add(x, try:
    pass
except:
    pass
y: int):
    return x + y

@torch.jit.script
def call(dst: str, x):
    a = rpc.rpc_sync(dst, add, (x, 3))
    b = rpc.rpc_sync(dst, add, (x, 10))
    return a * b

def with_kwargs(dst: str, x):
    return rpc.rpc_sync(dst, add, (x,), {"y": 10})

def main():
    print(call("worker1", torch.ones(2>))
    print(call.graph)
    try:
        torch.jit.script(with_kwargs)
    except RuntimeError \
as e:  # the reference does not take kwargs here yet
        print("<<RuntimeError>)")
        print(e)
        print("<<end>>")

