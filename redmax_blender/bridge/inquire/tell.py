"""The engine asked about the frames of a run, or about a live one. Needs no Blender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...engine.compile.scene import compile_scene
from ...engine.errors import InputError
from ...engine.inquire.arrows import arrows_of
from ...engine.inquire.inquiry import inquire
from ...engine.inquire.reactions import Axes
from ...engine.inquire.table import WHOLE, columns_of, names
from ...engine.model.records import Model
from ...engine.model.state import Options, State
from ...engine.run.simulate import scene_options
from ...engine.scene import SceneSpec
from ..recording.frame_file import load_frames
from .told import Told


def tell(spec: SceneSpec, frames: Path, wanted: Sequence[str], axes: Axes) -> Iterator[Told]:
    """What the things of these names feel, at each frame of a run of the scene that is on disk."""
    model, options = compile_scene(spec), scene_options(spec)
    known = known_names(spec, model, wanted)
    for frame in load_frames(frames):
        if len(frame.joint_pose) != len(model.bodies.link) or frame.q.shape != model.initial_state().q.shape:
            raise InputError(
                "Inquire", "the frames in the cache are of another scene", "Simulate again, and ask then."
            )
        yield told(model, frame.state, options, known, axes)


def told(model: Model, state: State, options: Options, known: Sequence[str], axes: Axes) -> Told:
    """What the things of these names feel at a state."""
    now = inquire(model, state, options)
    columns: dict[str, float] = {}
    for name in known:
        columns |= columns_of(now, name, axes)
    arrows = [
        (arrow.kind, *(tuple(float(x) for x in vector) for vector in (arrow.point, arrow.vector)))
        for name in known
        for arrow in arrows_of(now, name)
    ]
    return Told(now.t, columns, arrows)  # type: ignore[arg-type]


def known_names(spec: SceneSpec, model: Model, wanted: Sequence[str]) -> list[str]:
    """Those of the names that the engine has, and what leads them; InputError where it has none of them."""
    there = names(model)
    known = [name for name in wanted if name in there]
    for constraint in spec.constraints:
        point = getattr(constraint, "point", None)
        body = getattr(constraint, "body", None) or getattr(point, "body", None)
        if constraint.name and body in wanted:
            known.append(constraint.name)
    if not known:
        raise InputError(
            "Inquire",
            f"{', '.join(map(repr, wanted))} takes no part in the simulation",
            "Select bodies, bones, joints, springs, muscles or colliders.",
        )
    return list(dict.fromkeys(known)) if WHOLE not in wanted else [WHOLE]
