"""What becomes of a scene while it runs: settings that change, and hands that pull. A live run leaves these behind."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from .base import Name, Spec, Vec3


class Change(Spec):
    """Other values from a time on: bodies, joints, forces and constraints may change, come and go.

    What is not concerned moves on as it did. A constraint that comes closes its gap over `over`.
    """

    time: float
    """From the first frame at or after it on [s]."""
    set: dict[str, Any] = msgspec.field(default_factory=dict)
    """Value by path, such as {"bodies/arm/joint/damping": 5.0, "constraints/pin": null}: names stand for things in
    lists; null takes a thing away, and a thing with a name that there is not yet is added."""
    over: float = 0.2
    """Time in which what comes takes hold [s]."""


class Pull(Spec):
    """A hand that takes hold of a body and draws it along, as the mouse does in a live run."""

    body: Name
    place: Vec3
    """Where in the world it takes hold [m]."""
    times: Annotated[list[float], Meta(min_length=2)]
    """When it takes hold, goes to each of the places, and lets go; each from the first frame at or after it on [s]."""
    places: list[Vec3]
    """Where it goes at each time but the first and the last [m]."""
