# objects that are no weights: dictionaries with defaults, limits of dtypes, random streams
import collections
import copy
import io
import pickle

import torch


def reload(value, **how):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **how)


def err(f):
    try:
        print(f())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(str(e).split("WeightsUnpickler error")[-1])
        print("<<end>>")


err(lambda: reload(collections.defaultdict(list, a=[1])))
err(lambda: reload(collections.defaultdict(list, a=[1]), weights_only=False))
err(lambda: reload({"count": collections.Counter("aab"), "order": collections.OrderedDict(a=1)}))
err(lambda: reload(torch.finfo(torch.float32)))
err(lambda: pickle.dumps(torch.iinfo(torch.int8)))
err(lambda: copy.deepcopy(torch.finfo(torch.float64)))
stream = torch.Generator().manual_seed(5)
torch.rand(2, generator=stream)
again = reload(stream, weights_only=False)
print(again.initial_seed(), torch.equal(again.get_state(), stream.get_state()))
