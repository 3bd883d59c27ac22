"""Pictures of a scene without a window: frames, a contact sheet of some of them, a video of all.

Cycles renders them, because it needs neither a display nor a graphics driver and its light is soft. A few
samples, one bounce and the fast denoiser bring a frame down to a second or two of one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

PAPER = (0.965, 0.96, 0.95)
"""Background of a contact sheet, as displayed."""


@dataclass(frozen=True)
class Look:
    """How frames are rendered."""

    width: int = 480
    height: int = 270
    """[px]"""
    samples: int = 4
    """Cycles samples a pixel, before denoising."""


def render_frames(
    scene: bpy.types.Scene, frames: Sequence[int], folder: Path, look: Look,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Path]:  # fmt: skip
    """Render the frames to PNG files in the folder, the time since the scene's first frame in the corner.

    progress: told after each frame how many are done, and of how many.
    """
    _use_cycles(scene, look)
    paths = []
    with _clock(scene, look) as set_clock:
        for done, frame in enumerate(frames, start=1):
            scene.frame_set(frame)
            set_clock(frame)
            path = folder / f"{frame:05d}.png"
            scene.render.filepath = str(path)
            bpy.ops.render.render(write_still=True, scene=scene.name)
            paths.append(path)
            progress(done, len(frames))
    return paths


def _use_cycles(scene: bpy.types.Scene, look: Look) -> None:
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = look.width, look.height, 100
    render.use_persistent_data = True
    cycles.device = "CPU"
    cycles.samples, cycles.use_adaptive_sampling = look.samples, False
    cycles.max_bounces, cycles.use_light_tree = 1, False
    _denoise(cycles)
    _write_images(render.image_settings, "PNG")


def _denoise(cycles: Any) -> None:
    """Where there is a denoiser: some distributions build Blender without one, and pictures are grainy there."""
    try:
        cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:  # not among the choices, of which there are none
        cycles.use_denoising = False
        return
    cycles.use_denoising = True
    cycles.denoising_quality, cycles.denoising_prefilter = "FAST", "NONE"


def _write_images(settings: bpy.types.ImageFormatSettings, file_format: str) -> None:
    if bpy.app.version >= (5, 0, 0):
        settings.media_type = "VIDEO" if file_format == "FFMPEG" else "IMAGE"
    settings.file_format = file_format
    settings.color_mode = "RGB"


@contextmanager
def _clock(scene: bpy.types.Scene, look: Look) -> Iterator[Callable[[int], None]]:
    """A line of text before the lower left corner of the camera, in the picture only and gone afterwards."""
    camera = scene.camera
    text = bpy.data.curves.new("Clock", "FONT")
    glow = bpy.data.materials.new("Clock")
    label = bpy.data.objects.new("Clock", text)
    try:
        if bpy.app.version < (5, 0, 0):
            glow.use_nodes = True
        shader = next(node for node in glow.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (0.0, 0.0, 0.0, 1.0)
        shader.inputs["Emission Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        shader.inputs["Emission Strength"].default_value = 0.6
        text.materials.append(glow)
        scene.collection.objects.link(label)
        near = 4 * camera.data.clip_start
        half = near * camera.data.sensor_width / (2 * camera.data.lens)
        text.size = 0.11 * half
        label.parent = camera
        inset = 0.07 * half
        label.location = (inset - half, inset - half * look.height / look.width, -near)
        label.visible_shadow = label.visible_diffuse = label.visible_glossy = False
        rate = scene.render.fps / scene.render.fps_base

        def set_clock(frame: int) -> None:
            text.body = f"{(frame - scene.frame_start) / rate:.2f} s"

        yield set_clock
    finally:
        bpy.data.objects.remove(label)
        bpy.data.curves.remove(text)
        bpy.data.materials.remove(glow)


def evenly(frames: Sequence[int], count: int) -> list[int]:
    """At most `count` of the frames, the first and the last among them, evenly spread."""
    picked = np.linspace(0, len(frames) - 1, min(count, len(frames))).round().astype(int)
    return [frames[k] for k in picked]


def contact_sheet(pictures: Sequence[Path], path: Path, *, columns: int = 4, gap: int = 8) -> None:
    """One PNG with the pictures, all of one size, row after row, a gap [px] between and around them."""
    panels = [_read_pixels(picture) for picture in pictures]
    height, width, _ = panels[0].shape
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    sheet = np.empty((gap + rows * (height + gap), gap + columns * (width + gap), 4), dtype=np.float32)
    sheet[:] = (*PAPER, 1.0)
    for k, panel in enumerate(panels):
        row, column = divmod(k, columns)
        # Blender's pixel rows run from the bottom up, a sheet is read from the top.
        bottom = gap + (rows - 1 - row) * (height + gap)
        left = gap + column * (width + gap)
        sheet[bottom : bottom + height, left : left + width] = panel
    _write_pixels(sheet, path)


def _read_pixels(path: Path) -> np.ndarray:
    """Displayed colours of an image file, bottom row first, shape (height, width, 4)."""
    image = bpy.data.images.load(str(path))
    try:
        pixels = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
        image.pixels.foreach_get(pixels)
        return pixels.reshape(image.size[1], image.size[0], 4)
    finally:
        bpy.data.images.remove(image)


def _write_pixels(pixels: np.ndarray, path: Path) -> None:
    height, width, _ = pixels.shape
    image = bpy.data.images.new(path.stem, width, height, alpha=False)
    try:
        image.pixels.foreach_set(np.ascontiguousarray(pixels).ravel())
        image.file_format = "PNG"
        image.filepath_raw = str(path)
        image.save()
    finally:
        bpy.data.images.remove(image)


def write_video(pictures: Sequence[Path], path: Path, *, fps: int, fps_base: float = 1.0) -> None:
    """An H.264 video (.mp4) of the pictures, from the sequencer of a scene made for it."""
    reel = bpy.data.scenes.new("Reel")
    try:
        editor = reel.sequence_editor_create()
        strips = editor.strips if bpy.app.version >= (4, 4, 0) else editor.sequences
        strip = strips.new_image("Frames", str(pictures[0]), channel=1, frame_start=1)
        for picture in pictures[1:]:
            strip.elements.append(picture.name)
        width, height = _read_pixels(pictures[0]).shape[1::-1]
        render = reel.render
        render.resolution_x, render.resolution_y, render.resolution_percentage = width, height, 100
        render.fps, render.fps_base = fps, fps_base
        reel.frame_start, reel.frame_end = 1, len(pictures)
        reel.view_settings.view_transform = "Standard"  # the pictures already have the scene's
        _write_images(render.image_settings, "FFMPEG")
        render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
        render.ffmpeg.constant_rate_factor, render.ffmpeg.ffmpeg_preset = "HIGH", "GOOD"
        render.ffmpeg.gopsize = 2 * max(1, round(fps / fps_base))
        render.filepath = str(path)
        bpy.ops.render.render(animation=True, scene=reel.name)
    finally:
        bpy.data.scenes.remove(reel)
