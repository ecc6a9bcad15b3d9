"""``torch.distributed.launch``: the earlier name of :mod:`torch.distributed.run`."""

from .run import get_args_parser, main, parse_args, run  # noqa: F401


def launch(args):
    """As :func:`run`."""
    run(args)


if __name__ == "__main__":
    main()
