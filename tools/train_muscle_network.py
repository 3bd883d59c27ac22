"""Train the network of paths over cylinders: `make muscle-network`, or this file by an interpreter that has PyTorch.

As published (thesis, 5.3.3): a tanh network, here 6 layers of 256, learns from samples of the exact path; those that
have only just touched, with less than a hundredth of their length on the surface, are thrown away.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from redmax_blender.engine.muscles.paths.network import plane

STEEPEST = 0.05
"""Longer gradients are shortened: one bad batch must not undo what was learned."""
MARGIN = 0.03
"""Samples go this far beyond the range, as a part of it, so that its edges are learned as well as its middle."""


def samples(
    rng: np.random.Generator, count: int, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs (n, 4), answers (n, 3), and how much each of the answers weighs (n, 3)."""
    low, high = np.log(plane.NEAREST), np.log(plane.FARTHEST)
    near = np.exp(rng.uniform(low - 0.02, high + MARGIN * (high - low), count))
    far = np.exp(rng.uniform(low - 0.02, high + MARGIN * (high - low), count))
    span = plane.MOST_TURN - plane.LEAST_TURN
    turn = np.clip(
        rng.uniform(plane.LEAST_TURN - MARGIN * span, plane.MOST_TURN + MARGIN * span, count), 1e-3, 6.28
    )
    alpha = rng.beta(0.8, 0.8, count)
    answers, length, arc = plane.targets(near, far, turn, alpha)
    keep = (arc == 0.0) | (arc / length >= threshold)
    size = plane.scale(near, far, turn) / length
    window = np.maximum(4.0 * alpha * (1.0 - alpha), 0.1) * size
    weights = np.stack([window, window, size], axis=1)
    return plane.inputs(near, far, turn, alpha)[keep], answers[keep], weights[keep]


def network(layers: int, width: int) -> torch.nn.Sequential:
    parts: list[torch.nn.Module] = []
    before = plane.INPUTS
    for _ in range(layers):
        parts += [torch.nn.Linear(before, width), torch.nn.Tanh()]
        torch.nn.init.xavier_normal_(parts[-2].weight, gain=5.0 / 3.0 if before == plane.INPUTS else 1.2)
        before = width
    return torch.nn.Sequential(*parts, torch.nn.Linear(before, plane.OUTPUTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="file of weights to write (.npz)")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--steps", type=int, default=18000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=7e-4)
    parser.add_argument("--threshold", type=float, default=0.01, help="of wrapped length to length")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)
    model = network(args.layers, args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, args.rate, total_steps=args.steps, pct_start=0.05
    )
    began = time.time()
    pool = samples(rng, 64 * args.batch, args.threshold)
    at, mean = 0, 0.0
    for step in range(args.steps):
        if at + args.batch > len(pool[0]):
            pool, at = samples(rng, 64 * args.batch, args.threshold), 0
        x, y, w = (torch.from_numpy(part[at : at + args.batch].astype(np.float32)) for part in pool)
        at += args.batch
        error = w * (model(x) - y)
        # the fourth power beside the square: what counts is the worst point
        loss = (error**2).mean() + 30.0 * (error**4).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), STEEPEST)
        optimizer.step()
        schedule.step()
        mean += float((error.detach() ** 2).mean())
        if (step + 1) % 200 == 0:
            print(f"{step + 1:6d} rms {np.sqrt(mean / 200):.2e} {time.time() - began:6.0f} s", flush=True)
            mean = 0.0
        if (step + 1) % 1000 == 0:
            write(model, args.out)
    write(model, args.out)
    x, y, w = samples(np.random.default_rng(args.seed + 1), 200_000, 0.0)
    with torch.no_grad():
        error = np.abs(w * (model(torch.from_numpy(x.astype(np.float32))).numpy() - y))
    print(f"of the length: mean {error.mean():.2e}, worst {error.max():.2e}; {time.time() - began:.0f} s")


def write(model: torch.nn.Sequential, out: Path) -> None:
    layers = [part for part in model if isinstance(part, torch.nn.Linear)]
    arrays = {}
    for i, layer in enumerate(layers):
        arrays[f"weight{i}"] = layer.weight.detach().numpy().astype(np.float32)
        arrays[f"bias{i}"] = layer.bias.detach().numpy().astype(np.float32)
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main()
