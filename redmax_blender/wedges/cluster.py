"""The runs of a wedge on a Dask cluster: one on this machine's cores, or one that is there already.

Scheduling, retries and lost workers are Dask's business. Each run is one task, whose result is a small report; frames
go to the wedge's folder as they come, which all workers must see.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..engine.errors import InputError
from .one_run import run_one

Told = Callable[[dict[str, Any]], bool | None]
"""Called with the report of each run that has ended, in the order in which they end; False cancels the others."""

DEATHS = 10
"""Workers that may die under a run before it is given up."""
PATIENCE = 60.0
"""How long to wait for a cluster to answer [s]."""


def run_all(folder: Path, numbers: Sequence[int], told: Told, workers: int = 0, address: str = "") -> None:
    """Do these runs of a wedge, on processes of this machine (0: one a core), or on the cluster at an address."""
    with _client(workers, address) as client:
        if address:
            _check(client, folder)
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        tasks = {
            client.submit(run_one, str(folder), number, pure=False, retries=3): number for number in numbers
        }
        for task in as_completed(tasks):
            try:
                report = task.result()
            except KilledWorker:
                report = {
                    "number": tasks[task],
                    "status": "failed",
                    "message": f"{DEATHS} workers died under it",
                }
            except (
                Exception
            ) as error:  # whatever happened in another process is that run's, and the others go on
                report = {"number": tasks[task], "status": "failed", "message": f"{error}"}
            task.release()
            if told(report) is False:
                client.cancel(list(tasks), force=True)
                return


@contextmanager
def _client(workers: int, address: str) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError(
            "wedge",
            "Dask's 'distributed' is not installed in this Python",
            "Install it: python -m pip install distributed.",
        ) from None
    logging.getLogger("distributed").setLevel(logging.ERROR)
    dask.config.set({"distributed.scheduler.allowed-failures": DEATHS})
    if address:
        try:
            client = Client(address, timeout=PATIENCE)
        except (OSError, ValueError) as error:
            raise InputError(
                f"cluster {address}",
                f"it does not answer ({error})",
                "Check its address, such as tcp://192.168.1.5:8786, and whether its scheduler runs.",
            ) from None
        with client:
            yield client
        return
    count = workers or os.cpu_count() or 1
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    os.environ.update(threads)  # which the workers have from here
    with (
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield client


def _check(client: Any, folder: Path) -> None:
    """Whether the workers have RedMax and see the folder, before anything is asked of them."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError("cluster", "it has no workers", "Start some: dask worker ADDRESS.") from None
    token = folder / f".{secrets.token_hex(8)}"
    token.touch()
    try:
        seen = client.run(_sees, str(token), on_error="return")
    finally:
        token.unlink()
    for worker, answer in seen.items():
        if isinstance(answer, Exception):
            raise InputError(
                f"worker {worker}",
                f"RedMax does not run there ({answer})",
                f"Let its Python find the package '{__name__.split('.')[0]}' (PYTHONPATH) and what it needs.",
            )
        if not answer:
            raise InputError(
                f"worker {worker}",
                f"it does not see the folder '{folder}'",
                "Choose a folder that all machines share.",
            )


def _sees(path: str) -> bool:
    return Path(path).exists()
