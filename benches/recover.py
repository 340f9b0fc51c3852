"""The peer of `recover`: PyTorch's Adam from random starts, as often as the time allows.

Usage: recover.py PROGRAM FOLDER [--quick]

For each cell, teachers with output weights in [1, 2] are planted by `shallows teach`, and `shallows recover` and Adam get
the same samples, in turns. Adam has as much time as ours took, and then ten times as much. It trains m relu units with
positive output weights a and free hidden weights w; ours is not told m. Found means e < 1e-4 with the e of
src/recover/alignment.rs; ours must also have said so itself.

The peer is given every help that costs nothing: single precision, the true number of units, and it may stop as soon as
the teacher is found, which only someone who knows the teacher can see. A start lasts a number of steps in which the
step size falls along a cosine; every second start is twice as long, so that neither too many short ones nor one long
one uses up the time.

The batch and the step size were chosen in its favour: of ten pairs, with batches of 256 to 4096 rows and steps of 0.05
to 0.2, these found most of four teachers with d = m = 20 and n = 10000 in 15 seconds on one core (3; the others 0 to 2).
"""

import argparse
import json
import math
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import torch

FOUND = 1e-4  # e below this counts as found
BATCH = 512  # rows
STEPS = 2000  # of the first start
STEP_SIZE = 0.1  # at the beginning of a start
LAST = 0.01  # of it is left at the end
LOOK = 100  # steps between looks at the units
MORE = 10  # times our time, for the second search
CELLS = [(5, 5, 1000, True), (10, 10, 3000, True), (10, 5, 1000, False), (20, 10, 3000, False), (20, 20, 10000, True)]


def error(B, B_star):
    """e(Q), Q = B [B*; N]^-1 with rows of length 1."""
    m, d = B_star.shape
    B_star = B_star / np.linalg.norm(B_star, axis=1, keepdims=True)
    rest = np.linalg.svd(B_star)[2][m:]
    Q = B @ np.linalg.inv(np.vstack([B_star, rest]))
    lengths = np.linalg.norm(Q, axis=1, keepdims=True)
    Q = np.abs(Q[:, :m]) / np.where(lengths > 0.0, lengths, 1.0)
    return float(max(1.0 - Q.max(axis=1).min(), 1.0 - Q.max(axis=0).min()))


class Rows:
    """Batches of rows in shuffled order, without end."""

    def __init__(self, X, y, size, generator):
        self.X, self.y, self.size, self.generator = X, y, min(size, len(y)), generator
        self.order, self.at = None, 0

    def next(self):
        if self.size == len(self.y):
            return self.X, self.y
        if self.order is None or self.at + self.size > len(self.y):
            self.order, self.at = torch.randperm(len(self.y), generator=self.generator), 0
        rows = self.order[self.at : self.at + self.size]
        self.at += self.size
        return self.X[rows], self.y[rows]


def warm_up():
    """The first step of an optimiser imports more of torch, which is no part of the work."""
    x = torch.zeros(1, requires_grad=True)
    adam = torch.optim.Adam([x])
    (x * x).sum().backward()
    adam.step()


class Search:
    def __init__(self, X, y, W_star, seconds, seed, batch, step_size):
        self.X, self.y, self.W_star = torch.from_numpy(X), torch.from_numpy(y), W_star
        self.generator = torch.Generator().manual_seed(seed)
        self.rows = Rows(self.X.float(), self.y.float(), batch, self.generator)
        self.since, self.seconds = time.perf_counter(), seconds
        self.best = {"loss": math.inf, "error": 1.0}
        self.starts, self.steps, self.found = 0, 0, False
        self.step_size = step_size

    def elapsed(self):
        return time.perf_counter() - self.since

    def look(self, W, log_a):
        """Remember the units if they are the best so far; whether to stop."""
        with torch.no_grad():
            r = torch.relu(self.X @ W.double().T) @ log_a.double().exp() - self.y
            loss = 0.5 * torch.dot(r, r).item() / len(self.y)
            e = error(W.double().numpy(), self.W_star)
        if loss < self.best["loss"] or e < FOUND:
            self.best = {"loss": loss, "error": e}
        self.found = e < FOUND
        return self.found or self.elapsed() > self.seconds

    def start(self, steps):
        """One training; whether to stop."""
        self.starts += 1
        m, d = self.W_star.shape
        W = torch.randn(m, d, generator=self.generator)
        W = (W / W.norm(dim=1, keepdim=True)).requires_grad_()
        log_a = torch.zeros(m, requires_grad=True)
        adam = torch.optim.Adam([W, log_a], lr=self.step_size)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, steps, eta_min=LAST * self.step_size)
        for step in range(1, steps + 1):
            X, y = self.rows.next()
            r = torch.relu(X @ W.T) @ log_a.exp() - y
            adam.zero_grad()
            (0.5 * (r * r).mean()).backward()
            adam.step()
            schedule.step()
            self.steps += 1
            if step % LOOK == 0 and self.look(W.detach(), log_a.detach()):
                return True
        return self.look(W.detach(), log_a.detach())

    def run(self):
        while not self.start(STEPS * 2 ** (self.starts // 2)):
            pass
        return {
            "found": self.found,
            "seconds": self.elapsed(),
            **self.best,
            "starts": self.starts,
            "steps": self.steps,
            "batch": self.rows.size,
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
        }


def units(path):
    """W of a safetensors file: eight bytes with the length of a JSON header, the header, the numbers."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    tensor = json.loads(raw[8 : 8 + length])["W"]
    start, end = tensor["data_offsets"]
    return np.frombuffer(raw[8 + length :][start:end], dtype="<f8").reshape(tensor["shape"])


def one_teacher(program, folder, cell, seed):
    """Whether ours found the teacher and its seconds; whether Adam did in that time, and in more."""
    d, m, n, orthogonal = cell
    data, teacher = folder / "planted.npy", folder / "teacher.safetensors"
    plant = f"teach -d {d} -k {m} -n {n} --outputs uniform:1:2 --seed {seed} --quiet" + " --orthogonal" * orthogonal
    subprocess.run([program, *plant.split(), "-o", data, "--save-teacher", teacher], check=True)
    found = [program, "recover", data, "--teacher", teacher, "-o", folder / "found.safetensors", "--json", "--quiet"]
    ours = json.loads(subprocess.run(found, stdout=subprocess.PIPE).stdout)
    matched = ours["match"] or {}
    is_found = ours["verdict"] == "recovered" and (matched.get("error") or 0.0) < FOUND and matched["signs_right"]
    table = np.load(data).astype(np.float64)
    X, y = np.ascontiguousarray(table[:, :-1]), np.ascontiguousarray(table[:, -1])
    adam = [
        Search(X, y, units(teacher), factor * ours["seconds"], 1000 + seed, BATCH, STEP_SIZE).run()["found"]
        for factor in (1, MORE)
    ]
    return is_found, ours["seconds"], *adam


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="three teachers for each cell instead of ten")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    warm_up()
    count = 3 if given.quick else 10
    print(f"recover, {count} teachers for each cell; Adam: torch {torch.__version__}, {torch.get_num_threads()} threads")
    print(f"| inputs, units, rows | ours | seconds (median) | Adam, same time | Adam, {MORE} times the time |")
    print("|---|---|---|---|---|")
    for cell in CELLS:
        ours, seconds, same, more = zip(*(one_teacher(given.program, given.folder, cell, seed) for seed in range(count)))
        d, m, n, orthogonal = cell
        name = f"{d}, {m}{' orthonormal' if orthogonal else ''}, {n}"
        middle = statistics.median(seconds)
        print(f"| {name} | {sum(ours)}/{count} | {middle:.2f} | {sum(same)}/{count} | {sum(more)}/{count} |", flush=True)


if __name__ == "__main__":
    main()
