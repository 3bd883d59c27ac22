"""The same bar of tetrahedra, held at one end and sagging, in this engine, in MuJoCo's flex and in PyBullet.

MuJoCo's integrator `discrete` is the one that takes elasticity implicitly; PyBullet's deformables have no such choice
from Python. Times are of one processor, whatever else it does meanwhile. A rival that does not survive the step gets
its time all the same, and the note says so.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from redmax_blender.engine.compile.scene import compile_scene
from redmax_blender.engine.fem.bar import bar
from redmax_blender.engine.integrators.euler import euler
from redmax_blender.engine.model.state import Options
from redmax_blender.engine.scene import BodySpec, Fixed, FleshSpec, JointSpec, MaterialSpec, SceneSpec, Sphere

from .table2 import in_one_thread, print_rows
from .timing import Row, race, row

BENCH = "flesh-rivals"
SIDES = (0.8, 0.2, 0.2)
"""[m]"""
COUNTS = ((8, 2, 2), (16, 4, 4), (24, 6, 6), (32, 8, 8))
"""Bricks along each side; 192, 1,536, 5,184 and 12,288 tetrahedra."""
YOUNG = (1e5, 1e6)
"""[Pa]; like muscle, and ten times as stiff."""
POISSON, DENSITY, DAMPING = 0.45, 1000.0, 0.01
STEP = 1.0 / 96.0
"""[s]; four a frame."""
FALL = 16
"""Steps that are timed together, from the start on: at rest an iterative solver has nothing to do."""
SETTLE = 192
"""Steps after which the tip is compared."""
LARGEST_PYBULLET = 2000
"""Tetrahedra; beyond it a step takes too long to wait for."""


@dataclass
class Contender:
    restart: Callable[[], object]
    step: Callable[[], object]
    tip: Callable[[], float]
    """How far the free end has sunk [m]."""

    def fall(self) -> None:
        self.restart()
        for _ in range(FALL):
            self.step()


def rows() -> Iterator[Row]:
    yield from in_one_thread(f"{__package__}.flesh_rivals")


def _rows() -> Iterator[Row]:
    for young in YOUNG:
        for counts in COUNTS:
            yield from bar_rows(young, counts)


def bar_rows(young: float, counts: tuple[int, int, int]) -> Iterator[Row]:
    X, corner = bar(counts, SIDES)
    contenders = {"ours": ours(X, corner, young), "MuJoCo flex": mujoco_flex(counts, young)}
    if len(corner) <= LARGEST_PYBULLET and young == YOUNG[0]:
        contenders |= pybullet_soft(X, corner, young)
    with np.errstate(all="ignore"):
        seconds = race({name: c.fall for name, c in contenders.items()}, 2.0, time.process_time)
        drops = {name: settled(c) for name, c in contenders.items()}
    for name, drop in drops.items():
        if name != "ours":
            sagged = f"the tip sinks {100.0 * drop:.1f} cm, ours {100.0 * drops['ours']:.1f} cm"
            note = sagged if abs(drop) < 2.0 * SIDES[0] else "it blows up at this step"
            case = f"bar, E = {young / 1e6:g} MPa"
            yield row(BENCH, case, len(corner), seconds["ours"] / FALL, name, seconds[name] / FALL, note)


def settled(c: Contender) -> float:
    for _ in range(SETTLE):
        c.step()
        if not abs(c.tip()) < 2.0 * SIDES[0]:
            break
    return c.tip()


def ours(X: np.ndarray, corner: np.ndarray, young: float) -> Contender:
    flesh = FleshSpec(
        name="bar",
        vertices=[tuple(x) for x in X.tolist()],
        tets=corner.tolist(),
        material=MaterialSpec(young, POISSON, DENSITY, stiffness_damping=DAMPING),
        pinned=np.flatnonzero(X[:, 0] < 1e-9).tolist(),
    )
    post = BodySpec(name="post", shape=Sphere(0.1), joint=JointSpec(type=Fixed()))
    model = compile_scene(SceneSpec(bodies=[post], flesh=[flesh]))
    run = euler(model, model.initial_state(), Options(h=STEP))
    end = X[:, 0] > SIDES[0] - 1e-9

    def restart() -> None:
        run.state, run.count = model.initial_state(), 0

    return Contender(restart, run.__next__, lambda: float((X[end, 2] - run.state.x[end, 2]).mean()))


def mujoco_flex(counts: tuple[int, int, int], young: float) -> Contender:
    nodes = " ".join(str(n + 1) for n in counts)
    spacing = " ".join(f"{s / n:.9g}" for s, n in zip(SIDES, counts))
    mass = DENSITY * float(np.prod(SIDES))
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco>
          <option timestep="{STEP}" integrator="discrete" solver="CG"/>
          <size memory="1G"/>
          <worldbody>
            <flexcomp name="bar" type="grid" dim="3" count="{nodes}" spacing="{spacing}" mass="{mass}" radius="0.001">
              <contact selfcollide="none" contype="0" conaffinity="0"/>
              <elasticity young="{young}" poisson="{POISSON}" damping="{DAMPING}"/>
              <pin gridrange="0 0 0 0 {counts[1]} {counts[2]}"/>
            </flexcomp>
          </worldbody>
        </mujoco>""")
    data = mujoco.MjData(model)
    mujoco.set_mju_user_warning(lambda _: None)
    mujoco.mj_forward(model, data)
    start = data.flexvert_xpos.copy()
    end = start[:, 0] > start[:, 0].max() - 1e-6
    return Contender(
        lambda: mujoco.mj_resetData(model, data),
        lambda: mujoco.mj_step(model, data),
        lambda: float((start - data.flexvert_xpos)[end, 2].mean()),
    )


def pybullet_soft(X: np.ndarray, corner: np.ndarray, young: float) -> dict[str, Contender]:
    """Nothing where PyBullet is not installed."""
    try:
        import pybullet
    except ModuleNotFoundError:
        return {}
    mu, lam = young / (2 + 2 * POISSON), young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.resetSimulation(pybullet.RESET_USE_DEFORMABLE_WORLD, physicsClientId=client)
    pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
    pybullet.setTimeStep(STEP, physicsClientId=client)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bar.vtk"
        path.write_text(vtk(X, corner))
        body = pybullet.loadSoftBody(
            str(path), simFileName=str(path), mass=DENSITY * float(np.prod(SIDES)), useNeoHookean=1,
            NeoHookeanMu=mu, NeoHookeanLambda=lam, NeoHookeanDamping=DAMPING, useSelfCollision=0,
            collisionMargin=0.001, physicsClientId=client,
        )  # fmt: skip
    for vertex in np.flatnonzero(X[:, 0] < 1e-9).tolist():
        pybullet.createSoftBodyAnchor(body, vertex, -1, -1, physicsClientId=client)
    end = X[:, 0] > SIDES[0] - 1e-9

    def tip() -> float:
        mesh = pybullet.getMeshData(body, flags=pybullet.MESH_DATA_SIMULATION_MESH, physicsClientId=client)
        return float((X - np.array(mesh[1]))[end, 2].mean())

    return {"PyBullet": Contender(lambda: None, lambda: pybullet.stepSimulation(physicsClientId=client), tip)}


def vtk(X: np.ndarray, corner: np.ndarray) -> str:
    """Tetrahedra as a legacy VTK file."""
    points = "\n".join(f"{x:.9g} {y:.9g} {z:.9g}" for x, y, z in X)
    cells = "\n".join(f"4 {a} {b} {c} {d}" for a, b, c, d in corner)
    return (
        "# vtk DataFile Version 2.0\nbar\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        f"POINTS {len(X)} double\n{points}\nCELLS {len(corner)} {5 * len(corner)}\n{cells}\n"
        f"CELL_TYPES {len(corner)}\n" + "10\n" * len(corner)
    )


if __name__ == "__main__":
    # PyBullet writes to standard output past Python: that goes to standard error, and the rows stay by themselves.
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print_rows(_rows)
