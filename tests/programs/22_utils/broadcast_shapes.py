# The shape that several shapes broadcast to.
import torch
def t(*a):
    try: print(torch.broadcast_shapes(*a))
    except Exception as e: print(type(e).__name__, e)
t(); t((2,)); t(3); t((2,1),(1,3),(2,3)); t((2,),(3,)); t((2,),(1,),(3,)); t([2],4,()); t(2,1); t((2,1),(-1,)); t(1.5)
