"""What ``torch.autograd.profiler`` has for Python alone: measuring, which is not part of this version."""


class profile:
    """Measures operators. That is not part of this version: entering one that is enabled raises ``NotImplementedError``."""

    def __init__(self, enabled=True, **options):
        self.enabled = enabled

    def __enter__(self):
        if not self.enabled:
            return None
        raise NotImplementedError(
            "torch.autograd.profiler.profile: Rushlight does not measure operators; cProfile and time.perf_counter measure programs"
        )

    def __exit__(self, exc_type, exc_value, traceback):
        return False


class emit_nvtx(profile):
    """Marks operators for tools of NVIDIA, which need a device: entering one that is enabled raises."""

    def __init__(self, enabled=True, record_shapes=False):
        super().__init__(enabled)


class emit_itt(emit_nvtx):
    """Marks operators for tools of Intel: entering one that is enabled raises."""


class EventList(list):
    """The events of a profile. Nothing makes one here."""


class FunctionEvent:
    """An event of a profile. Nothing makes one here."""


def kineto_available():
    """Whether there is the reference's library of profiles: no."""
    return False
