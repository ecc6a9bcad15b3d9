"""How the gradients of a module that several processes train become the mean of all.

Parameters are put into buckets, the last ones first, for their gradients are ready first. When all gradients of a bucket are
there, it travels while the rest is computed; buckets begin in their order, which is the same everywhere.
"""

import threading

import rushlight as torch

from ...autograd import _engine
from ...distributed._grad_bucket import GradBucket, parts
from ...distributed._reduce_op import RedOpType

_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your "
    "module has parameters that were not used in producing loss. You can enable unused parameter detection by passing the "
    "keyword argument `find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \nmaking sure all "
    "`forward` function outputs participate in calculating loss. \nIf you already have done the above, then the distributed "
    "data parallel module wasn't able to locate the output tensors in the return value of your module's `forward` function. "
    "Please include the loss function and the structure of the return value of `forward` of your module when reporting this "
    "issue (e.g. list, dict, iterable)."
)
_HINT = (
    " In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print out "
    "information about which particular parameters did not receive gradient on this rank as part of this error"
)
_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a module "
    "parameter outside the `forward` function. Please make sure model parameters are not shared across multiple concurrent "
    "forward-backward passes. or try to use _set_static_graph() as a workaround if this module graph does not change during "
    "training loop.2) Reused parameters in multiple reentrant backward passes. For example, if you use multiple `checkpoint` "
    "functions to wrap the same part of your model, it would result in the same set of parameters been used by different "
    "reentrant backward passes multiple times, and hence marking a variable ready multiple times. DDP does not support such use "
    "cases in default. You can try to use _set_static_graph() as a workaround if your module graph does not change over "
    "iterations."
)


def make_buckets(parameters, limits):
    """Numbers of parameters that travel together: one type each, up to so many bytes; the bucket of the last comes first."""
    buckets, waiting, limits_left = [], {}, list(limits)
    for number, parameter in enumerate(parameters):
        bucket, size = waiting.get(parameter.dtype, ([], 0))
        size += parameter.numel() * parameter.element_size()
        waiting[parameter.dtype] = bucket + [number], size
        if size >= limits_left[0]:
            buckets.append(waiting.pop(parameter.dtype)[0])
            if len(limits_left) > 1:
                limits_left.pop(0)
    buckets += [bucket for bucket, _ in waiting.values()]
    return sorted(buckets, reverse=True)


class _Bucket:
    """Some of the parameters, in one run backwards."""

    def __init__(self, index, numbers, parameters):
        self.index, self.numbers = index, numbers
        self.parameters = [parameters[i] for i in numbers]
        self.row, self.left, self.future = None, len(numbers), None

    def reset(self):
        self.left, self.future, self.row = len(self.numbers), None, None


class Reducer:
    """Makes gradients the mean of those of all processes of a group.

    Args:
        parameters: what the module learns.
        group: the processes.
        limits: how many bytes a bucket may have: the first, and all others.
        find_unused: whether parameters may have no part in the results.
        as_views: whether gradients stay in the memory of their bucket.
        static: whether the same parameters take part every time.
    """

    def __init__(self, parameters, group, limits, find_unused, as_views, static):
        self.parameters, self.group = parameters, group
        self.find_unused, self.as_views, self.static = find_unused, as_views, static
        self.divisor = group.size()
        self.buckets = [_Bucket(i, numbers, parameters) for i, numbers in enumerate(make_buckets(parameters, limits))]
        self.place = {number: bucket for bucket in self.buckets for number in bucket.numbers}
        self.hook = None
        # What hooks do: nothing, or mark as ready.
        self.expecting = False
        self.begun, self.finished = False, True
        self.ready, self.used, self.unused = set(), set(), set()
        # With a static graph: how often each parameter becomes ready, once that is known.
        self.counts, self.known = {}, None
        self.next_bucket = 0
        self.iteration = 0
        self.lock = threading.RLock()
        self.handles = [
            parameter.register_post_accumulate_grad_hook(self._hook_of(number)) for number, parameter in enumerate(parameters)
        ]

    def _hook_of(self, number):
        def hook(_):
            with self.lock:
                self._arrived(number)

        return hook

    def detach(self):
        """Takes the hooks away."""
        for handle in self.handles:
            handle.remove()

    def prepare(self, outputs, rank):
        """Begins an iteration, whose results are `outputs`.

        Raises:
            RuntimeError: when gradients of the last one are missing.
        """
        self.check_finished(rank)
        self.expecting, self.begun, self.finished = True, False, False
        self.ready, self.used, self.counts = set(), set(), {}
        self.next_bucket = 0
        self.iteration += 1
        for bucket in self.buckets:
            bucket.reset()
        self.unused = set()
        if self.find_unused and not self.static:
            reached = _engine.reached_nodes(outputs)
            self.unused = {i for i, parameter in enumerate(self.parameters) if _engine.node_of(parameter) not in reached}

    def check_finished(self, rank):
        """Raises an error when some gradients of the last iteration have come and others have not."""
        if not (self.begun and not self.finished):
            return
        missing = [i for i in range(len(self.parameters)) if i not in self.ready]
        text = _UNFINISHED
        if missing:
            text += f"\nParameter indices which did not receive grad for rank {rank}: {' '.join(map(str, missing))}\n{_HINT}"
        raise RuntimeError(text)

    def _arrived(self, number):
        if not self.expecting:
            return
        if not self.begun:
            self.begun = True
            if self.static and self.known is None:
                # Who takes part is seen when the run has ended.
                _engine.queue_callback(self._end_of_first, outermost=True)
            elif self.static:
                self.unused = {i for i in range(len(self.parameters)) if not self.known.get(i)}
            for other in sorted(self.unused - {number}):
                self._mark(other)
        self.used.add(number)
        if self.static:
            self.counts[number] = self.counts.get(number, 0) + 1
            if self.known is None or self.counts[number] < self.known.get(number, 0):
                return
        self._mark(number)

    def _end_of_first(self):
        with self.lock:
            self.known = dict(self.counts)
            for number in range(len(self.parameters)):
                self._mark(number)

    def _mark(self, number):
        if number in self.ready:
            if number in self.unused:
                # It had no part in the results that were looked at, and has one all the same.
                return
            raise RuntimeError(_TWICE)
        self.ready.add(number)
        bucket = self.place[number]
        bucket.left -= 1
        while self.next_bucket < len(self.buckets) and self.buckets[self.next_bucket].left == 0:
            self._launch(self.buckets[self.next_bucket])
            self.next_bucket += 1
        if self.next_bucket == len(self.buckets) and not self.finished:
            self.finished = True
            if _engine.is_running():
                _engine.queue_callback(self._finish, outermost=True)
            else:
                self._finish()

    @torch.no_grad()
    def _launch(self, bucket):
        pieces = []
        for parameter in bucket.parameters:
            grad = parameter.grad
            flat = torch.zeros(parameter.numel(), dtype=parameter.dtype) if grad is None else grad.detach().reshape(-1)
            pieces.append(flat)
        row = torch.cat(pieces)
        if self.hook is None:
            if self.divisor != 1:
                row.mul_(1.0 / self.divisor)
            bucket.row = row
            bucket.future = self.group.allreduce([row], RedOpType.SUM)
            return
        state, hook = self.hook
        last = bucket.index == len(self.buckets) - 1
        bucket.row = GradBucket(bucket.index, row, bucket.parameters, last)
        bucket.future = hook(state, bucket.row)

    @torch.no_grad()
    def shadow(self):
        """Takes part in the buckets of the others, with zeros."""
        for bucket in self.buckets:
            row = torch.zeros(sum(p.numel() for p in bucket.parameters), dtype=bucket.parameters[0].dtype)
            if self.hook is None:
                self.group.allreduce([row], RedOpType.SUM, now=True)
            else:
                state, hook = self.hook
                last = bucket.index == len(self.buckets) - 1
                hook(state, GradBucket(bucket.index, row, bucket.parameters, last)).wait()
        if self.find_unused or self.static:
            self.group.allreduce([torch.zeros(len(self.parameters), dtype=torch.int32)], RedOpType.SUM, now=True)

    @torch.no_grad()
    def _finish(self):
        """Waits for all buckets and puts the gradients where they belong."""
        self.expecting = False
        taken = None
        if self.find_unused or self.static:
            flags = [1 if i in self.used else 0 for i in range(len(self.parameters))]
            taken = torch.tensor(flags, dtype=torch.int32)
            work = self.group.allreduce([taken], RedOpType.SUM)
            work.wait()
            taken = taken.tolist()
        for bucket in self.buckets:
            row = bucket.row
            if self.hook is None:
                bucket.future.wait()
            else:
                found = bucket.future.wait()
                row = found[0] if isinstance(found, (list, tuple)) else found
            for number, parameter, part in zip(bucket.numbers, bucket.parameters, parts(row, bucket.parameters)):
                if taken is not None and not taken[number]:
                    continue
                if parameter.grad is None or self.as_views:
                    parameter.grad = part if self.as_views else part.clone()
                else:
                    parameter.grad.detach().copy_(part)
            bucket.row = bucket.future = None
