"""One-hidden-layer neural networks, learned with proof.

The model is ``f(x) = v·φ(W x + u) + c + b·x``: hidden weights ``W`` (k×d), output weights ``v``, and, where wanted,
hidden biases ``u``, an intercept ``c`` and a linear part ``b``.

=====================  ================================================================================
`ShallowsRegressor`    the automatic fit, as a scikit-learn estimator
`QuadraticRegressor`   the quadratic network at its global optimum, with a certificate
`Network`              a network with the recipe for its inputs: predict, save, exchange weights
`load`                 read a model that the command or `Network.save` has written
`from_weights`         a network from arrays in the layout of PyTorch or Keras
`from_mlp`             a network from a fitted `sklearn.neural_network.MLPRegressor`
=====================  ================================================================================

Files, numbers and words are those of the ``shallows`` command: the same seed and the same settings give the same bits.
"""

from ._estimators import QuadraticRegressor, ShallowsRegressor
from ._network import Network, from_mlp, from_weights, load
from ._shallows import __version__

__all__ = [
    "Network",
    "QuadraticRegressor",
    "ShallowsRegressor",
    "__version__",
    "from_mlp",
    "from_weights",
    "load",
]
