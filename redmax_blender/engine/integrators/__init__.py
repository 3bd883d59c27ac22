"""Time integrators. Each is a generator: `next()` gives the state one step `options.h` later, for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..model.records import Model
from ..model.state import Options, State
from .bdf import bdf1, bdf2, sdirk2
from .euler import euler, euler_midway
from .runge_kutta import runge_kutta_recursive, runge_kutta_redmax

Integrator = Callable[[Model, State, Options], Iterator[State]]

INTEGRATORS: dict[str, Integrator] = {
    "euler": euler,
    "euler-midway": euler_midway,
    "bdf1": bdf1,
    "bdf2": bdf2,
    "sdirk2": sdirk2,
    "rk-recursive": runge_kutta_recursive,
    "rk-redmax": runge_kutta_redmax,
}
