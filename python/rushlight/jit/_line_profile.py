"""How often the lines of scripts call operators, and for how long: ``torch.jit._ScriptProfile``."""

import linecache
import re

from .. import _rushlight, _source
from ..autograd import _measuring

_FRAME = re.compile(r"(.*)\((\d+)\): (.*)")
# What stands over the numbers.
_HEAD = "  Line #    Hits   Time (ns) Line Contents"


class _Measure:
    """The one measurement that all profiles which are on share."""

    def __init__(self):
        self.profiles, self.running = [], None

    def change(self, change):
        """Hands what was measured to the profiles that are on, changes which are, and goes on."""
        if self.running is not None:
            self.running.stop()
            _rushlight.register("profile_stack", _measuring._program_stack)
            for place, time in _lines(self.running.events()):
                for profile in self.profiles:
                    hits, total = profile._lines.get(place, (0, 0))
                    profile._lines[place] = hits + 1, total + time
            self.running = None
        change(self.profiles)
        if self.profiles:
            # Only the frames of scripts are asked for.
            _rushlight.register("profile_stack", list)
            self.running = _rushlight.Profile(False, False, True)
            self.running.start()


_measure = _Measure()


def _lines(events):
    """The line of each call of an operator in a script, as (file, function, line), with its time; calls inside operators aside."""
    for event in events:
        name, _, parent, start, end, *_, stack = event
        if not stack or (parent is not None and events[parent][0].startswith("aten::")):
            continue
        found = _FRAME.fullmatch(stack[0])
        if found:
            yield (found[1], found[3], int(found[2])), end - start


def _definition(file, function, line):
    """(first line, lines) of the definition of a function around a line; the line alone where there is no text."""
    path = _source._LIBRARY + file.removeprefix("torch/nn/") if file.startswith("torch/nn/") else file
    lines = linecache.getlines(path)
    at = min(line, len(lines)) - 1
    start = re.compile(rf"\s*def {re.escape(function)}\b")
    while at >= 0 and not start.match(lines[at]):
        at -= 1
    if at < 0:
        return line, [linecache.getline(path, line)]
    while at > 0 and lines[at - 1].lstrip().startswith("@"):
        at -= 1
    return at + 1, _source._block(lines, at)


class _ScriptProfile:
    """Measures, while it is on, how often the lines of scripts call operators, and for how long."""

    def __init__(self):
        self._lines = {}

    def enable(self):
        """Measures from here on."""
        if self not in _measure.profiles:
            _measure.change(lambda profiles: profiles.append(self))

    def disable(self):
        """Measures no more."""
        if self in _measure.profiles:
            _measure.change(lambda profiles: profiles.remove(self))

    def dump_string(self):
        """The definitions in which operators were called, with numbers beside their lines."""
        sections = {}
        for file, function, line in sorted(self._lines):
            first, text = _definition(file, function, line)
            _, numbers = sections.setdefault((file, first), (text, {}))
            hits, time = numbers.get(line, (0, 0))
            more_hits, more_time = self._lines[file, function, line]
            numbers[line] = hits + more_hits, time + more_time
        return "\n\n".join(_section(first, text, numbers) for (_, first), (text, numbers) in sorted(sections.items()))

    def dump(self):
        """Prints :meth:`dump_string`."""
        print(self.dump_string())


_ScriptProfile.__module__ = "torch.jit._script"


def _section(first, text, numbers):
    indent = min((len(line) - len(line.lstrip()) for line in text if line.strip()), default=0)
    rows = [_HEAD, "=" * len(_HEAD)]
    for number, line in enumerate(text, first):
        hits, time = numbers.get(number, ("", ""))
        rows.append(f"{number:>8} {hits:>7} {time:>11} {line[indent:].rstrip()}".rstrip())
    return "\n".join(rows)
