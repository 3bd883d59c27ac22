"""Figures of an inquiry as columns with names and units, for tables, graphs and CSV files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

import numpy as np

from ..errors import InputError
from ..model.records import Floats, Model
from .inquiry import Inquiry
from .reactions import Axes

Columns = dict[str, float]
"""Values by the heading of their column, which ends with the unit."""
WHOLE = "everything"
"""The name under which energy and momentum of the whole scene are asked."""


def names(model: Model) -> list[str]:
    """All that can be asked for, each once: joints, bodies, springs, constraints, muscles and surfaces that touch."""
    found = [WHOLE, *model.joints.names, *model.bodies.names, *model.springs.names, *model.constraints.names]
    if model.muscles is not None:
        found += model.muscles.names
    if model.contact is not None:
        found += model.contact.names
    return list(dict.fromkeys(found))


def columns_of(told: Inquiry, name: str, axes: Axes = "world") -> Columns:
    """All figures of what has this name; empty for what has none at this moment."""
    if name == WHOLE:
        return _whole(told)
    out: Columns = {}
    joint = told.joints.get(name)
    if joint is not None:
        force, torque = joint.along(axes)
        out |= _vector(f"{name} reaction force", force, "N") | _vector(
            f"{name} reaction torque", torque, "N·m"
        )
        for k, drive in enumerate(joint.drive.tolist()):
            out[f"{name} drive {k + 1} [N·m, N]"] = drive
    for rubbing in told.friction:
        if rubbing.joint == name:
            unit = "N·m" if rubbing.turns else "N"
            out[f"{name} friction used {rubbing.shape} [{unit}]"] = rubbing.used
            out[f"{name} friction available {rubbing.shape} [{unit}]"] = rubbing.available
    loop = told.loops.get(name)
    if loop is not None:
        out |= _vector(f"{name} force", loop.force, "N") | _vector(f"{name} torque", loop.torque, "N·m")
    if name in told.gears:
        out[f"{name} gear force [N·m, N]"] = told.gears[name]
    line = told.lines.get(name)
    if line is not None:
        out |= {f"{name} tension [N]": line.tension, f"{name} length [m]": line.length}
        if np.isfinite(line.rate):
            out[f"{name} lengthening [m/s]"] = line.rate
    body = told.bodies.get(name)
    if body is not None:
        out |= _vector(f"{name} velocity", body.velocity, "m/s") | _vector(
            f"{name} force in all", body.force, "N"
        )
        out |= _vector(f"{name} momentum", body.momentum, "kg·m/s")
        out |= _vector(f"{name} angular momentum", body.angular_momentum, "kg·m²/s")
        out |= {f"{name} kinetic energy [J]": body.kinetic, f"{name} energy in gravity [J]": body.gravity}
    return out | _contacts(told, name)


def _contacts(told: Inquiry, name: str) -> Columns:
    """What touches a surface, summed over its points."""
    out: Columns = {}
    mine = [touch for touch in told.contacts if name in (touch.first, touch.second)]
    if mine:
        force = sum((t.force if t.first == name else -t.force for t in mine), np.zeros(3))
        out |= _vector(f"{name} contact force", force, "N")
        out[f"{name} contact push [N]"] = sum(touch.push for touch in mine)
        out[f"{name} contact friction used [N]"] = sum(touch.used for touch in mine)
        out[f"{name} contact friction available [N]"] = sum(touch.available for touch in mine)
    return out


def _whole(told: Inquiry) -> Columns:
    return {
        "kinetic energy [J]": told.kinetic,
        "energy in gravity [J]": told.gravity,
        "energy in springs [J]": told.stretch,
        **_vector("momentum", told.momentum, "kg·m/s"),
        **_vector("angular momentum", told.angular_momentum, "kg·m²/s"),
    }


def _vector(what: str, value: Floats, unit: str) -> Columns:
    return {f"{what} {axis} [{unit}]": float(x) for axis, x in zip("xyz", value, strict=True)}


def check_names(model: Model, wanted: Iterable[str]) -> None:
    """Raise InputError for a name that nothing has."""
    known = names(model)
    for name in wanted:
        if name not in known:
            raise InputError(f"'{name}'", "nothing has this name", f"There are: {', '.join(known[:20])}.")


def rows(asked: Iterable[Inquiry], wanted: list[str], axes: Axes = "world") -> Iterator[Columns]:
    """A row for each moment: its time, and the figures of what is wanted."""
    for told in asked:
        row: Columns = {"time [s]": told.t}
        for name in wanted:
            row |= columns_of(told, name, axes)
        yield row


def write_csv(file: TextIO, table: list[Columns]) -> None:
    """Write rows; what a row has no figure for, such as the friction of what touches nothing, is zero."""
    heads = list(dict.fromkeys(head for row in table for head in row))
    writer = csv.DictWriter(file, heads, restval="0", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
