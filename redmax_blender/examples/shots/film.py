"""From a scene that moves to its film: studio, camera, frames, contact sheet, video and .blend file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
import numpy as np

from .camera import add_camera, motion_points
from .picture import Look, contact_sheet, evenly, render_frames, write_video
from .studio import add_studio

PANELS = 8
"""Pictures on a contact sheet."""

Phase = Callable[[str], AbstractContextManager[object]]
"""Called with the name of what begins; the context it returns spans it."""


@dataclass(frozen=True)
class Film:
    """Where everything is."""

    blend: Path
    sheet: Path
    video: Path | None

    @property
    def files(self) -> list[Path]:
        return [path for path in (self.blend, self.sheet, self.video) if path is not None]


def set_stage(
    scene: bpy.types.Scene,
    actors: Sequence[bpy.types.Object],
    look: Look,
    ground: float | None = None,
    elevation: float = 0.2,
) -> None:
    """Put studio and camera around the motion of some objects over the scene's frames.

    ground: height of the floor; a little below the motion when None. elevation: of the camera [rad].
    """
    points = motion_points(scene, actors, range(scene.frame_start, scene.frame_end + 1))
    floor = add_studio(scene, points, ground=ground)
    # Their shadows shall be seen as well: hold the strip of floor below the motion in view.
    below = points[[np.argmin(points[:, 0]), np.argmax(points[:, 0])]]
    below[:, 1], below[:, 2] = points[:, 1].mean(), floor
    add_camera(
        scene, np.concatenate([points, below]), width=look.width, height=look.height, elevation=elevation
    )
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"


def look_through_camera() -> None:
    """Let the 3D views of the file's windows show what the camera sees, when it is opened."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                area.spaces.active.region_3d.view_perspective = "CAMERA"


def make_film(
    scene: bpy.types.Scene, folder: Path, name: str, look: Look, video: bool = True,
    phase: Phase = lambda name: nullcontext(), progress: Callable[[int, int], None] = lambda done, of: None,
) -> Film:  # fmt: skip
    """Render the scene's frames, all or those of the contact sheet, and save everything as folder/name.*."""
    folder = folder.resolve()  # Blender takes relative paths as it likes
    frames = list(range(scene.frame_start, scene.frame_end + 1))
    chosen = evenly(frames, PANELS)
    film = Film(folder / f"{name}.blend", folder / f"{name}.png", folder / f"{name}.mp4" if video else None)
    with TemporaryDirectory(prefix="redmax-frames-") as temporary:
        with phase("render"):
            rendered = frames if video else chosen
            pictures = dict(zip(rendered, render_frames(scene, rendered, Path(temporary), look, progress)))
        with phase("sheet"):
            contact_sheet([pictures[frame] for frame in chosen], film.sheet)
        if film.video is not None:
            with phase("video"):
                rate = scene.render
                write_video(list(pictures.values()), film.video, fps=rate.fps, fps_base=rate.fps_base)
    with phase("save"):
        scene.frame_set(scene.frame_start)
        scene.render.filepath = "//"
        look_through_camera()
        bpy.context.preferences.filepaths.save_version = 0  # no .blend1 beside it when it is made again
        bpy.ops.wm.save_as_mainfile(filepath=str(film.blend), compress=True)
    return film
