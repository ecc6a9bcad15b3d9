"""What a program is told when generated code fails."""

import sys
import traceback


def describe(frame):
    """The lines around the one of generated code that failed."""
    import linecache

    number, file = frame.lineno, frame.filename
    lines = linecache.getlines(file)
    before = "".join(lines[max(number - 2, 0) : number])
    rule = "~" * len(frame.line or "") + "~~~ <--- HERE"
    after = "\n".join(lines[number : number + 2])
    return "\n".join(
        [
            f"Call using an FX-traced Module, line {number} of the traced Module's generated forward function:",
            before, rule, after,
        ]
    )


def innermost_generated(error):
    """The innermost frame of an error's traceback, where it is of generated code; None where it is not."""
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
    top = frames[-1] if frames else None
    return top if top is not None and "eval_with_key" in top.filename else None


class _WrappedCall:
    """Calls a module; where its generated code fails, stderr gets the lines around."""

    def __init__(self, cls, cls_call):
        self.cls = cls
        self.cls_call = cls_call

    @staticmethod
    def _generate_error_message(frame_summary):
        return describe(frame_summary)

    def __call__(self, obj, *args, **kwargs):
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)
        except Exception as error:
            frame = innermost_generated(error)
            if frame is None:
                raise
            print(traceback.format_exc(), file=sys.stderr)
            print(describe(frame), file=sys.stderr)
            raise error.with_traceback(None)
