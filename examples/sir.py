"""An epidemic in a closed population: susceptible, infected, recovered.

    rushlight run examples/sir.py:simulate 100 0.3 0.1
    rushlight run examples/sir.py:chart 0.3 0.1
    rushlight run examples/sir.py:peak 0.3 0.1
"""

from typing import List, NamedTuple


class State(NamedTuple):
    """Parts of the population; they add up to one."""

    susceptible: float
    infected: float
    recovered: float


def slope(s: State, contact: float, recovery: float) -> State:
    """How fast each part changes, per day."""
    infections = contact * s.susceptible * s.infected
    recoveries = recovery * s.infected
    return State(-infections, infections - recoveries, recoveries)


def moved(s: State, d: State, days: float) -> State:
    """The state after `days` at constant speed `d`."""
    return State(
        s.susceptible + days * d.susceptible,
        s.infected + days * d.infected,
        s.recovered + days * d.recovered,
    )


def step(s: State, contact: float, recovery: float, days: float) -> State:
    """One step of the midpoint method."""
    middle = moved(s, slope(s, contact, recovery), days / 2)
    return moved(s, slope(middle, contact, recovery), days)


def history(days: int, contact: float, recovery: float) -> List[State]:
    """The state at the start of each day."""
    state = State(0.999, 0.001, 0.0)
    states = [state]
    for _ in range(days):
        for _ in range(4):
            state = step(state, contact, recovery, 0.25)
        states.append(state)
    return states


def simulate(days: int, contact: float, recovery: float) -> State:
    """The state after a number of days."""
    return history(days, contact, recovery)[-1]


def peak(contact: float, recovery: float) -> int:
    """The day with the most infected."""
    infected = [s.infected for s in history(365, contact, recovery)]
    return infected.index(max(infected))


def chart(contact: float, recovery: float) -> None:
    """Print how many of a thousand are infected, over 150 days."""
    states = history(150, contact, recovery)
    for day in range(0, len(states), 5):
        s = states[day]
        per_thousand = int(s.infected * 1000)
        print(f"day {day}".ljust(8), "".ljust(per_thousand // 10, "#"), per_thousand)
