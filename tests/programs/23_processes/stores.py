# Stores: in one process, in a file, over TCP, and parts of them; limits of time, queues, other arguments
import datetime
import os
import tempfile

import torch.distributed as dist
from torch.distributed import rendezvous


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>", str(e).split("\n")[0])


def seconds(n):
    return datetime.timedelta(seconds=n)


def see(store):
    print("==", type(store).__name__, isinstance(store, dist.Store), store.timeout, store.has_extended_api())
    store.set_timeout(seconds(0.2))
    for f in (
        lambda: store.set("a", "b"), lambda: store.get("a"), lambda: store.set("a", b"\0x"), lambda: store.get("a"),
        lambda: store.get("zz"), lambda: store.add("n", 2), lambda: store.add("n", -5), lambda: store.get("n"),
        lambda: store.wait(["a", "n"]), lambda: store.wait(["q", "r"], seconds(0.1)), lambda: store.check(["a"]),
        lambda: store.check(["a", "q"]), lambda: store.delete_key("a"), lambda: store.check(["a"]),
        lambda: store.compare_set("c", "", "1"), lambda: store.compare_set("c", "1", "2"),
        lambda: store.compare_set("c", "x", "3"), lambda: store.compare_set("d", "x", "3"), lambda: store.append("e", "1"),
        lambda: store.append("e", "2"), lambda: store.get("e"), lambda: store.multi_set(["m", "k"], ["1", "2"]),
        lambda: store.multi_get(["k", "m"]), lambda: store.multi_get(["m", "mm"]), lambda: store.set(3, 4),
        lambda: store.set("a", 3), lambda: store.get(), lambda: store.barrier("all", 1), lambda: store.set("", ""),
        lambda: store.get(""), lambda: store.timeout, lambda: store.clone().get("m"),
    ):
        attempt(f)


def see_queues(store):
    store.set_timeout(seconds(0.2))
    for f in (
        lambda: store.queue_push("q", "x"), lambda: store.queue_push("q", "y"), lambda: store.queue_len("q"),
        lambda: store.queue_pop("q"), lambda: store.queue_pop("q", False), lambda: store.queue_pop("q", False),
        lambda: store.queue_pop("q"), lambda: store.queue_len("q"), lambda: "q" in store.list_keys(),
    ):
        attempt(f)


folder = tempfile.mkdtemp()
HOST = "127.0.0.1"
served = dist.TCPStore("127.0.0.1", 0, 1, True, seconds(10))
see(dist.HashStore())
see_queues(dist.HashStore())
see(dist.FileStore(os.path.join(folder, "file"), 1))
attempt(lambda: dist.FileStore(os.path.join(folder, "other"), 1).queue_push("q", "x"))
see(served)
see_queues(served)
see(dist.PrefixStore("part", served))
print(served.get("part/m"), sorted(dist.PrefixStore("part", served).list_keys()), served.host, served.port > 0)
print(dist.PrefixStore("a", dist.PrefixStore("b", served)).underlying_store.underlying_store is not None)

# Another process of the job.
child = os.fork()
if child == 0:
    mine = dist.TCPStore("127.0.0.1", served.port, None, False, seconds(10))
    mine.set("from child", "hello")
    mine.wait(["from parent"])
    mine.set("answer", mine.get("from parent") + b"!")
    os._exit(0)
served.set_timeout(seconds(10))
print(served.get("from child"))
served.set("from parent", "well")
print(served.get("answer"))
os.waitpid(child, 0)

attempt(lambda: dist.TCPStore("127.0.0.1", 0, 2, True, seconds(0.3)))
port = served.port
try:
    dist.TCPStore("127.0.0.1", port, 1, True, seconds(0.3))
except dist.DistNetworkError as e:
    print(str(e).replace(str(port), "PORT"))
attempt(lambda: dist.TCPStore("127.0.0.1", 99999, 1, True, seconds(0.3)))
attempt(lambda: dist.TCPStore())
attempt(lambda: dist.PrefixStore("x", 3))
attempt(lambda: dist.HashStore(3))


class Own(dist.Store):
    def __init__(self):
        super().__init__()
        self.known = {}

    def set(self, key, value):
        self.known[key] = value

    def get(self, key):
        return self.known[key]


own = Own()
attempt(lambda: own.add("a", 1))
part = dist.PrefixStore("p", own)
part.set("a", "b")
print(own.known, part.get("a"))

print(next(rendezvous(f"file://{folder}/meeting?rank=0&world_size=1"))[1:])
print(next(rendezvous(f"file://{folder}/again", 0, 1))[1:])
attempt(lambda: next(rendezvous("http://{}:1".format(HOST), 0, 1)))
attempt(lambda: next(rendezvous("tcp://127.0.0.1", 0, 1)))
attempt(lambda: next(rendezvous("tcp://{}:1".format(HOST), 0)))
attempt(lambda: next(rendezvous("file://", 0, 1)))
attempt(lambda: next(rendezvous("env://")))
attempt(lambda: next(rendezvous(3)))
