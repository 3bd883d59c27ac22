"""Functions of a model file."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from .. import functions as fn
from ..records import Curve
from .elements import Reader

Terms = tuple[tuple[tuple[int, Curve], ...], float]


def read_terms(reader: Reader, element: ET.Element, coordinates: list[int]) -> Terms:
    """A function of coordinates as a sum of functions of each, and an offset."""
    if element.tag == "Constant":
        return (), reader.number(element, "value", 0.0)
    if element.tag == "MultiplierFunction":
        inner = _inner(reader, element)
        scale = reader.number(element, "scale", 1.0)
        terms, offset = read_terms(reader, inner, coordinates)
        return tuple((i, fn.Scaled(scale, curve)) for i, curve in terms), scale * offset
    if not coordinates:
        raise reader.error(element, "it is a function of no coordinate", "Name its coordinates.")
    if element.tag == "LinearFunction":
        values = reader.numbers(element, "coefficients", None, [1.0, 0.0])
        if len(values) != len(coordinates) + 1:
            raise reader.error(
                element, f"it has {len(values)} coefficients", f"It needs {len(coordinates) + 1}."
            )
        return tuple((i, fn.Linear(float(a))) for i, a in zip(coordinates, values, strict=False)), float(
            values[-1]
        )
    if len(coordinates) != 1:
        raise reader.error(
            element,
            f"a function of {len(coordinates)} coordinates is not understood",
            "Only linear functions may have several.",
        )
    return ((coordinates[0], read_curve(reader, element)),), 0.0


def _inner(reader: Reader, element: ET.Element) -> ET.Element:
    holder = element.find("function")
    children = list(holder) if holder is not None else [c for c in element if c.tag != "scale"]
    if len(children) != 1:
        raise reader.error(element, "it holds no function", "The file is incomplete.")
    return children[0]


def read_curve(reader: Reader, element: ET.Element) -> Curve:
    """A function of one variable."""
    tag = element.tag
    if tag == "Constant":
        return fn.Constant(reader.number(element, "value", 0.0))
    if tag == "LinearFunction":
        slope, intercept = reader.numbers(element, "coefficients", 2, [1.0, 0.0])
        return fn.Linear(float(slope), float(intercept))
    if tag == "MultiplierFunction":
        return fn.Scaled(reader.number(element, "scale", 1.0), read_curve(reader, _inner(reader, element)))
    if tag == "PolynomialFunction":
        return fn.Polynomial(tuple(float(c) for c in reader.numbers(element, "coefficients", None)))
    if tag == "Sine":
        names = ("amplitude", "omega", "phase", "offset")
        return fn.Wave(*(reader.number(element, name, 1.0 if k < 2 else 0.0) for k, name in enumerate(names)))
    if tag == "StepFunction":
        start, end = reader.number(element, "start_time", 0.0), reader.number(element, "end_time", 1.0)
        if not end > start:
            raise reader.error(element, "it ends before it starts", "Exchange its times.")
        return fn.Step(
            start, end, reader.number(element, "start_value", 0.0), reader.number(element, "end_value", 1.0)
        )
    if tag in ("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction"):
        x, y = reader.numbers(element, "x", None).tolist(), reader.numbers(element, "y", None).tolist()
        if len(x) != len(y) or len(x) < 2:
            raise reader.error(
                element, f"it has {len(x)} places and {len(y)} values", "It needs as many, and two at least."
            )
        if any(b <= a for a, b in zip(x, x[1:], strict=False)):
            raise reader.error(
                element, "its places do not increase", "Sort them, and remove what is there twice."
            )
        if tag == "PiecewiseLinearFunction":
            return fn.PiecewiseLinear(x, y)
        return fn.CubicSpline(x, y, "cubic" if tag == "SimmSpline" else "natural")
    raise reader.error(element, "this kind of function is not understood", f"Known are {', '.join(KNOWN)}.")


KNOWN = (
    "Constant", "LinearFunction", "MultiplierFunction", "PolynomialFunction", "Sine", "StepFunction", "SimmSpline",
    "NaturalCubicSpline", "PiecewiseLinearFunction",
)  # fmt: skip
