"""Checks of texts, graphs for the most part: what comes where."""

import re


class FileCheck:
    """Collects checks; :meth:`run` makes them on a text or on what a graph prints.

    Every check goes on where the one before it ended. ``check_not`` looks between its neighbours, a run of ``check_dag``
    may match in any order.
    """

    def __init__(self):
        self._checks = []
        self._has_run = False

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
        if count == 0 and not exactly:
            raise RuntimeError("Count == 0 && !exactly doesn't do anything")
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
        self._has_run = True
        read = graph if test_file is None else test_file
        if read is not None:
            _Reader(str(read), _read(str(text if checks_file is None else checks_file))).run()
            return
        if not self._checks:
            raise RuntimeError("No checks have been added to this instance ofFilecheck! Check for bad input.")
        _Reader(str(text), self._checks).run()

    def __del__(self):
        if not self._has_run:
            print("You have not run this instance of FileCheck!\nFileCheck checks:")
            for kind, text, *rest in self._checks:
                print(f"\t{kind}-{rest[0]}: {text}" if rest else f"\t{kind}: {text}")
                if rest and rest[1]:
                    print(f"\tCHECK-NOT: {text}")


FileCheck.__module__ = "torch"


_ESCAPES = {ord(char): f"\\{name}" for char, name in zip("\\'\"\a\b\f\n\r\t\v", "\\'\"abfnrtv")}
_ESCAPES |= {code: f"\\{code:03o}" for code in (*range(32), 127) if code not in _ESCAPES}


def _quoted(text):
    """A text in quotes, as messages have it: quotes and what does not print behind a backslash."""
    return f'"{text.translate(_ESCAPES)}"'


def _read(text):
    """Checks from the comments of a text."""
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
                    self.unwanted("CHECK-NOT", check[1], check[1], place, len(check[1]))
            i = end

    def one(self, check):
        """Makes a check; the place where its text begins."""
        kind, wanted = check[0], check[1]
        if kind == "CHECK-COUNT":
            return self.count(wanted, check[2])
        if kind == "CHECK-REGEX":
            return self.pattern(wanted)
        if kind == "CHECK-SOURCE-HIGHLIGHTED":
            return self.highlighted(wanted)
        start = self.at
        if kind == "CHECK-NEXT":
            start = self.line_end(self.at) + 1
            if start > len(self.text):
                self.missing(kind, wanted, self.at, "\n", 1)
        place = self.text.find(wanted, start)
        if place < 0:
            self.missing(kind, wanted, start)
        between = self.text.find("\n", start, place) if kind in ("CHECK-SAME", "CHECK-NEXT") else -1
        if between >= 0:
            self.unwanted(kind, wanted, "\n", between, 1)
        self.at = place + len(wanted)
        return place

    def pattern(self, wanted):
        try:
            match = re.compile(wanted).search(self.text, self.at)
        except re.error as error:
            is_open = "parenthesis" in str(error) or "unterminated subpattern" in str(error)
            raise RuntimeError("Mismatched '(' and ')' in regular expression" if is_open else str(error)) from None
        if not match:
            raise RuntimeError(
                f"Expected to find regex {_quoted(wanted)} but did not find it\nSearched string:\nFrom CHECK-REGEX: {wanted}\n"
            )
        self.at = match.end()
        return match.start()

    def count(self, wanted, count):
        first = None
        for _ in range(count):
            place = self.text.find(wanted, self.at)
            if place < 0:
                self.missing(f"CHECK-COUNT-{count}", wanted, self.at)
            first = place if first is None else first
            self.at = place + len(wanted)
        return self.at if first is None else first

    def dag(self, checks):
        places, ends = [], []
        taken = {}
        for kind, wanted in checks:
            place = self.text.find(wanted, taken.get(wanted, self.at))
            if place < 0:
                self.missing(kind, wanted, self.at)
            taken[wanted] = place + len(wanted)
            places.append(place)
            ends.append(place + len(wanted))
        self.at = max(ends)
        return min(places)

    def highlighted(self, wanted):
        kind, begin = "CHECK-SOURCE-HIGHLIGHTED", self.at
        place = self.text.find(wanted, begin)
        if place < 0:
            self.missing(kind, wanted, begin)
        while place >= 0:
            column = place - (self.text.rfind("\n", 0, place) + 1)
            below = self.line_end(place) + 1
            after = below + column + len(wanted)
            if after <= self.line_end(below) and self.text[below + column : after] == "~" * len(wanted):
                # The mark is as long as the text: nothing beside it is marked.
                for beside in (below + column - 1, after):
                    if below <= beside and self.text[beside : beside + 1] == "~":
                        self.unwanted(kind, wanted, "~", beside, 1)
                self.at = self.line_end(below)
                return place
            place = self.text.find(wanted, place + 1)
        raise RuntimeError(f"Expected to find {_quoted(wanted)}highlighted but it is not.\n{self.marked(begin, len(wanted))}")

    def line_end(self, place):
        end = self.text.find("\n", place)
        return len(self.text) if end < 0 else end

    def missing(self, kind, wanted, start, named=None, length=None):
        # The mark ends as far into the text as what is missing is long, wherever the search began.
        shown = self.marked(start, len(wanted) if length is None else length)
        raise RuntimeError(f"Expected to find {_quoted(named or wanted)} but did not find it\nSearched string:\n{shown}From {kind}: {wanted}\n")

    def unwanted(self, kind, wanted, found, place, length):
        shown = self.marked(place, place + length)
        raise RuntimeError(f"Expected to not find {_quoted(found)} but found it\n{shown}From {kind}: {wanted}\n")

    def marked(self, start, stop):
        """The lines around a part of the text, with marks below it: two lines before, two behind.

        A part that ends before it begins has no mark; where the lines behind its end are over by then, the rest is shown.
        """
        if len(self.text) < 2:
            return self.text
        first = self.text.rfind("\n", 0, start) + 1
        before = first
        for _ in range(2):
            before = self.text.rfind("\n", 0, max(before - 1, 0)) + 1
        last = self.line_end(stop)
        behind = last
        for _ in range(2):
            behind = min(self.line_end(behind + 1), len(self.text))
        shown, line = self.text[before:first], first
        while line < last:
            end = self.line_end(line)
            shown += self.text[line:end] + "\n"
            begin, finish = max(start, line), min(stop, end)
            if begin < finish:
                shown += " " * (begin - line) + "~" * (finish - begin) + (" <--- HERE\n" if stop <= end else "\n")
            line = end + 1
        if line > behind:
            behind = len(self.text)
        shown += self.text[line:behind]
        return shown if shown.endswith("\n") or behind == start else shown + "\n"
