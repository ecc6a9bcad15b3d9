"""Rows of text as a table: columns under their headings, with rules of dashes between."""


def table(headings, rows):
    """The table as text; every cell is shown by ``str``."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max([len(heading) + 2, *(len(row[i]) for row in rows)]) for i, heading in enumerate(headings)]

    def line(cells):
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(headings), rule, *map(line, rows)])
