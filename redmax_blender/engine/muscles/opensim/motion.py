"""Motion files (`.mot`, `.sto`): a table of coordinates over time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.signal import butter, filtfilt

from ...errors import InputError
from ..records import Floats
from ..skeleton import Skeleton

_PAD = 60
"""Rows by which the record is continued at both ends before it is filtered."""


@dataclass(frozen=True)
class MotionTable:
    names: tuple[str, ...]
    times: Floats
    """[s]"""
    values: Floats
    """As in the file, (rows, columns)."""
    in_degrees: bool


def read_motion(path: Path | str) -> MotionTable:
    place = str(path)
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError(place, "it is not text", "Choose a .mot or .sto file.") from None
    except OSError as error:
        raise InputError(place, f"it cannot be read ({error.strerror})", "Give the path of a file.") from None
    end = next((i for i, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None or end + 1 >= len(lines):
        raise InputError(
            place, "it has no line 'endheader' with a table after it", "Choose a .mot or .sto file."
        )
    header = {}
    for line in lines[:end]:
        if "=" in line:
            key, value = line.split("=", 1)
            header[key.strip().lower()] = value.strip()
    rows = [line.split() for line in lines[end + 1 :] if line.strip()]
    names, rows = rows[0], rows[1:]
    if not names or names[0].lower() != "time":
        raise InputError(place, "its first column is not 'time'", "Choose a table of coordinates over time.")
    if len(set(names)) != len(names):
        raise InputError(place, "two of its columns have the same name", "Remove one of them.")
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise InputError(
                place,
                f"row {i + 1} has {len(row)} of {len(names)} columns",
                "Was it cut off while it was copied?",
            )
    if "nrows" in header and header["nrows"].isdigit() and int(header["nrows"]) != len(rows):
        raise InputError(
            place, f"it has {len(rows)} of {header['nrows']} rows", "Was it cut off while it was copied?"
        )
    try:
        table = np.array(rows, float).reshape(len(rows), len(names))
    except ValueError:
        raise InputError(place, "its table holds words", "Numbers are needed.") from None
    if len(table) < 2 or not np.isfinite(table).all() or (np.diff(table[:, 0]) <= 0.0).any():
        raise InputError(
            place, "its times do not increase, or numbers are not finite", "Remove the rows that are wrong."
        )
    return MotionTable(
        tuple(names[1:]),
        table[:, 0],
        table[:, 1:],
        header.get("indegrees", "no").lower() in ("yes", "y", "true", "1"),
    )


def coordinates_of(table: MotionTable, skeleton: Skeleton) -> tuple[Floats, list[str]]:
    """q (rows, n) in radians and metres, and the columns that are no coordinates; those that the table does not have
    keep their defaults."""
    q = np.tile(skeleton.default(), (len(table.times), 1))
    unused = []
    index = {c.name: i for i, c in enumerate(skeleton.coordinates)}
    for k, name in enumerate(table.names):
        words = name.split("/")
        if len(words) > 1 and words[-1] in ("speed", "activation", "fiber_length"):
            unused.append(name)
            continue
        word = words[-2] if len(words) > 1 and words[-1] == "value" else words[-1]
        if word not in index:
            unused.append(name)
            continue
        i = index[word]
        turned = table.in_degrees and skeleton.coordinates[i].rotational
        q[:, i] = np.radians(table.values[:, k]) if turned else table.values[:, k]
    return q, unused


def differentiate(times: Floats, q: Floats, cutoff: float | None = None) -> tuple[Floats, Floats, Floats]:
    """q, qdot and qddot by quintic splines, after a Butterworth filter there and back (of order 4 in effect) with its
    cutoff [Hz] where one is given."""
    if cutoff is not None:
        steps = np.diff(times)
        rate = 1.0 / float(np.median(steps))
        if np.abs(steps * rate - 1.0).max() > 0.01:
            raise InputError(
                "--filter", "the motion's times are not evenly spaced", "Resample it, or leave this out."
            )
        if not 0.0 < cutoff < 0.5 * rate:
            raise InputError(
                "--filter", f"{cutoff:g} Hz is not below half the rate of {rate:.4g} Hz", "Lower it."
            )
        # A filter needs even steps, and differences of rounded times would be noise in the accelerations.
        times = times[0] + np.arange(len(times)) / rate
        b, a = butter(2, cutoff / (0.5 * rate))
        q = filtfilt(b, a, q, axis=0, padtype="odd", padlen=min(_PAD, len(times) - 1))
    spline = make_interp_spline(times, q, k=min(5, len(times) - 1))
    accelerations = spline.derivative(2)(times) if len(times) > 2 else np.zeros_like(q)
    return q, spline.derivative(1)(times), accelerations
