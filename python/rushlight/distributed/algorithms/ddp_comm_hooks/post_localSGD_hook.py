"""Gradients that are averaged over all processes at first, and over a group of some later."""

from . import default_hooks


class PostLocalSGDState:
    """What :func:`post_localSGD_hook` goes by.

    Args:
        process_group: the processes of the first steps.
        subgroup: those of later ones.
        start_localSGD_iter: the first of the later steps.
        post_local_gradient_allreduce: whether gradients are averaged in later steps.
    """

    __slots__ = ("process_group", "subgroup", "start_localSGD_iter", "post_local_gradient_allreduce", "iter")

    def __init__(self, process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce=True):
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket):
        """Counts a step with its last gradients."""
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state, bucket):
    """Averages gradients over all processes, and from a step on over some or not at all."""
    early = state.iter < state.start_localSGD_iter
    state.maybe_increase_iter(bucket)
    if early:
        return default_hooks.allreduce_hook(state.process_group, bucket)
    if not state.post_local_gradient_allreduce:
        from ....futures import Future

        done = Future()
        done.set_result(bucket.buffer())
        return done
    if state.subgroup is None:
        raise NotImplementedError("post_localSGD_hook: without a subgroup there are no groups by machine here; give one")
    return default_hooks.allreduce_hook(state.subgroup, bucket)


__all__ = ["PostLocalSGDState", "post_localSGD_hook"]
