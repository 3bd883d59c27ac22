"""Forces on bodies, moving air and guided points backwards."""

from __future__ import annotations

import numpy as np

from ..forces.guides import MOST, gains, leading
from ..model.curves import evaluate
from ..model.records import External, Floats, Guides
from .bars import ExternalBars, GuideBars
from .curves import add_curves
from .points import Points, add_points, points_of, zero_points
from .tree import LinkBars, Motion


def add_external(e: External, m: Motion, t: float, h: float, bars: LinkBars, out: ExternalBars) -> None:
    """Add the derivatives of ψ by forces on bodies and by wind at time t [s]; h as for springs."""
    if len(e.link):
        _add_forces(e, m, t, bars, out)
    if len(e.wind_link):
        _add_wind(e, m, t, h, bars, out)


def _add_forces(e: External, m: Motion, t: float, bars: LinkBars, out: ExternalBars) -> None:
    values = evaluate(e.curves, t)[:, 0].reshape(-1, 2, 3)
    weights = np.zeros_like(values)
    for i, link in enumerate(e.link):
        R = m.E_wj[link, :9].reshape(3, 3)
        axes = R.T if e.in_world[i] else e.axes[i]
        force, torque = axes @ values[i, 0], axes @ values[i, 1]
        omega, x = m.W[link, :3], e.x[i]
        point = m.W[link, 3:] + np.cross(omega, x)
        # ψ has -(force · velocity of the point + torque · ω)
        bars.W[link, :3] -= np.cross(x, force) + torque
        bars.W[link, 3:] -= force
        out.x[i] -= np.cross(force, omega)
        weights[i] = -(axes.T @ point), -(axes.T @ omega)
        if e.in_world[i]:  # turning the link turns the force in its frame the other way
            bars.xi[link, :3] -= np.cross(point, force) + np.cross(omega, torque)
        else:
            out.axes[i] -= np.outer(point, values[i, 0]) + np.outer(omega, values[i, 1])
    add_curves(e.curves, t, weights.ravel(), None, out.curves)


def _add_wind(e: External, m: Motion, t: float, h: float, bars: LinkBars, out: ExternalBars) -> None:
    air = evaluate(e.wind_curves, t)[:, 0].reshape(-1, 3)
    points = points_of(m, e.wind_link, e.wind_x)
    b = zero_points(len(e.wind_link))
    weights = np.zeros_like(air)
    for i in range(len(e.wind_link)):
        past, w = air[i] - points.v[i], points.w[i]
        late = h > 0.0 and e.wind_drag[i, 2] != 0.0
        driven = air[i] - (points.u[i] if late else points.v[i])
        speed = float(np.linalg.norm(past))
        c = e.wind_drag[i, 0] + e.wind_drag[i, 1] * speed
        power = float(driven @ w)
        b.w[i] -= c * driven
        faster = -e.wind_drag[i, 1] * power / speed * past if speed > 0.0 else np.zeros(3)
        (b.u if late else b.v)[i] += c * w
        b.v[i] -= faster
        weights[i] = faster - c * w
        out.drag[i, :2] -= power, power * speed
    add_points(m, e.wind_link, e.wind_x, b, bars, out.wind_x)
    add_curves(e.wind_curves, t, weights.ravel(), None, out.wind)


def add_guides(g: Guides, m: Motion, t: float, h: float, bars: LinkBars, out: GuideBars) -> None:
    """Add the derivatives of ψ by the pull on guided points at time t [s]; h as for springs."""
    which = leading(g, t)
    if not len(which):
        return
    values = evaluate(g.curves, t)
    stiffness, damping = gains(g, t)
    firmer: Floats = np.ones(len(g.link))
    if g.influence is not None:
        s = np.clip(evaluate(g.influence, t)[:, 0], 0.0, MOST)
        firmer[g.influence.target] = s / (1.0 - s)
    points = points_of(m, g.link, g.x)
    b: Points = zero_points(len(g.link))
    value, rate = np.zeros(len(g.link)), np.zeros(len(g.link))
    k_bar, c_bar = np.zeros(len(g.link)), np.zeros(len(g.link))
    for i in which:
        d = g.direction[i]
        k, c = float(stiffness[i]), float(damping[i])
        gap, virtual = float(values[i, 0] - d @ points.x[i]), float(d @ points.w[i])
        driven = float(d @ (points.u[i] if h > 0.0 else points.v[i]))
        slope = c + h * k
        # ψ has -(k gap + c ṡ - slope d·u) (d·w)
        pull = k * gap + c * float(values[i, 1]) - slope * driven
        b.w[i] -= pull * d
        b.x[i] += virtual * k * d
        (b.u if h > 0.0 else b.v)[i] += virtual * slope * d
        value[i], rate[i] = -virtual * k, -virtual * c
        k_bar[i] = -virtual * (gap - h * driven)
        c_bar[i] = -virtual * (float(values[i, 1]) - driven)
        out.direction[i] += virtual * (k * points.x[i] + slope * (points.u[i] if h > 0.0 else points.v[i]))
        out.direction[i] -= pull * points.w[i]
    out.stiffness += k_bar * firmer**2
    out.damping += c_bar * firmer
    if g.influence is not None:
        inside = (s > 0.0) & (s < MOST)
        of = g.influence.target
        slope_c = 1.0 / (1.0 - s) ** 2
        bar = (
            c_bar[of] * g.damping[of] * slope_c + k_bar[of] * g.stiffness[of] * 2.0 * s / (1.0 - s) * slope_c
        )
        add_curves(g.influence, t, np.where(inside, bar, 0.0), None, out.influence)
    add_points(m, g.link, g.x, b, bars, out.x)
    add_curves(g.curves, t, value, rate, out.curves)
