"""How a run with some values would look, as lines: the ways of points that goals are about, and bodies as sticks."""

from __future__ import annotations

import numpy as np

from ...model.records import Floats, Model
from ...model.state import State
from ...scene.task import PointGoal, VelocityGoal
from ...tree.kinematics import forward_kinematics
from ..problem import Problem

_POINTS = 48
"""Of a way."""


def ghost(problem: Problem, values: Floats) -> Floats:
    """Segments in the world [m], shape (n, 2, 3), of another run with these values."""
    last = problem.last_step
    seen = np.unique(np.round(np.linspace(0, last, min(_POINTS, last + 1))).astype(int))
    model, states = problem.states(values, [int(n) for n in seen])
    goals = [goal for goal in problem.task.objectives if isinstance(goal, (PointGoal, VelocityGoal))]
    points = {(goal.body, goal.position) for goal in goals}
    ways = np.array([[_place(model, states[n], *point) for n in seen] for point in sorted(points)])
    found = [np.stack([way[:-1], way[1:]], axis=1) for way in ways]
    return np.concatenate([*found, _sticks(model, states[last])])


def _place(model: Model, state: State, body: str, x: tuple[float, float, float]) -> Floats:
    """A point in the frame of a body's shape."""
    i = model.bodies.names.index(body)
    E, S = forward_kinematics(model, state).E_wj[model.bodies.link[i]], model.bodies.E_js[i]
    in_link = S[:9].reshape(3, 3) @ np.array(x) + S[9:]
    return np.asarray(E[:9].reshape(3, 3) @ in_link + E[9:])


def _sticks(model: Model, state: State) -> Floats:
    """From each body's joint through the middle of its shape, and as far beyond it."""
    E = forward_kinematics(model, state).E_wj[model.bodies.link]
    start = E[:, 9:]
    middle = np.einsum("bij,bj->bi", E[:, :9].reshape(-1, 3, 3), model.bodies.E_js[:, 9:])
    return np.stack([start, start + 2.0 * middle], axis=1)
