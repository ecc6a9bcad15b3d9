"""Checks of texts, graphs for the most part: what comes where."""


class FileCheck:
    """Collects checks; :meth:`run` makes them on a text or on what a graph prints.

    Every check goes on where the one before it ended. ``check_not`` looks between its neighbours, a run of ``check_dag``
    may match in any order.
    """

    def __init__(self):
        self._checks = []

    def _add(self, kind, text, *rest):
        self._checks.append((kind, f"{text}", *rest))
        return self

    def check(self, text):
        """The text comes next, anywhere behind."""
        return self._add("CHECK", text)

    def check_not(self, text):
        """The text does not come before what the next check finds."""
        return self._add("CHECK-NOT", text)

    def check_same(self, text):
        """The text comes behind, in the same line."""
        return self._add("CHECK-SAME", text)

    def check_next(self, text):
        """The text comes in the next line."""
        return self._add("CHECK-NEXT", text)

    def check_count(self, str, count, exactly=False):
        """The text comes this many times; with ``exactly`` never again behind."""
        return self._add("CHECK-COUNT", str, count, exactly)

    def check_dag(self, text):
        """The text comes behind, in any order with the ``check_dag`` around this one."""
        return self._add("CHECK-DAG", text)

    def check_source_highlighted(self, text):
        """The text comes behind with all of it underlined in the line below."""
        return self._add("CHECK-SOURCE-HIGHLIGHTED", text)

    def check_regex(self, pattern):
        """The pattern matches behind."""
        return self._add("CHECK-REGEX", pattern)

    def run(self, text=None, test_file=None, *, checks_file=None, graph=None):
        """Makes the checks. With a second argument the first holds them, in lines like ``# CHECK: text``."""
        read = graph if test_file is None else test_file
        if read is not None:
            checks = FileCheck()
            checks._checks = _read(str(text if checks_file is None else checks_file))
            return checks.run(read)
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
        _Reader(str(text), self._checks).run()

    def __repr__(self):
        return "\n".join(f"{check[0]}: {check[1]}" for check in self._checks)


def _read(text):
    """Checks from the comments of a text."""
    import re

    found = []
    for line in text.splitlines():
        match = re.match(r"\s*#?\s*(CHECK(?:-NOT|-SAME|-NEXT|-DAG|-REGEX|-SOURCE-HIGHLIGHTED|-COUNT(?:-EXACTLY)?-\d+)?):\s*(.*)", line)
        if not match:
            if re.match(r"\s*#\s*CHECK", line):
                raise RuntimeError(f"Could not parse check at:\n{line}\nCheck for bad input.")
            continue
        kind, wanted = match.group(1), match.group(2).strip()
        count = re.match(r"CHECK-COUNT(-EXACTLY)?-(\d+)", kind)
        if count:
            found.append(("CHECK-COUNT", wanted, int(count.group(2)), bool(count.group(1))))
        else:
            found.append((kind, wanted))
    if not found:
        raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
    return found


class _Reader:
    def __init__(self, text, checks):
        self.text = text
        self.checks = []
        for check in checks:
            self.checks.append(check)
            # No more of them up to what is checked next.
            if check[0] == "CHECK-COUNT" and check[3]:
                self.checks.append(("CHECK-NOT", check[1]))
        self.at = 0

    def run(self):
        i = 0
        while i < len(self.checks):
            # Prohibitions hold up to where the next real check finds its text.
            j = i
            while j < len(self.checks) and self.checks[j][0] == "CHECK-NOT":
                j += 1
            start, found = self.at, len(self.text)
            end = j
            if j < len(self.checks):
                if self.checks[j][0] == "CHECK-DAG":
                    while end < len(self.checks) and self.checks[end][0] == "CHECK-DAG":
                        end += 1
                    found = self.dag(self.checks[j:end])
                else:
                    end = j + 1
                    found = self.one(self.checks[j])
            for check in self.checks[i:j]:
                place = self.text.find(check[1], start, found)
                if place >= 0:
                    self.unwanted("CHECK-NOT", check[1], check[1], place)
            i = end

    def one(self, check):
        """Makes a check; the place where its text begins."""
        kind, wanted = check[0], check[1]
        if kind == "CHECK-COUNT":
            return self.count(wanted, check[2])
        if kind == "CHECK-REGEX":
            import re

            match = re.compile(wanted).search(self.text, self.at)
            if not match:
                self.missing(kind, wanted)
            self.at = match.end()
            return match.start()
        start, stop = self.at, len(self.text)
        if kind == "CHECK-SAME":
            stop = self.line_end(self.at)
        elif kind == "CHECK-NEXT":
            start = min(self.line_end(self.at) + 1, len(self.text))
            stop = self.line_end(start)
        if kind == "CHECK-SOURCE-HIGHLIGHTED":
            return self.highlighted(wanted)
        place = self.text.find(wanted, start, stop)
        if place < 0:
            if stop < len(self.text) and wanted in self.text[stop:]:
                self.unwanted(kind, wanted, "\\n", None)
            self.missing(kind, wanted)
        self.at = place + len(wanted)
        return place

    def count(self, wanted, count):
        first = None
        for _ in range(count):
            place = self.text.find(wanted, self.at)
            if place < 0:
                self.at = len(self.text)
                self.missing(f"CHECK-COUNT-{count}", wanted)
            first = place if first is None else first
            self.at = place + len(wanted)
        return self.at if first is None else first

    def dag(self, checks):
        places, ends = [], []
        taken = {}
        for kind, wanted in checks:
            place = self.text.find(wanted, taken.get(wanted, self.at))
            if place < 0:
                self.missing(kind, wanted)
            taken[wanted] = place + len(wanted)
            places.append(place)
            ends.append(place + len(wanted))
        self.at = max(ends)
        return min(places)

    def highlighted(self, wanted):
        place = self.text.find(wanted, self.at)
        while place >= 0:
            column = place - (self.text.rfind("\n", 0, place) + 1)
            below = self.line_end(place) + 1
            line = self.text[below : self.line_end(below)]
            marks = line[column : column + len(wanted)]
            # The mark is as long as the text: nothing beside it is marked.
            beside = line[column - 1 : column] if column else ""
            if marks == "~" * len(wanted) and "~" not in (beside, line[column + len(wanted) : column + len(wanted) + 1]):
                self.at = self.line_end(below)
                return place
            place = self.text.find(wanted, place + 1)
        self.missing("CHECK-SOURCE-HIGHLIGHTED", wanted)

    def line_end(self, place):
        end = self.text.find("\n", place)
        return len(self.text) if end < 0 else end

    def missing(self, kind, wanted):
        shown = self.marked(self.at, len(wanted))
        raise RuntimeError(f'Expected to find "{wanted}" but did not find it\nSearched string:\n{shown}From {kind}: {wanted}\n')

    def unwanted(self, kind, wanted, found, place):
        shown = self.marked(place, len(found)) if place is not None else self.text
        raise RuntimeError(f'Expected to not find "{found}" but found it\n{shown}From {kind}: {wanted}\n')

    def marked(self, place, length):
        """The lines around a place, with a mark below it."""
        if place >= len(self.text.rstrip("\n")):
            return self.text
        lines = self.text.splitlines(keepends=True)
        line = self.text.count("\n", 0, place)
        column = place - (self.text.rfind("\n", 0, place) + 1)
        mark = " " * column + "~" * length + " <--- HERE\n"
        whole = lines[line] if lines[line].endswith("\n") else lines[line] + "\n"
        return "".join(lines[max(0, line - 3) : line]) + whole + mark + "".join(lines[line + 1 : line + 4])
