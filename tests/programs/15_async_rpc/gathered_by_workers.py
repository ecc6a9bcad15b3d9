"""What workers bring to a gathering, and waiting for one another."""
import os
import tempfile

import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing as multiprocessing


def worker(rank, folder):
    options = rpc.TensorPipeRpcBackendOptions(init_method=f"file://{folder}/meeting", num_worker_threads=4)
    rpc.init_rpc(f"w{rank}", rank=rank, world_size=2, rpc_backend_options=options)
    first = rpc.api._all_gather(rank * 10)
    second = rpc.api._all_gather(torch.ones(rank + 1))
    rpc.api._barrier(["w0", "w1"])
    if rank == 0:
        print(sorted(first.items()), sorted((name, value.tolist()) for name, value in second.items()), flush=True)
    rpc.shutdown()


if __name__ == "__main__":
    print(rpc.api.UNSET_RPC_TIMEOUT, rpc.constants.DEFAULT_RPC_TIMEOUT_SEC, rpc.constants.DEFAULT_INIT_METHOD, rpc.constants.DEFAULT_NUM_WORKER_THREADS)
    try:
        rpc.api._barrier(["w0"])
    except RuntimeError as error:
        print(error)
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(worker, (folder,), nprocs=2)
