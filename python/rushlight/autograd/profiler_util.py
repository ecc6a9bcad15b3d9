"""What a profile has measured: events, their averages, tables of them, and traces that browsers draw."""

import enum
import json
import os
from collections import namedtuple

Kernel = namedtuple("Kernel", ("name", "device", "duration"))
MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"

# Scopes of events: an operator, a node of a run backwards, a range of the program.
_OPERATOR, _BACKWARD, _USER = 0, 1, 7
_METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")


class DeviceType(enum.Enum):
    """Where an event took place."""

    CPU = 0
    CUDA = 1


def _format_time(time_us, time_unit=None):
    """A time in microseconds, in words."""
    units = (("s", 1e6), ("ms", 1e3), ("us", 1.0))
    for unit, scale in units:
        if time_unit == unit or time_unit is None and time_us >= scale:
            return f"{time_us / scale:.3f}{unit}"
    return f"{time_us:.3f}us"


def _format_time_share(time_us, total_time_us):
    """A part of a time, in words."""
    if total_time_us == 0:
        if time_us != 0:
            raise AssertionError(f"Expected time_us == 0 but got {time_us}")
        return "NaN"
    return f"{time_us * 100.0 / total_time_us:.2f}%"


def _format_memory(nbytes):
    """A number of bytes, in words."""
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= scale:
            return f"{nbytes / scale:.2f} {unit}"
    return f"{nbytes} B"


class Interval:
    """From when to when, in microseconds."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        """How long."""
        return self.end - self.start


def _as_text(attribute):
    return property(lambda self: _format_time(getattr(self, attribute)), doc=f"``{attribute}`` in words.")


class FormattedTimesMixin:
    """Times in words, and those of one call on average."""

    cpu_time_str = _as_text("cpu_time")
    device_time_str = _as_text("device_time")
    cpu_time_total_str = _as_text("cpu_time_total")
    device_time_total_str = _as_text("device_time_total")
    self_cpu_time_total_str = _as_text("self_cpu_time_total")
    self_device_time_total_str = _as_text("self_device_time_total")

    # Nothing runs on another device.
    device_time_total = self_device_time_total = 0.0
    device_memory_usage = self_device_memory_usage = 0

    @property
    def cpu_time(self):
        """The time of one call, on average."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self):
        """The time of one call on another device, on average."""
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    cuda_time = device_time


class FunctionEvent(FormattedTimesMixin):
    """One call: of an operator, of a range that the program marks, of a node of a run backwards."""

    def __init__(
        self, id, name, thread, start_us, end_us, overload_name=None, fwd_thread=None, input_shapes=None, stack=None, scope=0,
        use_device=None, cpu_memory_usage=0, device_memory_usage=0, is_async=False, is_remote=False, sequence_nr=-1, node_id=-1,
        device_type=DeviceType.CPU, device_index=0, device_resource_id=None, is_legacy=False, flops=None, trace_name=None,
        concrete_inputs=None, kwinputs=None, is_user_annotation=False, is_python_function=False, input_dtypes=None,
    ):
        self.id, self.node_id, self.name, self.overload_name = id, node_id, name, overload_name
        self.trace_name = name if trace_name is None else trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread, self.fwd_thread, self.kernels, self.count = thread, fwd_thread, [], 1
        self.cpu_children, self.cpu_parent = [], None
        self.input_shapes, self.concrete_inputs, self.kwinputs = input_shapes or [], concrete_inputs or [], kwinputs or {}
        self.input_dtypes = input_dtypes or []
        self.stack, self.scope, self.use_device = stack or [], scope, use_device
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_async, self.is_remote, self.sequence_nr, self.is_legacy = is_async, is_remote, sequence_nr, is_legacy
        self.device_type, self.device_index = device_type, device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.flops, self.is_user_annotation, self.is_python_function = flops, is_user_annotation, is_python_function

    @property
    def key(self):
        """What averages go by."""
        return self.name

    def append_cpu_child(self, child):
        """Makes an event one that took place inside of this one."""
        self.cpu_children.append(child)
        child.cpu_parent = self

    @property
    def cpu_time_total(self):
        """The time of the call, with what it calls."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        """The time of the call without what it calls."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        """The bytes that the call itself took."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} device_type={self.device_type} "
            f"node_id={self.node_id} cpu_time={self.cpu_time_str} start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} {self.use_device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{self.use_device}_memory_usage={self.device_memory_usage} is_async={self.is_async} is_remote={self.is_remote} "
            f"seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """All calls of one name together."""

    def __init__(self):
        self.key = None
        self.count = self.node_id = self.flops = 0
        self.is_async = self.is_remote = self.is_legacy = self.is_user_annotation = False
        self.use_device = None
        self.cpu_time_total = self.self_cpu_time_total = 0
        self.input_shapes = self.overload_name = self.stack = self.scope = None
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.cpu_children = self.cpu_parent = None
        self.device_type = DeviceType.CPU

    def add(self, other):
        """Adds a call, or other calls of the name."""
        if self.key is None:
            self.key = other.key
            for name in (
                "node_id", "is_async", "is_remote", "is_legacy", "is_user_annotation", "use_device", "input_shapes", "overload_name",
                "stack", "scope", "cpu_children", "cpu_parent", "device_type",
            ):
                setattr(self, name, getattr(other, name))
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in ("cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "count"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops = (self.flops or 0) + (other.flops or 0) or self.flops or other.flops
        return self

    __iadd__ = add

    def __repr__(self):
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


class EventList(list):
    """Events in the order in which they began, or their averages in the order in which their names were first seen."""

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False, with_stack=False):
        super().__init__(*args)
        self._use_device, self._profile_memory, self._with_flops, self._with_stack = use_device, profile_memory, with_flops, with_stack

    def _like(self, events):
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops,
            with_stack=self._with_stack,
        )

    def _build_tree(self):
        """Finds what took place inside of what by when it did."""
        open_events = []
        for event in sorted(self, key=lambda event: (event.thread, event.time_range.start, -event.time_range.end)):
            while open_events and (
                open_events[-1].thread != event.thread or open_events[-1].time_range.end < event.time_range.end
            ):
                open_events.pop()
            if open_events:
                open_events[-1].append_cpu_child(event)
            open_events.append(event)

    @property
    def self_cpu_time_total(self):
        """The time of all events, each for itself."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False, include_python_functions=False):
        """The calls of each name together.

        Args:
            group_by_input_shapes: whether calls with other sizes of arguments are told apart.
            group_by_stack_n: how many places of the program tell calls apart.
            group_by_overload_name: whether overloads are told apart; events do not carry them.
            include_python_functions: whether functions of Python count; none are measured.
        """
        groups = {}
        for event in self:
            key = [event.key, event.node_id, event.is_async, event.is_legacy, event.is_user_annotation]
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n > 0:
                key += event.stack[:group_by_stack_n]
            groups.setdefault(tuple(key), FunctionEventAvg()).add(event)
        averages = self._like(groups.values())
        for average in averages:
            average.stack = average.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
            average.overload_name = ""
        return averages

    def total_average(self):
        """All events together, as one named ``Total``."""
        total = FunctionEventAvg()
        for event in self:
            total += event
            total.key = None
        total.key = "Total"
        return total

    def table(
        self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80, header=None,
        top_level_events_only=False, time_unit=None,
    ):
        """The events as a table.

        Args:
            sort_by: the attribute that comes first where it is largest: ``cpu_time_total``, ``self_cpu_time_total``, ``count``, ...
            row_limit: how many rows; -1 for all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: where columns of text are cut.
            header: a title.
            top_level_events_only: whether what was called inside of other events is left out.
            time_unit: ``s``, ``ms`` or ``us`` for all times.
        """
        events = self
        if sort_by is not None:
            events = sorted(self, key=lambda event: getattr(event, sort_by), reverse=True)
        widths = (max_name_column_width, max_shapes_column_width, max_src_column_width)
        return _table(self._like(events), row_limit, widths, header, top_level_events_only, time_unit)

    def __str__(self):
        return self.table()

    def export_chrome_trace(self, path):
        """Writes a trace that ``chrome://tracing`` and Perfetto show."""
        with open(path, "w") as file:
            json.dump(self._trace_events(), file)

    def _trace_events(self):
        process = os.getpid()
        rows = []
        for number, event in enumerate(self):
            details = {"External id": event.id, "Record function id": 0, "Ev Idx": number}
            if event.input_shapes:
                details |= {"Input type": event.input_dtypes, "Input Dims": event.input_shapes}
            if event.stack:
                details["Call stack"] = ";".join(event.stack)
            rows.append({
                "ph": "X", "cat": "user_annotation" if event.is_user_annotation else "cpu_op", "name": event.trace_name,
                "pid": process, "tid": process, "ts": event.time_range.start, "dur": event.cpu_time_total, "args": details,
            })
        return rows

    def supported_export_stacks_metrics(self):
        """The times that stacks can be written with."""
        return list(_METRICS)

    def export_stacks(self, path, metric):
        """Writes the stack of each event and the time it took, a line each, as flame graphs are drawn from."""
        if metric not in _METRICS:
            raise ValueError("metric should be one of: " + str(list(_METRICS)))
        metric = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        translate = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                time = int(getattr(event, metric))
                if event.stack and time > 0:
                    stack = "".join(entry.translate(translate) + ";" for entry in reversed(event.stack))
                    file.write(f"{stack[:-1]} {time}\n")


def _cut(text, width):
    return text[: width - 3] + "..." if width is not None and len(text) >= width - 3 else text


def _wide(texts, limit):
    """How wide a column of texts is."""
    width = max(map(len, texts)) + 4
    return width if limit is None else min(width, limit)


def _flops_columns(events):
    """The name of the column of operations, and what they are divided by."""
    largest = max(event.flops or 0 for event in events)
    names = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
    power = 0
    while power < len(names) - 1 and largest >= 1000 ** (power + 1):
        power += 1
    return "Total " + names[power], 1000.0**power


def _table(events, row_limit, limits, header, top_level_only, time_unit):
    if not events:
        return ""
    name_limit, shapes_limit, stack_limit = limits
    total = events.self_cpu_time_total
    shapes = [str(event.input_shapes) for event in events if event.input_shapes]
    stacks = [entry for event in events for entry in event.stack or ()]
    flops = events._with_flops and any(event.flops for event in events)

    def time(value):
        return _format_time(value, time_unit)

    columns = [("Name", _wide([event.key for event in events], name_limit), lambda event: _cut(event.key, name_limit))]

    def column(title, text, width=12):
        columns.append((title, width, text))

    column("Self CPU %", lambda event: _format_time_share(event.self_cpu_time_total, total))
    column("Self CPU", lambda event: time(event.self_cpu_time_total))
    column("CPU total %", lambda event: _format_time_share(event.cpu_time_total, total) if not event.is_async else 0)
    column("CPU total", lambda event: time(event.cpu_time_total))
    column("CPU time avg", lambda event: time(event.cpu_time))
    if events._profile_memory:
        column("CPU Mem", lambda event: _format_memory(event.cpu_memory_usage))
        column("Self CPU Mem", lambda event: _format_memory(event.self_cpu_memory_usage))
    column("# of Calls", lambda event: str(event.count))
    if shapes:
        column("Input Shapes", lambda event: str(event.input_shapes)[:shapes_limit], _wide(shapes, shapes_limit))
    if stacks:
        width = _wide(stacks, stack_limit)
        column("Source Location", lambda event: _cut(event.stack[0], stack_limit) if event.stack else "", width)
    if flops:
        title, scale = _flops_columns(events)
        column(title, lambda event: f"{event.flops / scale:8.3f}".strip() if event.flops else "--")

    def line(texts):
        return "".join(f"{text: >{width}}  " for text, (_, width, _) in zip(texts, columns))

    rule = line("-" * width for _, width, _ in columns)
    lines = []
    bar = "=" * (len(rule) - 2)
    if header is not None:
        lines += [bar, header]
    if top_level_only:
        lines += [bar, "This report only display top-level ops statistics"]
    lines += [rule, line(title for title, _, _ in columns), rule]
    shown = 0
    for event in events:
        if shown == row_limit:
            break
        if top_level_only and event.cpu_parent is not None:
            continue
        shown += 1
        lines.append(line(text(event) for _, _, text in columns))
        if stacks:
            place = [title for title, _, _ in columns].index("Source Location")
            for entry in event.stack[1:]:
                lines.append(line([""] * place + [_cut(entry, stack_limit)] + [""] * (len(columns) - place - 1)))
            lines.append(line([""] * len(columns)))
    lines += [rule, f"Self CPU time total: {time(total)}"]
    return "\n".join(lines) + "\n"


def _product(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


# Arithmetic operations of a call, from the sizes of its arguments: those of products and of plain arithmetic are counted.
def _of_mm(a, b, *_):
    return 2 * a[0] * a[1] * b[1]


def _of_bmm(a, b, *_):
    return 2 * a[0] * a[1] * a[2] * b[2]


_FLOPS = {
    "aten::mm": _of_mm,
    "aten::addmm": lambda bias, a, b, *_: _of_mm(a, b),
    "aten::bmm": _of_bmm,
    "aten::baddbmm": lambda bias, a, b, *_: _of_bmm(a, b),
    "aten::mul": lambda a, *_: _product(a),
    "aten::add": lambda a, *_: _product(a),
}


def _flops_of(name, shapes):
    count = _FLOPS.get(name)
    if count is None:
        return 0
    try:
        return count(*shapes)
    except (IndexError, TypeError):
        return 0


def _product_inside(a, b):
    """The product that a `matmul` of these sizes is, and the sizes of its arguments."""
    if len(a) <= 2 and len(b) <= 2:
        if len(a) == len(b) == 1:
            return "aten::dot", [a, b]
        return ("aten::mv", [a, b]) if len(b) == 1 else ("aten::mm", [a if len(a) == 2 else [1, *a], b])
    if len(b) <= 2:
        rows = _product(a[:-1])
        return ("aten::mv" if len(b) == 1 else "aten::mm"), [[rows, a[-1]], b]
    if len(a) == 1:
        a = [1, *a]
    batch = max(_product(a[:-2]), _product(b[:-2]))
    return "aten::bmm", [[batch, *a[-2:]], [batch, *b[-2:]]]


# Operators that are another one with more arguments in the reference, whose name profiles are asked for.
_SAME_INSIDE = {
    "aten::softmax": "aten::_softmax", "aten::log_softmax": "aten::_log_softmax", "aten::layer_norm": "aten::native_layer_norm",
    "aten::conv1d": "aten::convolution", "aten::conv2d": "aten::convolution", "aten::conv3d": "aten::convolution",
}


def _inside(name, shapes):
    """The operator that an operator is but for its arguments, and the sizes of these; None for others."""
    if name in ("aten::matmul", "aten::__matmul__") and len(shapes) >= 2:
        return _product_inside(shapes[0], shapes[1])
    found = _SAME_INSIDE.get(name)
    return None if found is None else (found, shapes)


def events_of(rows, *, profile_memory=False, with_flops=False, with_stack=False, with_shapes=False):
    """The events of what the extension has measured: see ``Profile.events``."""
    events, of_row = [], []
    for name, scope, parent, start, end, shapes, dtypes, taken, stack in rows:
        outer = None if parent is None else of_row[parent]
        if outer is not None and outer.name == "autograd::engine::evaluate_function: " + name:
            scope = _BACKWARD
        inside = _inside(name, shapes) if scope == _OPERATOR else None
        for name, shapes in ((name, shapes), inside) if inside else ((name, shapes),):
            event = FunctionEvent(
                len(events) + 1, name, 1, start / 1000, end / 1000, overload_name="", input_shapes=shapes if with_shapes else None,
                stack=stack, scope=scope, cpu_memory_usage=taken, flops=_flops_of(name, shapes) if with_flops else None,
                is_user_annotation=scope == _USER, input_dtypes=dtypes if with_shapes else [],
            )
            if outer is not None:
                outer.append_cpu_child(event)
            events.append(event)
            outer = event
        of_row.append(events[-2] if inside else event)
    # What was taken inside of a range or a node counts for that, too.
    for event in reversed(events):
        if event.scope != _OPERATOR:
            event.cpu_memory_usage += sum(child.cpu_memory_usage for child in event.cpu_children)
    return EventList(events, profile_memory=profile_memory, with_flops=with_flops, with_stack=with_stack)
