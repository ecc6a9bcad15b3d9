# torch.distributed.run: processes that find each other by their environment, what they raise, starting again
import os
import tempfile

import torch.distributed.run as launcher
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

WORKER = """
import os, sys
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
t = torch.ones(2) * (dist.get_rank() + 1)
dist.all_reduce(t)
known = [None] * dist.get_world_size()
names = ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "ROLE_RANK", "TORCHELASTIC_RESTART_COUNT")
dist.all_gather_object(known, [os.environ[name] for name in names])
if dist.get_rank() == 0:
    print(t, known, sys.argv[1:], dist.is_torchelastic_launched(), dist.get_node_local_rank(), flush=True)
dist.barrier()
dist.destroy_process_group()
"""
FAILING = """
import os, sys
from torch.distributed.elastic.multiprocessing.errors import record

@record
def main():
    if os.environ["RANK"] == "1" and os.environ["TORCHELASTIC_RESTART_COUNT"] in sys.argv[1:]:
        raise ValueError("something is wrong")

main()
"""

with tempfile.TemporaryDirectory() as folder:
    worker, failing = os.path.join(folder, "worker.py"), os.path.join(folder, "failing.py")
    for path, text in ((worker, WORKER), (failing, FAILING)):
        with open(path, "w") as file:
            file.write(text)
    print(launcher.main(["--nproc-per-node", "2", worker, "some", "--arguments"]))
    print(launcher.main(["--standalone", "--nproc_per_node=1", worker]))
    stderr = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        launcher.main(["--nproc-per-node", "2", failing, "0"])
    except ChildFailedError as e:
        print(type(e).__name__, os.path.basename(e.name), sorted(e.failures)[-1])
        rank, failure = e.get_first_failure()
        print(rank, failure.local_rank, failure.exitcode, "ValueError: something is wrong" in str(e))
        print(str(e).count("FAILED"), "Root Cause (first observed failure):" in str(e))
    print(launcher.main(["--nproc-per-node", "2", "--max-restarts", "1", failing, "0"]))
    os.dup2(stderr, 2)
    for arguments in (["--nproc-per-node", "x", worker], ["--nproc-per-node", "gpu", worker]):
        try:
            launcher.main(arguments)
        except ValueError as e:
            print(e)
