"""Measurements in a table."""

import enum
import math

from . import common

_RESET = "\033[0m\033[0m"
_BEST, _GOOD = "\033[92m\033[1m", "\033[34m\033[1m"
_SLOW, _SLOWEST = "\033[2m\033[91m", "\033[31m\033[1m"


class Colorize(enum.Enum):
    """What times are compared with where they have colours."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _coloured(text, time, best):
    ratio = time / best
    for applies, colour in ((ratio <= 1.01, _BEST), (ratio <= 1.1, _GOOD), (ratio >= 5, _SLOWEST), (ratio >= 2, _SLOW)):
        if applies:
            return f"{colour}{text}{_RESET}"
    return text


class _Column:
    """The times under one description, as texts of one width."""

    def __init__(self, header, cells, scale, trims, warns):
        self.cells = cells
        known = [cell for cell in cells if cell is not None]
        digits = min((max(c.significant_figures - math.ceil(math.log10(c.median / scale)), 0) for c in known), default=1) if trims else 1
        numbers = [None if c is None else self._number(c, scale, digits, trims) for c in cells]
        width = max((len(n) for n in numbers if n), default=0)
        notes = [f" (! {c.iqr / c.median * 100:.0f}%)" if warns and c is not None and c.has_warnings else "" for c in cells]
        noted = max(map(len, notes), default=0)
        texts = ["" if n is None else n.rjust(width) + note.ljust(noted) for n, note in zip(numbers, notes)]
        self.width = max(map(len, [header, *texts]))
        self.header = header.center(self.width)
        self.texts = [text.center(self.width) for text in texts]

    @staticmethod
    def _number(cell, scale, digits, trims):
        value = cell.median / scale
        return f"{common.trim_sigfig(value, cell.significant_figures) if trims else value:.{digits}f}"


class _Table:
    """The measurements of one label: a row for each name, a column for each description."""

    def __init__(self, label, results, colorize, trims, warns):
        self.label, self.colorize = label, colorize
        self.warns = warns and any(r.has_warnings for r in results)
        self.unit, scale = common.select_unit(min(r.median for r in results))
        self.rows = common.ordered_unique((r.num_threads, r.env or "", r.as_row_name) for r in results)
        self.rows.sort(key=lambda row: row[:2])
        by_place = {((r.num_threads, r.env or "", r.as_row_name), r.description or ""): r for r in results}
        headers = common.ordered_unique(r.description or "" for r in results)
        self.columns = [_Column(h, [by_place.get((row, h)) for row in self.rows], scale, trims, warns) for h in headers]

    def _names(self):
        """The names of the rows, each behind its environment where that changes."""
        envs = [f"({env})" if env else "" for _, env, _ in self.rows]
        width = max(map(len, envs))
        shown = [env if i == 0 or self.rows[i][:2] != self.rows[i - 1][:2] else "" for i, env in enumerate(envs)]
        names = [f"  {env.ljust(width or 2)}  {row[2]}" for env, row in zip(shown, self.rows)]
        widest = max(map(len, names))
        return [name.ljust(widest) for name in names]

    def _cell(self, column, i):
        cell, text = column.cells[i], column.texts[i]
        if cell is None or self.colorize is Colorize.NONE:
            return text
        if self.colorize is Colorize.ROWWISE:
            others = [c.cells[i] for c in self.columns]
        else:
            others = [c for c, row in zip(column.cells, self.rows) if row[0] == self.rows[i][0]]
        return _coloured(text, cell.median, min(other.median for other in others if other is not None))

    def render(self):
        names = self._names()
        head = "  |  ".join([" " * len(names[0]), *(column.header for column in self.columns)])
        title = f" {self.label or ''} ".center(len(head) - 2, "-")
        lines = [f"[{title}]", head]
        for i, (name, row) in enumerate(zip(names, self.rows)):
            if i == 0 or self.rows[i - 1][0] != row[0]:
                lines.append(f"{row[0]} threads: ".ljust(len(head), "-"))
            lines.append("  |  ".join([name, *(self._cell(column, i) for column in self.columns)]))
        lines += ["", f"Times are in {common.unit_to_english(self.unit)}s ({self.unit})."]
        if self.warns:
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join([*lines, ""])


class Compare:
    """Measurements side by side: a table for each label."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trims = self._warns = False
        self._colorize = Colorize.NONE

    def __str__(self):
        labels = {}
        for result in common.Measurement.merge(self._results):
            labels.setdefault(result.label, []).append(result)
        tables = [_Table(label, results, self._colorize, self._trims, self._warns) for label, results in labels.items()]
        return "\n".join(table.render() for table in tables)

    def extend_results(self, results):
        """Adds measurements."""
        for result in results:
            if not isinstance(result, common.Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """Shows no more figures than can be trusted."""
        self._trims = True

    def colorize(self, rowwise=False):
        """Shows which times are long and short, compared with those of their column or row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self):
        """Says where times spread."""
        self._warns = True

    def print(self):
        """Prints the tables."""
        print(str(self))
