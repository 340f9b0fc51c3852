"""One-hidden-layer neural networks, learned with proof.

The model is ``f(x) = v·φ(W x + u) + c + b·x``: hidden weights ``W`` (k×d), output weights ``v``, and, where wanted,
hidden biases ``u``, an intercept ``c`` and a linear part ``b``; or the same with infinitely many units, whose hidden weights
have laws.

=====================  ================================================================================
`ShallowsRegressor`    the automatic fit, as a scikit-learn estimator
`QuadraticRegressor`   the quadratic network at its global optimum, with a certificate
`WideRegressor`        the infinitely wide network: laws by evidence, output layer at its global optimum
`Network`              a network with the recipe for its inputs: predict, save, exchange weights
`load`                 read a model written by the command or by `Network.save`
`from_weights`         a network from arrays in the layout of PyTorch or Keras
`from_mlp`             a network from a fitted `sklearn.neural_network.MLPRegressor`
`predict`, `explain`   predictions with their guarantee; how a network uses its inputs
`export`               a network as ONNX, safetensors or JSON
`check`, `execute`     what theory promises before any training; a plan of it, run and compared with the proof
`certify`, `verify`    prove how far a network is from the best; check such a proof from scratch
`teach`, `recover`     planted data; the weights behind such data
`landscape`            every critical level of a planted quadratic network
`sweep`, `plot`        grids of runs: success rates, thresholds, phase diagrams
`replay`               one run of a sweep again, compared bit by bit
`figure`, `figures`    the published figures, reproduced
`theorems`             the catalogue of what can be proved
=====================  ================================================================================

Files, numbers and words are those of the ``shallows`` command: the same seed and the same settings give the same bits.
"""

from ._certify import Certificate, Verification, certify, verify
from ._check import Check, check
from ._display import Picture
from ._estimators import QuadraticRegressor, ShallowsRegressor
from ._execute import Execution, execute
from ._explain import Explanation, explain
from ._export import export
from ._figure import Figure, figure, figures
from ._landscape import Landscape, landscape
from ._network import Network, from_mlp, from_weights, load
from ._plot import Plot, plot, replay
from ._predict import Prediction, predict
from ._recover import Recovery, recover
from ._shallows import __version__
from ._sweep import Sweep, sweep
from ._teach import Teaching, teach
from ._theorems import theorems
from ._wide import WideRegressor

__all__ = [
    "Certificate",
    "Check",
    "Execution",
    "Explanation",
    "Figure",
    "Landscape",
    "Network",
    "Picture",
    "Plot",
    "Prediction",
    "QuadraticRegressor",
    "Recovery",
    "ShallowsRegressor",
    "Sweep",
    "Teaching",
    "Verification",
    "WideRegressor",
    "__version__",
    "certify",
    "check",
    "execute",
    "explain",
    "export",
    "figure",
    "figures",
    "from_mlp",
    "from_weights",
    "landscape",
    "load",
    "plot",
    "predict",
    "recover",
    "replay",
    "sweep",
    "teach",
    "theorems",
    "verify",
]
