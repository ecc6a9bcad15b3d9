# What collectives refuse, and the names of torch.distributed, in a group of one
import datetime
import warnings

import torch
import torch.distributed as dist

warnings.simplefilter("ignore")
HOST = "127.0.0.1"


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>", str(e).strip().split("\n")[0])


x = torch.ones(2)
i = torch.ones(2, dtype=torch.int64)
for f in (
    lambda: dist.is_available(), lambda: dist.is_initialized(), lambda: dist.get_rank(), lambda: dist.get_world_size(),
    lambda: dist.get_backend(), lambda: dist.all_reduce(x), lambda: dist.barrier(), lambda: dist.new_group([0]),
    lambda: dist.destroy_process_group(), lambda: dist.send(x, 1), lambda: dist.init_process_group("nope"),
    lambda: dist.init_process_group("mpi", rank=0, world_size=1), lambda: dist.init_process_group("gloo"),
    lambda: dist.init_process_group("ucc", store=dist.HashStore(), rank=0, world_size=1),
    lambda: dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1),
    lambda: dist.init_process_group("gloo", init_method="tcp://{}:1".format(HOST)),
    lambda: dist.init_process_group("gloo", init_method="foo://{}:1".format(HOST), rank=0, world_size=1),
    lambda: dist.init_process_group("gloo", store=dist.HashStore()),
    lambda: dist.init_process_group("gloo", store=dist.HashStore(), world_size=1),
    lambda: dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, init_method="env://"),
    lambda: dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, timeout=3),
    lambda: dist.init_process_group(3), lambda: dist.group.WORLD, lambda: dist.GroupMember.NON_GROUP_MEMBER,
    lambda: dist.get_node_local_rank(), lambda: dist.get_node_local_rank(4), lambda: dist.P2POp(dist.isend, x, 1),
    lambda: dist.get_world_size(dist.GroupMember.NON_GROUP_MEMBER), lambda: dist.get_rank(-100),
    lambda: (dist.is_backend_available("gloo"), dist.is_gloo_available(), dist.is_mpi_available(), dist.is_ucc_available()),
    lambda: (dist.default_pg_timeout, dist.Backend("GLOO"), dist.Backend("zz"), dist.Backend.GLOO, dist.Backend.backend_list),
    lambda: dist.Backend(3), lambda: (repr(dist.ReduceOp.SUM), dist.ReduceOp.MAX, dist.reduce_op.SUM),
    lambda: (dist.ReduceOp(dist.ReduceOp.SUM) == dist.ReduceOp.SUM, dist.ReduceOp.SUM == dist.ReduceOp.MAX),
    lambda: [c.__name__ for c in dist.QueueEmptyError.__mro__], lambda: dist.is_torchelastic_launched(),
    lambda: (dist.get_default_backend_for_device("cpu"), dist.supports_complex(dist.ReduceOp.MAX)),
    lambda: torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2)),
    lambda: torch.utils.data.DistributedSampler([1, 2]),
):
    attempt(f)

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, timeout=datetime.timedelta(seconds=20))
world = dist.group.WORLD
for f in (
    lambda: (world.rank(), world.size(), world.name(), world.group_desc), lambda: dist.get_backend(),
    lambda: dist.get_backend_config(), lambda: dist.is_initialized(), lambda: type(world).__name__,
    lambda: dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1),
    lambda: dist.all_reduce(x), lambda: dist.all_reduce([x]), lambda: dist.all_reduce(3), lambda: dist.all_reduce(x, op=5),
    lambda: dist.all_reduce(x, op="sum"), lambda: dist.all_reduce(x, dist.ReduceOp.BAND),
    lambda: dist.all_reduce(x.to(torch.complex64), dist.ReduceOp.MAX), lambda: dist.all_reduce(x.to(torch.int16)),
    lambda: dist.all_reduce(i, dist.ReduceOp.AVG), lambda: dist.broadcast(x, 1), lambda: dist.broadcast(x, -1),
    lambda: dist.broadcast(x), lambda: dist.broadcast(x, 0, group_src=0), lambda: dist.reduce(x, 5), lambda: dist.reduce(x),
    lambda: dist.all_gather([torch.zeros(3)], x), lambda: dist.all_gather([], x), lambda: dist.all_gather([x, x], x),
    lambda: dist.all_gather(x, x), lambda: dist.all_gather([i], x), lambda: dist.all_gather_into_tensor(torch.zeros(3), x),
    lambda: dist.all_gather_into_tensor(i, x), lambda: dist.gather(x), lambda: dist.gather(x, [torch.zeros(3)], 0),
    lambda: dist.gather(x, [torch.zeros(2)], 1), lambda: dist.gather(x, [i], 0), lambda: dist.scatter(x, None, 0),
    lambda: dist.scatter(x, [torch.zeros(3)], 0), lambda: dist.scatter(x, [x, x], 0), lambda: dist.reduce_scatter(x, []),
    lambda: dist.all_to_all_single(x, torch.ones(2), [1], [2]), lambda: dist.all_to_all_single(x, torch.ones(2), [1, 1], [2]),
    lambda: dist.all_to_all_single(x, i), lambda: dist.send(x, 0), lambda: dist.send(x), lambda: dist.send(3, 1),
    lambda: dist.P2POp("isend", x, 1), lambda: dist.batch_isend_irecv([]), lambda: dist.barrier(),
    lambda: dist.monitored_barrier(), lambda: dist.all_gather_object([], 1), lambda: dist.broadcast_object_list([], 0),
    lambda: dist.broadcast_object_list(5, 0), lambda: dist.broadcast_object_list([1], 3), lambda: dist.gather_object(1),
    lambda: dist.gather_object(1, [None], 3), lambda: dist.scatter_object_list([], [1], 0),
    lambda: dist.scatter_object_list([None], [1, 2], 0), lambda: dist.scatter_object_list([None], None, 0),
    lambda: dist.new_group([1]), lambda: dist.new_group([0, 0]), lambda: dist.new_group([]), lambda: dist.new_group([0, 1]),
    lambda: dist.new_group([0], backend="nccl"), lambda: dist.new_group([0], backend="zz"),
    lambda: (dist.get_process_group_ranks(world), dist.get_global_rank(world, 0), dist.get_group_rank(world, 0)),
    lambda: dist.all_reduce(x, group=dist.GroupMember.NON_GROUP_MEMBER), lambda: dist.all_reduce(x, group=3),
    lambda: dist.get_rank(3), lambda: dist.new_subgroups(2), lambda: dist.new_subgroups_by_enumeration([[0], [0]]),
    lambda: dist.all_reduce_coalesced([x, i]), lambda: dist.split_group(), lambda: dist.destroy_process_group(3),
    lambda: dist.destroy_process_group(), lambda: dist.is_initialized(),
):
    attempt(f)
