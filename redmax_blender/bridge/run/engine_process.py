"""The engine's process as Blender sees it: one that stays ready between simulations, so that they begin at once.

It starts when something is made physical or a file with something physical is opened, loads its kernels meanwhile, and
ends with Blender. When it has died, the next request starts another one.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
from collections import deque
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from time import monotonic
from typing import Any

from ...engine.errors import InputError
from ...engine.scene import SceneSpec
from ...engine.scene.file import encode_scene

PACKAGE = Path(__file__).resolve().parents[2]
PATIENCE = 0.3
"""Time [s] that what was stopped may take to end before its process is ended, when something else is waiting."""

Message = tuple[dict[str, Any], bytes]


def start_process(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a module of the bridge that needs no Blender, in a process of its own with pipes to it and from it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", f"{PACKAGE.name}.bridge.{module}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(PACKAGE.parent)])},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


class Job:
    """Something that the engine was asked for: what it has said so far."""

    def __init__(self, number: int, request: bytes) -> None:
        self.number = number
        self.request = request
        self.process: subprocess.Popen[bytes] | None = None
        """Which it was sent to."""
        self.said: deque[Message] = deque()
        self.begun = False
        """Whether the engine has said anything about it."""
        self.ended = False
        self.stopped: float | None = None
        """When it was told to stop [s]."""


class EngineProcess:
    """A process of `worker`, started when it is needed."""

    def __init__(self) -> None:
        self.ready = False
        """Whether it has loaded what most scenes need."""
        self._process: subprocess.Popen[bytes] | None = None
        self._jobs: dict[int, Job] = {}
        """Those that have not ended."""
        self._count = 0
        self._lock = Lock()
        self._lines: Queue[bytes | None] = Queue()

    @property
    def process_id(self) -> int | None:
        """Of the process that there is, for the curious."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def numbers(self) -> set[int]:
        """Of what was asked for and has not ended."""
        with self._lock:
            return set(self._jobs)

    def prepare(self) -> None:
        """Let there be a process; harmless when there is one."""
        if self.process_id is not None:
            return
        self.ready = False
        self._process = start_process("run.worker")
        self._lines = Queue()
        # Threads, because pipes block; they touch nothing but the pipes, the queue and the jobs.
        Thread(target=self._write, args=(self._process, self._lines), daemon=True).start()
        Thread(target=self._read, args=(self._process,), daemon=True).start()

    def ask(self, kind: str, scene: SceneSpec, **about: Any) -> Job:
        """Request a run ("run"), a live one ("live"), or what parts feel ("inquire")."""
        self.prepare()
        self._count += 1
        data = encode_scene(scene)
        head = json.dumps({kind: self._count, "bytes": len(data), **about}).encode()
        job = Job(self._count, head + b"\n" + data)
        self._send(job)
        self._end_what_hangs()
        return job

    def _send(self, job: Job) -> None:
        with self._lock:
            job.process = self._process
            self._jobs[job.number] = job
        self._lines.put(job.request)

    def tell(self, job: Job, command: dict[str, Any]) -> None:
        """Send a command to a live run."""
        self._lines.put(json.dumps({"tell": job.number, "command": command}).encode() + b"\n")

    def hear(self, job: Job) -> Message | None:
        """The next message about a job, None when there is none yet; InputError when its process has died."""
        if job.said:
            return job.said.popleft()
        if job.ended:
            code = None if job.process is None else job.process.poll()
            raise InputError(
                "Engine",
                f"its process ended unexpectedly (exit code {code})",
                "See the system console for the reason; simulating again starts a new one.",
            )
        self._end_what_hangs()
        return None

    def stop(self, job: Job) -> None:
        """A job is wanted no longer; harmless when it has ended."""
        if job.ended or job.stopped is not None:
            return
        job.stopped = monotonic()
        self._lines.put(json.dumps({"stop": job.number}).encode() + b"\n")

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        self._lines.put(None)
        if process is not None:
            process.kill()
            process.wait()

    def _end_what_hangs(self) -> None:
        """Where something waits for a job that was stopped and does not end: another process, for what waits."""
        with self._lock:
            jobs = list(self._jobs.values())
        waiting = [job for job in jobs if job.stopped is None]
        now = monotonic()
        hangs = any(job.stopped is not None and now - job.stopped > PATIENCE for job in jobs)
        if not (waiting and hangs) or any(job.begun for job in waiting):
            return
        with self._lock:
            self._jobs.clear()
        self.close()
        self.prepare()
        for job in waiting:
            self._send(job)

    @staticmethod
    def _write(process: subprocess.Popen[bytes], lines: Queue[bytes | None]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError), process.stdin as pipe:  # it may have died: `_read` finds out
            while (data := lines.get()) is not None:
                pipe.write(data)
                with contextlib.suppress(Empty):  # what is there goes together
                    while (data := lines.get_nowait()) is not None:
                        pipe.write(data)
                    return
                pipe.flush()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as pipe:
            while line := pipe.readline():
                message = json.loads(line)
                payload = pipe.read(message["bytes"])
                if len(payload) < message["bytes"]:
                    break
                self._take(message, payload)
        process.wait()
        with self._lock:
            for job in [job for job in self._jobs.values() if job.process is process]:
                job.ended = True
                del self._jobs[job.number]

    def _take(self, message: dict[str, Any], payload: bytes) -> None:
        if "ready" in message:
            self.ready = True
        with self._lock:
            job = self._jobs.get(message["run"])
            if job is None:
                return
            job.begun = True
            job.said.append((message, payload))
            if "end" in message or "error" in message:
                del self._jobs[job.number]


engine = EngineProcess()
"""The one of this Blender."""
atexit.register(engine.close)
