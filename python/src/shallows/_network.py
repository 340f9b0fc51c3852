"""Networks: predict, save, and exchange weights with other libraries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _display, _samples, _shallows
from ._frames import Floats
from ._samples import numbered
from ._shallows import Model, Predictions

Layout = Literal["torch", "keras"]


class Network:
    """A one-hidden-layer network with the recipe that turns columns into its inputs.

    Made by `load`, `from_weights`, `from_mlp`, or found as ``network_`` of a fitted estimator.

    Examples
    --------
    >>> import numpy as np, shallows
    >>> network = shallows.from_weights([[1.0, 0.0], [0.0, 2.0]], [1.0, -1.0], activation="quadratic")
    >>> network.predict(np.array([[3.0, 1.0]]))
    array([5.])
    >>> network
    Network(2 inputs, 2 quadratic units)
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    def __repr__(self) -> str:
        units = [_display.counted(count, f"{name} unit") for name, count in self._model.groups if count]
        sets = [law["set"] for law in self._model.laws]
        layers = units + ([f"infinitely wide: {' and '.join(sets)}"] if sets else [])
        return f"Network({_display.counted(len(self.inputs), 'input')}, {', '.join(layers) or 'affine'})"

    @property
    def activation(self) -> str:
        """The activation, where all units have one; ``"wide"`` for infinitely wide layers.

        Raises
        ------
        ValueError
            If the hidden units have several.
        """
        names = self._model.activations
        if len(names) != 1:
            raise ValueError(f"the hidden units have several activations: {', '.join(names)}")
        return names[0]

    @property
    def activations(self) -> list[str]:
        """The activations, one for each group of hidden units."""
        return self._model.activations

    @property
    def width(self) -> int | None:
        """The number of hidden units; None for infinitely many."""
        return self._model.width

    @property
    def laws(self) -> list[dict[str, Any]]:
        """The laws of infinitely wide layers, one entry for each infinitely wide network that is added up.

        Each has its ``weight`` in the sum, its ``set`` of layers, its ``layers`` (``law``, ``signal``, ``scales``, ``bias``) and
        its ``noise``, on the standardised table: of the inputs ``kept`` (or of their ranks) ``input_mean`` is subtracted, and
        the rest is divided by ``input_deviation``; the function is ``mean`` plus one of the kernel. As covariances kernel and
        noise are in units of ``unit`` squared. ``to_dict()["wide"]`` has the coefficients and the rows they belong to as well.
        """
        return self._model.laws

    @property
    def columns(self) -> list[str]:
        """The columns of a table that it was fitted to."""
        return self._model.columns

    @property
    def inputs(self) -> list[str]:
        """The inputs that the columns become, in the order of the columns of W."""
        return self._model.inputs

    @property
    def target(self) -> str:
        """The name of what is predicted."""
        return self._model.target

    def predict(self, X: Any) -> Floats:
        """Predictions in the units of the target.

        Parameters
        ----------
        X : array of shape (n, d) or frame
            The columns of an array are taken by position, those of a frame by name; the target may be among them. `predict`
            of the package also takes files, supplies missing columns, and ignores extra ones.

        Returns
        -------
        array of shape (n,)

        Warns
        -----
        UserWarning
            For unknown categories and filled gaps, in the words of ``shallows predict``.
        """
        return predicted(self, X).values()

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Intervals intended to cover this share of new targets.

        Parameters
        ----------
        X : array of shape (n, d) or frame
        coverage : float
            Between 0 and 1; `interval_statement` states the guarantee.

        Returns
        -------
        array of shape (n, 2)
            From and to.
        """
        return np.column_stack(predicted(self, X, coverage=coverage).ends() or ())

    def interval_statement(self, coverage: float = 0.9) -> str:
        """How the intervals are made, and what is guaranteed."""
        return self._model.interval_statement(float(coverage))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (safetensors) that the command also writes and reads."""
        self._model.save(path)

    def to_onnx(self, path: str | os.PathLike[str], precision: Literal["f64", "f32"] = "f64") -> None:
        """Write the network as an ONNX file, with an input for every column that it uses: see `export`."""
        if precision not in ("f64", "f32"):
            raise ValueError(f"the precision must be f64 or f32, not {precision}")
        self._model.save_onnx(path, precision == "f32")

    def to_dict(self) -> dict[str, Any]:
        """The whole model, its recipe included, as dictionaries, lists and numbers."""
        return self._model.document()

    def to_weights(self, layout: Layout = "torch") -> dict[str, Any]:
        """The weights as arrays: of the function of `inputs`, as the recipe makes them, to what was fitted.

        An input may be less a centre, which its name says (``year − 1990``), and so may the target: ``to_dict()`` has
        ``target_centre``, to be added to the function, and ``target_scale``.

        Parameters
        ----------
        layout : {"torch", "keras"}
            ``"torch"``: W is k×d (out×in) and v is 1×k, as in the ``weight`` of ``torch.nn.Linear``. ``"keras"``: W is
            d×k (in×out) and v is k×1, as in the ``kernel`` of ``keras.layers.Dense``.

        Returns
        -------
        dict
            ``activation``, ``W``, ``v``, and ``bias`` (k), ``intercept`` (a number) and ``linear`` (d), each None where
            the network has no such part.

        Raises
        ------
        ValueError
            If the hidden units have several activations, or if there are infinitely many.

        Examples
        --------
        >>> import shallows
        >>> network = shallows.from_weights([[1.0, 0.0, 2.0]], [3.0], bias=[0.5], activation="tanh")
        >>> {name: getattr(part, "shape", part) for name, part in network.to_weights("keras").items()}
        {'activation': 'tanh', 'W': (3, 1), 'v': (1, 1), 'bias': (1,), 'intercept': None, 'linear': None}
        """
        _check_layout(layout)
        if self.width is None:
            raise ValueError(
                "an infinitely wide network has no weights\nhint: laws has its laws, and to_dict() its coefficients"
            )
        activation, document = self.activation, self.to_dict()
        [group] = document.get("groups", [document])
        d = len(self.inputs)
        W = np.array(group["W"], dtype=np.float64).reshape(-1, d)
        v = np.array(group["v"], dtype=np.float64).reshape(1, -1)
        if layout == "keras":
            W, v = np.ascontiguousarray(W.T), np.ascontiguousarray(v.T)
        return {
            "activation": activation,
            "W": W,
            "v": v,
            "bias": _vector(group.get("u")),
            "intercept": document.get("c"),
            "linear": _vector(document.get("b")),
        }


def load(path: str | os.PathLike[str], activation: str | None = None) -> Network:
    """Read a model file.

    Parameters
    ----------
    path : path
        A file of the ``shallows`` command or of `Network.save`; or a safetensors file with tensors W and v.
    activation : str, optional
        The activation, for a file from elsewhere that does not name it.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such file, or if it is not a sound model.
    """
    return Network(Model.load(path, activation))


def from_weights(
    W: npt.ArrayLike,
    v: npt.ArrayLike,
    bias: npt.ArrayLike | None = None,
    *,
    activation: str,
    intercept: float | None = None,
    linear: npt.ArrayLike | None = None,
    layout: Layout = "torch",
    names: list[str] | None = None,
    target: str = "y",
) -> Network:
    """A network from arrays: f(x) = v·φ(W x + bias) + intercept + linear·x.

    Parameters
    ----------
    W : array
        Hidden weights, k×d (out×in) in the layout of PyTorch, d×k (in×out) in that of Keras.
    v : array
        Output weights: k numbers, or 1×k or k×1 as in the layout.
    bias : array of shape (k,), optional
        Hidden biases.
    activation : str
        Such as ``"relu"``, ``"tanh"``, ``"softplus:10"``; the names of the command.
    intercept : float, optional
    linear : array of shape (d,), optional
    layout : {"torch", "keras"}
    names : list of str, optional
        Names of the inputs; x1, x2, … unless given.
    target : str

    Examples
    --------
    >>> import shallows
    >>> shallows.from_weights([[1.0, -1.0]], [[2.0]], bias=[0.0], activation="relu").predict([[3.0, 1.0]])
    array([4.])
    """
    _check_layout(layout)
    hidden = np.array(W, dtype=np.float64, ndmin=2)
    if hidden.ndim != 2:
        raise ValueError(f"W must have two dimensions, not {hidden.ndim}")
    hidden = np.ascontiguousarray(hidden.T if layout == "keras" else hidden)
    output = np.array(v, dtype=np.float64)
    if output.ndim > 1 and output.shape != ((output.size, 1) if layout == "keras" else (1, output.size)):
        raise ValueError(f"the network must have one output, but v is {'×'.join(map(str, output.shape))}")
    if names is None:
        names = numbered(hidden.shape[1])
    c = None if intercept is None else float(intercept)
    parts = (hidden, output.reshape(-1), _vector(bias), c, _vector(linear))
    return Network(Model.from_weights(activation, *parts, list(names), target))


#: What scikit-learn calls the activations that are also ours.
_MLP_ACTIVATIONS = {"relu": "relu", "tanh": "tanh", "logistic": "sigmoid"}


def from_mlp(mlp: Any) -> Network:
    """The network of a fitted `sklearn.neural_network.MLPRegressor` with one hidden layer and one output.

    An MLP with the identity as activation is an affine function, and becomes one.

    Raises
    ------
    ValueError
        If it has several hidden layers or outputs, or an activation that is not ours.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import numpy as np, shallows
    >>> from sklearn.neural_network import MLPRegressor
    >>> X = np.linspace(-1, 1, 40).reshape(20, 2)
    >>> mlp = MLPRegressor(hidden_layer_sizes=5, activation="tanh", solver="lbfgs").fit(X, X[:, 0] ** 2)
    >>> bool(np.allclose(shallows.from_mlp(mlp).predict(X), mlp.predict(X)))
    True
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(mlp, "coefs_")
    if len(mlp.coefs_) != 2:
        raise ValueError(f"the MLP must have one hidden layer, not {len(mlp.coefs_) - 1}")
    if mlp.n_outputs_ != 1 or getattr(mlp, "out_activation_", "identity") != "identity":
        raise ValueError("the MLP must be a regressor with one output that is not transformed")
    (W, v), (bias, intercept) = mlp.coefs_, mlp.intercepts_
    names = [str(name) for name in getattr(mlp, "feature_names_in_", [])] or None
    c = float(intercept[0])
    if mlp.activation == "identity":
        slope = np.asarray(W, dtype=np.float64) @ np.asarray(v, dtype=np.float64).reshape(-1)
        c += float(np.asarray(bias, dtype=np.float64) @ np.asarray(v, dtype=np.float64).reshape(-1))
        none = np.zeros((0, len(slope)))
        return from_weights(none, [], activation="quadratic", intercept=c, linear=slope, names=names)
    if mlp.activation not in _MLP_ACTIVATIONS:
        known = ", ".join([*_MLP_ACTIVATIONS, "identity"])
        raise ValueError(f"the activation of the MLP must be one of {known}, not {mlp.activation}")
    activation = _MLP_ACTIVATIONS[mlp.activation]
    return from_weights(W, v, bias, activation=activation, intercept=c, layout="keras", names=names)


def given(model: Any) -> Model | str:
    """What the native half takes for a model: that of whatever has a network, or the path of a file."""
    if isinstance(model, Network):
        return model._model
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    network = getattr(model, "network_", None) or getattr(model, "network", None)
    if isinstance(network, Network):
        return network._model
    raise TypeError(f"the model must be a Network, a fitted estimator or the path of a file, not {type(model).__name__}")


def predicted(
    model: Any,
    X: Any,
    coverage: float | None = None,
    ignore_extra: bool = False,
    fill: Mapping[str, Any] | None = None,
    deviation: bool = False,
) -> Predictions:
    """Predictions for rows; what is remarkable about them becomes a warning to the caller of the caller."""
    settings = {"coverage": coverage, "ignore_extra": ignore_extra, "deviation": deviation}
    constants = [(str(name), str(value)) for name, value in (fill or {}).items()]
    found = _shallows.predict(given(model), _samples.inputs(X), constants, settings)
    warn(found.remarks(), stacklevel=4)
    return found


def warn(remarks: list[str], stacklevel: int = 3) -> None:
    """Pass on what the command would remark."""
    for remark in remarks:
        warnings.warn(remark, UserWarning, stacklevel=stacklevel)


def _check_layout(layout: str) -> None:
    if layout not in ("torch", "keras"):
        raise ValueError(f"the layout must be torch or keras, not {layout}")


def _vector(part: npt.ArrayLike | None) -> Floats | None:
    return None if part is None else np.array(part, dtype=np.float64).reshape(-1)
