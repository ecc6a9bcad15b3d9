# Date arithmetic and text calendars in TorchScript.
import torch
from typing import List, Tuple, Dict, Optional, Final

MONTHS: Final = 12


@torch.jit.script
def leap(y: int) -> bool:
    return (y % 4 == 0 and y % 100 != 0) or y % 400 == 0


@torch.jit.script
def days_in_month(y: int, m: int) -> int:
    assert 1 <= m <= 12, f"month {m} out of range"
    if m == 2:
        return 29 if leap(y) else 28
    return 30 if m in [4, 6, 9, 11] else 31


@torch.jit.script
def to_days(y: int, m: int, d: int) -> int:
    """days since 1970-01-01 (civil)"""
    yy = y - 1 if m <= 2 else y
    era = yy // 400
    yoe = yy - era * 400
    doy = (153 * ((m + 9) % 12) + 2) // 5 + d - 1
    doe = yoe * 365 + yoe // 4 - yoe // 100 + doy
    return era * 146097 + doe - 719468


@torch.jit.script
def from_days(z: int) -> Tuple[int, int, int]:
    z += 719468
    era = z // 146097
    doe = z - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    y = yoe + era * 400
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    d = doy - (153 * mp + 2) // 5 + 1
    m = mp + 3 if mp < 10 else mp - 9
    return (y + 1 if m <= 2 else y), m, d


@torch.jit.script
def parse_iso(s: str) -> Optional[Tuple[int, int, int]]:
    parts = s.strip().split("-")
    if len(parts) != 3:
        return None
    for p in parts:
        if not p.isdigit():
            return None
    y, m, d = int(parts[0]), int(parts[1]), int(parts[2])
    if m < 1 or m > 12 or d < 1 or d > days_in_month(y, m):
        return None
    return y, m, d


@torch.jit.script
def iso(t: Tuple[int, int, int]) -> str:
    y, m, d = t
    return str(y).zfill(4) + "-" + str(m).zfill(2) + "-" + str(d).zfill(2)


@torch.jit.script
def weekday(y: int, m: int, d: int) -> int:
    return (to_days(y, m, d) + 3) % 7


@torch.jit.script
def month_text(y: int, m: int) -> List[str]:
    names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    rows = [(names[m - 1] + " " + str(y)).center(20, ".")]
    rows.append(" ".join(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]))
    cells = ["  " for _ in range(weekday(y, m, 1))]
    for d in range(1, days_in_month(y, m) + 1):
        cells.append(str(d).rjust(2))
    for i in range(0, len(cells), 7):
        rows.append(" ".join(cells[i:i + 7]))
    return rows


@torch.jit.script
def add_months(y: int, m: int, d: int, k: int) -> Tuple[int, int, int]:
    total = y * 12 + (m - 1) + k
    ny, nm = divmod(total, 12)
    nm += 1
    return ny, nm, min(d, days_in_month(ny, nm))


@torch.jit.script
def easter(y: int) -> Tuple[int, int]:
    a = y % 19
    b, c = divmod(y, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    n, p = divmod(h + l - 7 * m + 114, 31)
    return n, p + 1


print([y for y in (1900, 2000, 2023, 2024, 2100, -4) if leap(y)])
print([days_in_month(2024, m) for m in range(1, 13)])
print(to_days(1970, 1, 1), to_days(2000, 2, 29), to_days(1600, 12, 31), to_days(0, 3, 1))
print(from_days(0), from_days(-1), from_days(20000), from_days(-719468))
print(all(from_days(to_days(*from_days(z))) == from_days(z) and to_days(*from_days(z)) == z for z in range(-800000, 800000, 7919)))
for s in ["2024-02-29", "2023-02-29", "1999-13-01", " 0007-1-9 ", "abc", "a-b-c", "2020-1", ""]:
    p = parse_iso(s)
    print(repr(s), p, None if p is None else iso(p))
print("\n".join(month_text(2024, 9)))
print([l.rstrip() for l in month_text(2021, 2)])
print(add_months(2024, 1, 31, 1), add_months(2024, 1, 31, -2), add_months(2023, 12, 31, 26), add_months(5, 3, 30, -61))
print([easter(y) for y in (1999, 2000, 2008, 2019, 2024, 2038)])
print(weekday(2026, 11, 22), [weekday(2000, 1, d) for d in range(1, 8)])
for bad in (0, 13, -1):
    try:
        days_in_month(2000, bad)
    except Exception as e:
        print(type(e).__name__, [l for l in str(e).split("\n") if l][-1])
for args in [("2000", 1), (2000.0, 1), (2000,), (True, 2)]:
    try:
        print(days_in_month(*args))
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])
try:
    print(days_in_month(m=2, y=2024), days_in_month(2024, day=2))
except Exception as e:
    print(type(e).__name__, str(e).split("\n")[0])
