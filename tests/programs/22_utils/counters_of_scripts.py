# torch.jit._logging: scripts and traces count, and tell the time, while somebody listens
import torch
import torch.jit._logging as counting


@torch.jit.script
def steps(n: int):
    start = counting.time_point()
    for i in range(n):
        counting.add_stat_value("steps", i)
    return counting.time_point() - start


logger, quiet = counting.LockingLogger(), counting.NoopLogger()
first = counting.set_logger(logger)
print(type(first).__name__)
print(steps(5) > 0, logger.get_counter_val("steps"), logger.get_counter_val("nothing"))
logger.set_aggregation_type("steps", counting.AggregationType.AVG)
print(logger.get_counter_val("steps"), counting.AggregationType.AVG)


def counted(x):
    for _ in range(3):
        counting.add_stat_value("calls", 2)
    return x + 1


traced = torch.jit.trace(counted, torch.rand(2), check_trace=False)
before = logger.get_counter_val("calls")
traced(torch.rand(2))
print([n.kind() for n in traced.graph.nodes()].count("prim::AddStatValue"), logger.get_counter_val("calls") - before)
print(counting.set_logger(quiet) is logger)
steps(5)
print(logger.get_counter_val("steps"))
counting.set_logger(first)
