"""Materials: what a user states about one, and the dispatch that kernels call. One file a kind.

Every kind is isotropic and therefore a function of the stretches σ alone. It gives the energy W(σ), the stress
ψ = ∂W/∂σ, and the curvature: ∂²W/∂σ² and the six slopes (ψi ± ψj)/(σi ± σj) that belong to turning the principal axes.
These are the eigenvalues of ∂²W/∂F² in the frame of U and V (Smith, De Goes, Kim 2019), so that a matrix without
negative eigenvalues is a matter of a few numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ...algebra.spatial import Tuple
from ...errors import InputError
from ...jit.decorators import inline
from . import corotated, neo_hookean


class Kind(IntEnum):
    COROTATED = 0
    NEO_HOOKEAN = 1


KINDS = {"corotated": Kind.COROTATED, "neo-hookean": Kind.NEO_HOOKEAN}

_NEO_HOOKEAN = int(Kind.NEO_HOOKEAN)


@dataclass(frozen=True)
class Material:
    """An elastic material with Rayleigh damping."""

    young: float
    """Young's modulus [Pa]."""
    poisson: float = 0.45
    """Poisson's ratio, in (-1, 0.5)."""
    density: float = 1000.0
    """[kg/m³]"""
    kind: str = "corotated"
    """One of `KINDS`."""
    mass_damping: float = 0.0
    """Rayleigh's coefficient of the mass, α [1/s]: like drag, it also slows rigid motion."""
    stiffness_damping: float = 0.0
    """Rayleigh's coefficient of the stiffness, β [s]: slows changes of shape only."""

    @property
    def mu(self) -> float:
        """Lamé's second parameter, the shear modulus [Pa]."""
        return self.young / (2.0 * (1.0 + self.poisson))

    @property
    def lam(self) -> float:
        """Lamé's first parameter [Pa]."""
        return self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))


def check_material(material: Material, place: str) -> None:
    """Raise an InputError that names the first number of the material that cannot be used."""
    m = material
    if m.kind not in KINDS:
        raise InputError(
            f"{place}.kind", f"there is no material '{m.kind}'", f"Use one of: {', '.join(KINDS)}."
        )
    for name, unit in (("young", "Pa"), ("density", "kg/m³")):
        value = getattr(m, name)
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"{place}.{name}", f"it is {value:g} {unit}", "Give a positive number.")
    if not -1.0 < m.poisson < 0.5:
        raise InputError(
            f"{place}.poisson",
            f"Poisson's ratio is {m.poisson:g}, outside (-1, 0.5)",
            "Give a number in between: 0.45 is like flesh, 0.3 like cork, 0.49 nearly keeps the volume.",
        )
    for name, unit in (("mass_damping", "1/s"), ("stiffness_damping", "s")):
        value = getattr(m, name)
        if not (math.isfinite(value) and value >= 0.0):
            raise InputError(f"{place}.{name}", f"it is {value:g} {unit}", "Give zero or a positive number.")


@inline
def energy(kind: int, s: Tuple, mu: float, lam: float) -> float:
    """Energy a volume [J/m³]."""
    if kind == _NEO_HOOKEAN:
        return neo_hookean.energy(s, mu, lam)
    return corotated.energy(s, mu, lam)


@inline
def stress(kind: int, s: Tuple, mu: float, lam: float) -> Tuple:
    """ψi = ∂W/∂σi [Pa]."""
    if kind == _NEO_HOOKEAN:
        return neo_hookean.stress(s, mu, lam)
    return corotated.stress(s, mu, lam)


@inline
def curvature(kind: int, s: Tuple, mu: float, lam: float) -> Tuple:
    """∂²W/∂σ² (00 01 02 11 12 22), then (ψi - ψj)/(σi - σj) and (ψi + ψj)/(σi + σj) of the pairs 01, 02, 12 [Pa]."""
    if kind == _NEO_HOOKEAN:
        return neo_hookean.curvature(s, mu, lam)
    return corotated.curvature(s, mu, lam)


@inline
def positive_curvature(kind: int, s: Tuple, mu: float, lam: float) -> Tuple:
    """The same without negative eigenvalues, so that a step's matrix is positive definite."""
    if kind == _NEO_HOOKEAN:
        return neo_hookean.positive_curvature(s, mu, lam)
    return corotated.positive_curvature(s, mu, lam)
