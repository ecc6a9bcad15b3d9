# Measurements of statements, what they say of themselves and how they are compared.
import re

import torch
from torch.utils import benchmark
from torch.utils.benchmark import Compare, Language, Measurement, TaskSpec, Timer


def measured(times, number=10, **names):
    task = {"stmt": "x + y", "setup": "pass", "description": "first", **names}
    return Measurement(number, [time * number for time in times], TaskSpec(**task))


def shown(measurement):
    return re.sub("0x[0-9a-f]+", "0xADDR", repr(measurement))


steady, wide = [1.234567e-3] * 5, [3.3e-4, 3.4e-4, 5e-4]
for one in (
    measured([1.5e-6], 1, description=None),
    measured([1.5e-6, 1.6e-6], label="sums", sub_label="small", num_threads=4),
    measured([1e-3, 1.1e-3, 1.05e-3, 1.02e-3, 3e-3], setup="x = 1\ny = 2"),
    measured([1.0, 1.2, 1.4, 1.6], stmt="a\nb", setup="a = 1"),
    measured(wide),
):
    print(shown(one))
    print(one.title, one.as_row_name, one.significant_figures, one.has_warnings, one.meets_confidence(0.5), len(one.times))
merged = Measurement.merge([measured([1e-3]), measured([2e-3]), measured([1e-3], label="other")])
print([len(m.times) for m in merged])

rows = [("short", 1), ("a longer name", 10)]
results = [
    measured([time * factor for time in wide], label=label, sub_label=row, description=column, num_threads=threads)
    for label in ("one", "two")
    for threads in (1, 16)
    for row, factor in rows
    for column in ("first", "the second column")
]
table = Compare(results)
print(table)
table.trim_significant_figures()
table.highlight_warnings()
table.print()
table.colorize()
print(repr(str(table)))
table.colorize(rowwise=True)
print(repr(str(table)))
print(Compare([measured(steady, env="A"), measured([2.5e-6] * 5, env="a longer one", description="second")]))
print(Compare([measured([t] * 5, sub_label=f"row {t}") for t in (1e-3, 2e-2, 1.5e-6, 1.234567)]))
steps = Compare([measured([1e-3 * k] * 5, sub_label=f"row {k}") for k in (1, 1.005, 1.05, 1.5, 2.5, 6)])
steps.colorize()
print(repr(str(steps)))
table.extend_results([measured(steady, label="three")])
print(str(table).count("Times are in"))

timer = Timer("x + y", "x = torch.ones(2); y = 3", label="L", sub_label="S", description="D", env="E")
taken = timer.timeit(3)
print(taken.number_per_run, len(taken.times), taken.label, taken.env, taken.median > 0)
print(timer.blocked_autorange(min_run_time=0.001).median > 0, timer.adaptive_autorange(max_run_time=0.01).mean > 0)
print([benchmark.select_unit(t) for t in (1e-9, 1.5e-7, 1e-6, 1e-4, 0.1, 100)], benchmark.unit_to_english("us"))
print(benchmark.trim_sigfig(1.2345, 2), benchmark.trim_sigfig(123456, 3), benchmark.ordered_unique([3, 1, 3, 2]), list(Language))


def refused(function):
    try:
        print(function())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


refused(lambda: Compare([1]))
refused(lambda: Timer(3))
refused(lambda: Timer("1", language="foo"))
refused(lambda: Timer("1", global_setup="int x;"))
refused(lambda: Timer("1").repeat())
refused(lambda: Timer("nobody").timeit(1))
