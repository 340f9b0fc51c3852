"""`certify` and `verify`: certificates that a stranger can check."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Literal

from . import _display, _frames, _samples, _shallows
from ._network import Network, given, warn
from ._shallows import CertificateFile

Signs = Literal["any", "positive", "negative"]


class Certificate:
    """What is proved about one network on one set of rows, or about a planted network and a start.

    Made by `certify`, read by `Certificate.load`, found as ``certificate_`` of a fitted estimator (as a dictionary, which
    `verify` takes too).

    Attributes
    ----------
    verdict : {"holds", "undecided", "fails"}
        The worst of its certificates.
    certificates : list of dict
        For each theorem ``theorem``, ``verdict``, ``statement``, ``checks`` (each ``hypothesis``, ``margin``, ``error``,
        ``verdict``), and for ``global-optimum`` and ``wide-optimum`` also ``objective``, ``lower_bound`` and ``relative_gap``.
    """

    def __init__(self, file: CertificateFile) -> None:
        self._file = file

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a file written by `save` or by the command.

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or if it is not a certificate.
        """
        return cls(CertificateFile.load(path))

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Certificate:
        """From what `to_dict` gives, or from ``certificate_`` of an estimator."""
        return cls(CertificateFile.from_json(json.dumps(document)))

    @property
    def verdict(self) -> str:
        return self._file.verdict()

    @property
    def certificates(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.document()["certificates"]
        return found

    @property
    def statements(self) -> list[str]:
        """One sentence for each theorem."""
        return self._file.statements()

    @property
    def lower_bound(self) -> float | None:
        """Lower bound on the objective of every network of the class, if an optimum was asked for."""
        return self._file.lower_bound()

    @property
    def relative_gap(self) -> float | None:
        """Upper bound on the gap between the objective and the lower bound, as a share of the objective (or of its floor)."""
        return self._file.relative_gap()

    def document(self) -> dict[str, Any]:
        """The document that ``shallows certify --json`` prints: the verdict and every certificate in words and numbers."""
        return self._file.document()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file that ``shallows certify --certificate`` also writes and ``shallows verify`` reads."""
        self._file.save(path)

    def to_dict(self) -> dict[str, Any]:
        """The whole file as dictionaries, lists and numbers."""
        document: dict[str, Any] = json.loads(self._file.to_json())
        return document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self._file.to_json() == other._file.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        found = ", ".join(f"{one['theorem']} {one['verdict']}" for one in self.certificates)
        return f"Certificate({found})"

    def _repr_html_(self) -> str:
        return _display.certificates(self.certificates, f"Certificate: {self.verdict}")


class Verification:
    """The result of recomputing a certificate from scratch.

    It exists only if every field came out equal: an altered certificate is refused with a `ValueError`.

    Attributes
    ----------
    verdict : {"holds", "undecided", "fails"}
        The confirmed verdict.
    certificate : Certificate
    """

    def __init__(self, certificate: Certificate) -> None:
        self.verdict = certificate.verdict
        self.certificate = certificate

    def __bool__(self) -> bool:
        """Whether every claim holds."""
        return self.verdict == "holds"

    def to_dict(self) -> dict[str, Any]:
        """The document that ``shallows verify --json`` prints."""
        return self.certificate.document()

    def __repr__(self) -> str:
        return f"Verification({self.verdict})"

    def _repr_html_(self) -> str:
        caption = f"Recomputed from scratch, every field equal: {self.verdict}"
        return _display.certificates(self.certificate.certificates, caption)


def certify(
    model: Network | Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    theorems: Sequence[str] | None = None,
    signs: Signs = "any",
    decay: float = 0.0,
    linear: bool = True,
    intercept: bool = True,
    tolerance: float = 1e-6,
) -> Certificate:
    """Prove how far a network is from the best one, or that there is a way down.

    What ``shallows certify`` does, with the same numbers. For a quadratic network the objective is ½Σωr² + τΣ|v|‖w‖² on the
    given rows, and the best network is the best of all quadratic networks of any width; for an infinitely wide one it is
    ½Σωr² + ½ρ‖f − a‖², and the best one is the best output layer over its hidden layers, on the rows that it was fitted to.

    Parameters
    ----------
    model : Network, fitted estimator or path
    X : array of shape (n, d), frame or path
        The columns of an array are taken by position, those of a frame or file by name. A C-contiguous array of float64 is
        not copied.
    y : array of shape (n,) or str
        Or the name of the column in a frame or file, which is the model's unless given.
    sample_weight : array of shape (n,) or str, optional
    theorems : sequence of str
        ``global-optimum``, ``approximate-minimum``, ``full-rank-stationary``, ``strict-saddle``, ``wide-quadratic``,
        ``planted-quadratic``, ``determined`` or ``separated-data``; by default ``wide-optimum``, and nothing else, for a
        model with infinitely wide networks, and ``global-optimum`` for the others.
    signs : {"any", "positive", "negative"}
        Allowed signs of the output weights of competitors.
    decay : float
        τ ≥ 0 on raw inputs.
    linear, intercept : bool
        Whether competitors may have b·x and c.
    tolerance : float
        The relative gap up to which the network counts as optimal.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> import numpy as np, shallows
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> network = shallows.from_weights([[1.0, 1.0]], [1.0], activation="quadratic")
    >>> shallows.certify(network, X, (X[:, 0] + X[:, 1]) ** 2)
    Certificate(global-optimum holds)
    >>> shallows.certify(network, X, 3 * (X[:, 0] + X[:, 1]) ** 2).verdict
    'fails'
    """
    settings = {
        "signs": signs,
        "decay": decay,
        "linear": linear,
        "intercept": intercept,
        "tolerance": tolerance,
        "theorems": [theorems] if isinstance(theorems, str) else theorems or [],
    }
    samples = _samples.samples(X, y, sample_weight)
    record = _shallows.certify(given(model), samples, settings)
    remark = record.remark()
    warn([] if remark is None else [remark])
    return Certificate(record)


def verify(
    certificate: Certificate | dict[str, Any] | str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    sample_weight: Any = None,
    model: Network | Any = None,
) -> Verification:
    """Check a certificate from scratch, trusting nothing in it.

    What ``shallows verify`` does. Every claim is judged from the rows, the networks and the proof in the certificate.

    Parameters
    ----------
    certificate : Certificate, dict or path
    X, y, sample_weight
        The certified samples, as for `certify`; none for a certificate about none, as that of `landscape`.
    model : Network, fitted estimator or path, optional
        A model to compare with the network in the certificate. Where that is another one, which an automatic fit has beside
        the function that it chose, the verdict is "undecided": nothing is proved about the model.

    Returns
    -------
    Verification

    Warns
    -----
    UserWarning
        Where the claims are about parts of the model, or about another network.

    Raises
    ------
    ValueError
        If the certificate is about other rows or another model, or about rows and none are given.

    Examples
    --------
    >>> import numpy as np, shallows
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> y = X[:, 0] * X[:, 1]
    >>> model = shallows.QuadraticRegressor(decay=1e-3).fit(X, y)
    >>> shallows.verify(model.certificate_, X, y, model=model)
    Verification(holds)
    """
    if isinstance(certificate, dict):
        certificate = Certificate.from_dict(certificate)
    given_certificate = certificate._file if isinstance(certificate, Certificate) else os.fspath(certificate)
    if isinstance(sample_weight, str) and _frames.is_frame(X):
        if sample_weight not in _frames.names(X):
            raise ValueError(f'X has no column "{sample_weight}"')
        sample_weight = X[sample_weight]
    if X is None and (y is not None or sample_weight is not None):
        raise ValueError("y or sample_weight is given without X\nhint: give X too, or none of them")
    samples = None if X is None else _samples.samples(X, y, sample_weight)
    record = _shallows.verify(given_certificate, samples, None if model is None else given(model))
    about = record.about()
    warn([] if about is None else [about])
    return Verification(Certificate(record))
