"""Smooth paths over surfaces: a string of points that a soft barrier keeps outside, without a kink where it lifts off.

The string minimises n/2 Σ |x_i+1 - x_i|² + 1/n Σ φ(d(x_i)): its points are equally spaced by themselves, which is the
assumption of equal strain. The barrier φ acts from a *rounding* above the surface on, so that a path that is farther
away is exactly straight; with the rounding at zero and many points it is the exact path. Length, moment arms, and the
motion of every point and its acceleration follow from implicit differentiation.
"""

from .evaluate import evaluate

__all__ = ["evaluate"]
