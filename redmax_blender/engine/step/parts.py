"""What the kernel of steps (`steps.py`) is given: tuples of arrays, one for each thing there is.

There is one signature: what a scene lacks is an array of length zero.
"""

from __future__ import annotations

from typing import NamedTuple

from ..algebra.arrays import Floats, Ints, Mask


class Links(NamedTuple):
    """The links of a forest (`model.Tree`), nl links and nr coordinates."""

    parent: Ints
    kind: Ints
    dof: Ints
    at: Ints
    params: Floats
    E_pj0: Floats
    inertia: Floats
    """Of each link, shape (nl, 21)."""
    mass: Floats
    """With implicit drag, shape (nl, 21)."""
    drag: Floats
    """Explicit drag, shape (nl, 21), or (0, 21) for none."""
    gravity: Floats
    tree: Ints
    """Number of the tree that each coordinate is in, shape (nr,)."""
    of_link: Ints
    """The same of each link, shape (nl + 1,)."""
    owner: Ints
    """The link of each coordinate, shape (nr,)."""
    switchable: Mask
    turn_limit: Floats
    turning: Mask
    """Coordinates that turn something, shape (nr,)."""
    centred: Ints
    """Ball and free joints whose coordinates are centred in every step (`centres.Centres`), and about what."""
    centres: Floats


class Numbers(NamedTuple):
    """What steers the step."""

    h: float
    fast: float
    """Velocity [m/s] from which on a contact bounces, and something hits."""
    tolerance: float
    enough: float
    part: float
    slop: float
    goal: float
    """Error of constraints that a step may leave [m]."""
    fall: float
    size: float
    calm_speed: float
    corrections: int
    members: int
    bodies_collide: bool
    trees: int
    longest: int
    boxed: bool


class Shapes(NamedTuple):
    """What collides (`contact.shapes.surfaces`), n pieces."""

    link: Ints
    collider: Ints
    vertex: Ints
    E: Floats
    half: Floats
    rounding: Floats
    bounded: Ints
    planes: Ints
    owner: Ints
    still: Mask
    group: Ints
    ignores: Ints
    apart: Ints
    parted: Ints
    moving: Ints
    """First of the six curves of each collider, -1 for those that stay, shape (ncol,)."""
    pose: Floats
    """Poses of colliders that stay, shape (ncol, 12)."""
    friction: Floats
    restitution: Floats


class Solids(NamedTuple):
    """`contact.shapes.surfaces.Solids` and `Meshes`."""

    kind: Ints
    size: Floats
    first: Ints
    verts: Floats
    faces: Ints
    face_at: Ints
    face_vertex: Ints
    face_normal: Floats
    edge_at: Ints
    edge_to: Ints
    guard: Floats
    mesh_of: Ints
    mesh_first: Ints
    corner: Floats
    normal: Floats
    beside: Floats
    edge: Ints
    closed: Ints
    order: Ints
    node_first: Ints
    nodes: Floats


class Stops(NamedTuple):
    """Hard stops (`model.Limits`), nh of them."""

    dof: Ints
    link: Ints
    side: Floats
    bound: Floats
    restitution: Floats


class Inputs(NamedTuple):
    """Everything that varies with time, as curves (`curves.Curves`), in the order of the ranges that `starts` has:
    torques, motions, speeds of motors, forces, air, guides, their influence, colliders, targets of rows, fields."""

    starts: Ints
    first: Ints
    until: Floats
    formula: Ints
    at: Ints
    data: Floats


class Acting(NamedTuple):
    """What acts in the joints' own coordinates."""

    stiffness: Floats
    damping: Floats
    rest: Floats
    explicit: Floats
    torque_dof: Ints
    motion_dof: Ints
    modes: Ints
    """How each motion is followed now; Python changes it."""
    guide: Floats
    stop_dof: Ints
    stops: Floats
    motor_dof: Ints
    motor_link: Ints
    motor_push: Floats
    """Largest impulse of each motor in a step."""
    asleep: Mask
    """Coordinates of trees that sleep, shape (nr,); Python changes it."""
    threshold: Floats
    """Impulse on each link that wakes its group [N·s], infinite where none does, shape (nl,); Python changes it."""
    profile_dof: Ints
    profile_first: Ints
    profile_until: Floats
    profile_formula: Ints
    profile_at: Ints
    profile_data: Floats


class Pulls(NamedTuple):
    """Forces on bodies over time and wind (`model.External`), and points that are guided (`model.Guides`)."""

    link: Ints
    x: Floats
    axes: Floats
    in_world: Mask
    wind_link: Ints
    wind_x: Floats
    wind_drag: Floats
    guide_point: Ints
    guide_link: Ints
    guide_x: Floats
    guide_direction: Floats
    guide_stiffness: Floats
    guide_damping: Floats
    guide_reach: Floats
    influenced: Ints
    """Guides with an influence over time, in the order of their curves."""
    spans: Floats
    """When guides lead: number of the guide, from and until [s], shape (n, 3)."""
    field_kind: Ints
    """Fields of force (`model.Fields`), whose curves are the last of all."""
    field_number: Floats
    field_order: Ints
    field_link: Ints
    field_at: Floats
    field_weight: Floats


class Bonds(NamedTuple):
    """What binds links to each other: rows of loops, gears, ropes, and springs, in the order of their rows."""

    on: Mask
    """Which of the rows, gears and ropes hold now; Python changes it."""
    type: Ints
    link: Ints
    x: Floats
    axis: Floats
    value: Floats
    world_x: Floats
    """The world's side of each row, which the kernel moves along its curves, shape (m, 3)."""
    world_axis: Floats
    axis_at_rest: Floats
    path: Ints
    turn: Ints
    lever: Floats
    gear_first: Ints
    gear_dof: Ints
    gear_factor: Floats
    gear_offset: Floats
    gear_lever: Floats
    rope_link: Ints
    rope_x: Floats
    rope_length: Floats
    rope_side: Floats
    spring_first: Ints
    spring_link: Ints
    spring_x: Floats
    stiffness: Floats
    damping: Floats
    rest: Floats
    tension_only: Ints
    tangent: Ints


class Rows(NamedTuple):
    """Rows of bonds at one state, with room for all there may be: n rows of k terms."""

    first: Ints
    """Row i has the terms first[i]:first[i+1], shape (n + 1,)."""
    link: Ints
    """Of each term, shape (k,)."""
    dof: Ints
    """Coordinate of a term, -1 where it is a wrench, shape (k,)."""
    w: Floats
    """Wrench of a term in its link's frame, or a factor in the first column, shape (k, 6)."""
    wanted: Floats
    """Velocity of each row, shape (n,)."""
    soft: Floats
    """What each gives way for a unit of impulse, shape (n,)."""
    kind: Ints
    """EQUAL or PUSH, shape (n,)."""
    gap: Floats
    """How far a rope is from being taut [m], shape (n,)."""
    source: Ints
    """What each is: its number among rows, gears and ropes, -1 for springs, shape (n,)."""
    error: Floats
    """Of rows and gears, shape (m,)."""
    before: Floats
    """The same at the start of the step, with the world's side where it is then, shape (m,)."""
    ahead: Floats
    """The same where the velocities at the start would lead, shape (m,)."""
    bend: Floats
    """What of `wanted` follows from the way being curved (`constraints.active._bend`), shape (n,)."""
    value: Floats
    """Impulses, of the last step before they are found, shape (n,)."""


class Work(NamedTuple):
    """Where a step works; what is in it belongs to the last step that was begun."""

    links: Floats
    coordinates: Floats
    pieces: Floats
    calm: Mask
    poses: Floats
    """Of colliders, at the start and at the end of the step, shape (ncol, 24)."""
    twists: Floats
    """Their mean twists, shape (ncol, 6)."""


class Kept(NamedTuple):
    """What a step leaves to the next (`friction.memory.DryMemory`)."""

    keys: Ints
    impulse: Floats
    place: Floats
    owner: Ints
    row_value: Floats
    motor: Floats
