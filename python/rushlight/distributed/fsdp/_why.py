"""Why nothing is divided."""


def why(name):
    """What calls of ``torch.distributed.fsdp`` say."""
    return f"torch.distributed.fsdp.{name}: parameters divided between processes are not part of Rushlight"
