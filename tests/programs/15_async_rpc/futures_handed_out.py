"""What kind of futures programs make, and what others hand out for them."""
import torch

f, g, h = torch.futures.Future(), torch.futures.Future(), torch.futures.Future()
f.set_result(1)
g.set_result(2)
c = torch.futures.collect_all([f, g])
print(type(f), type(c), [type(each) for each in c.wait()], [each.value() for each in c.wait()], torch.futures.wait_all([f, g]))
print([each.done() for each in c.wait()], isinstance(c.wait()[0], torch.futures.Future))
c = torch.futures.collect_all([f, h])
print(c.done())
h.set_result(5)
print(c.done(), c.wait()[1].wait())
c.wait()[1].then(lambda future: print(type(future), future.value()))
c.wait()[1].add_done_callback(lambda future: print(type(future)))
e = torch.futures.Future()
e.set_exception(ValueError("why"))
try:
    torch.futures.collect_all([f, e]).wait()[1].wait()
except ValueError as error:
    print(error)
print(type(torch.jit.fork(lambda x: x, 1)), torch.jit.fork(lambda x: x, 1).wait(), type(f.then(lambda future: 3)))
