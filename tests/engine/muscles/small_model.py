"""A small leg in OpenSim's format, written here: a knee that slides as it bends, every kind of path point, surfaces."""

from __future__ import annotations


def coordinate(name: str, default: float = 0.0, low: float = -2.0, high: float = 2.0) -> str:
    return f'<Coordinate name="{name}"><default_value>{default}</default_value><range>{low} {high}</range></Coordinate>'


def frame(name: str, parent: str, place: str = "0 0 0", turn: str = "0 0 0") -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{place}</translation><orientation>{turn}</orientation></PhysicalOffsetFrame>"
    )


def axis(
    name: str, direction: str, coordinates: str = "", function: str = "<Constant><value>0</value></Constant>"
) -> str:
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinates}</coordinates><axis>{direction}</axis>'
        f"{function}</TransformAxis>"
    )


LINE = '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>'
SLIDE = (
    '<MultiplierFunction name="function"><function><SimmSpline><x>-2 -1 0 1 2</x><y>-0.03 -0.01 0 0.004 0.01</y>'
    "</SimmSpline></function><scale>1.1</scale></MultiplierFunction>"
)


def joint(
    kind: str, name: str, parent: str, child: str, coordinates: str, more: str = "", at: str = "0 0 0"
) -> str:
    """Its frames have names that other joints use as well, as they may."""
    return f"""<{kind} name="{name}">
      <socket_parent_frame>before</socket_parent_frame><socket_child_frame>after</socket_child_frame>
      <coordinates>{coordinates}</coordinates>
      <frames>{frame("before", parent, at, "0.1 0 0.2")}{frame("after", child, "0 0.01 0", "0 0.3 0")}</frames>
      {more}</{kind}>"""


def body(name: str, mass: float, wraps: str = "") -> str:
    return f"""<Body name="{name}"><mass>{mass}</mass><mass_center>0.01 -0.2 0.02</mass_center>
      <inertia>0.02 0.005 0.021 0.001 0.0005 -0.0004</inertia>
      <WrapObjectSet><objects>{wraps}</objects></WrapObjectSet></Body>"""


CYLINDER = """<WrapCylinder name="condyle"><xyz_body_rotation>0 0.1 0</xyz_body_rotation>
  <translation>0.02 -0.38 0</translation><quadrant>all</quadrant><radius>0.035</radius>
  <length>0.3</length></WrapCylinder>"""


def point(name: str, frame_path: str, location: str, kind: str = "PathPoint", more: str = "") -> str:
    return (
        f'<{kind} name="{name}"><socket_parent_frame>{frame_path}</socket_parent_frame>'
        f"<location>{location}</location>{more}</{kind}>"
    )


MOVING = """<MovingPathPoint name="patella"><socket_parent_frame>/bodyset/shank</socket_parent_frame>
  <socket_x_coordinate>/jointset/knee/bend</socket_x_coordinate>
  <socket_y_coordinate>/jointset/knee/bend</socket_y_coordinate>
  <socket_z_coordinate>/jointset/knee/bend</socket_z_coordinate>
  <x_location><SimmSpline><x>-2 -1 0 2</x><y>0.05 0.06 0.055 0.04</y></SimmSpline></x_location>
  <y_location><PiecewiseLinearFunction><x>-3 3</x><y>0.02 -0.02</y></PiecewiseLinearFunction></y_location>
  <z_location><Constant><value>0.003</value></Constant></z_location></MovingPathPoint>"""


def muscle(name: str, points: str, wraps: str = "", more: str = "") -> str:
    return f"""<Millard2012EquilibriumMuscle name="{name}">
      <max_isometric_force>900</max_isometric_force><optimal_fiber_length>0.08</optimal_fiber_length>
      <tendon_slack_length>0.2</tendon_slack_length>{more}
      <GeometryPath name="path"><PathPointSet><objects>{points}</objects></PathPointSet>
      <PathWrapSet><objects>{wraps}</objects></PathWrapSet></GeometryPath></Millard2012EquilibriumMuscle>"""


HIP = "".join(
    [
        axis("rotation1", "0 0 1", "swing", LINE),
        axis("rotation2", "1 0 0", "spread", LINE),
        axis("rotation3", "0 1 0"),
        axis("translation1", "1 0 0"),
        axis("translation2", "0 1 0"),
        axis("translation3", "0 0 1"),
    ]
)
KNEE = "".join(
    [
        axis("rotation1", "0 0 1", "bend", LINE),
        axis("rotation2", "0 1 0"),
        axis("rotation3", "1 0 0"),
        axis("translation1", "1 0 0", "bend", SLIDE),
        axis("translation2", "0 1 0", "bend", SLIDE),
        axis("translation3", "0 0 1"),
    ]
)
COUPLER = """<CoordinateCouplerConstraint name="follow"><coupled_coordinates_function>
  <LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction></coupled_coordinates_function>
  <independent_coordinate_names>bend</independent_coordinate_names>
  <dependent_coordinate_name>toe</dependent_coordinate_name></CoordinateCouplerConstraint>"""


def leg(muscles: str | None = None, constraints: str = "", extra: str = "", wraps: str = CYLINDER) -> str:
    """Ground, thigh, shank, foot; coordinates swing, spread, bend, toe."""
    given = muscles if muscles is not None else straight() + quadriceps() + hamstring()
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="40000"><Model name="leg"><Ground name="ground"/><gravity>0 -9.81 0.5</gravity>
  <BodySet><objects>{body("thigh", 7.0, wraps)}{body("shank", 3.0)}{body("foot", 1.0)}</objects></BodySet>
  <JointSet><objects>
  {
        joint(
            "CustomJoint",
            "hip",
            "/ground",
            "/bodyset/thigh",
            coordinate("swing") + coordinate("spread", 0.1),
            f"<SpatialTransform>{HIP}</SpatialTransform>",
        )
    }
  {joint("PinJoint", "ankle", "/bodyset/shank", "/bodyset/foot", coordinate("toe"), "", "0 -0.42 0")}
  {
        joint(
            "CustomJoint",
            "knee",
            "/bodyset/thigh",
            "/bodyset/shank",
            coordinate("bend", -0.4),
            f"<SpatialTransform>{KNEE}</SpatialTransform>",
            "0 -0.4 0",
        )
    }
  </objects></JointSet>
  <ConstraintSet><objects>{constraints}</objects></ConstraintSet>
  <ForceSet><objects>{given}</objects></ForceSet>{extra}</Model></OpenSimDocument>"""


def straight() -> str:
    points = point("a", "/bodyset/shank", "0.02 -0.1 0.01") + point("b", "/bodyset/foot", "0.05 -0.02 0")
    return muscle("tibialis", points)


def quadriceps() -> str:
    points = (
        point("a", "/ground", "0.05 0.05 0.02")
        + point(
            "b", "/bodyset/thigh", "0.06 -0.3 0", "ConditionalPathPoint",
            "<socket_coordinate>/jointset/knee/bend</socket_coordinate><range>-2 -0.2</range>",
        )
        + MOVING
    )  # fmt: skip
    return muscle("quadriceps", points)


def hamstring() -> str:
    points = point("a", "/bodyset/thigh", "0.05 -0.1 0.01") + point("b", "/bodyset/shank", "0.045 -0.08 0")
    wrap = '<PathWrap name="w"><wrap_object>condyle</wrap_object><range>-1 -1</range></PathWrap>'
    return muscle("wrapped", points, wrap)
