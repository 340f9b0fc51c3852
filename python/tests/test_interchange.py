"""Files and weights from and to elsewhere."""

import pickle

import numpy as np
import onnxruntime
import pandas
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.neural_network import MLPRegressor

import shallows

X = np.random.default_rng(2).normal(size=(30, 3))
W = np.array([[1.0, 0.5, -1.0], [0.0, 2.0, 0.25]])
V, U = np.array([1.5, -2.0]), np.array([0.1, -0.3])


def test_layouts_of_torch_and_keras_are_transposes():
    torch = shallows.from_weights(W, V[None, :], U, activation="tanh", intercept=0.5)
    keras = shallows.from_weights(W.T, V[:, None], U, activation="tanh", intercept=0.5, layout="keras")
    assert_array_equal(torch.predict(X), keras.predict(X))
    assert_allclose(torch.predict(X), np.tanh(X @ W.T + U) @ V + 0.5, rtol=1e-14, atol=1e-14)
    for layout in ("torch", "keras"):
        parts = keras.to_weights(layout)
        again = shallows.from_weights(parts.pop("W"), parts.pop("v"), layout=layout, **parts)
        assert_array_equal(again.predict(X), torch.predict(X))
    assert torch.to_weights()["W"].shape == (2, 3) and torch.to_weights()["v"].shape == (1, 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic", "identity"])
def test_an_mlp_of_scikit_learn_becomes_ours(activation):
    y = np.sin(X[:, 0]) + X[:, 1]
    mlp = MLPRegressor(hidden_layer_sizes=(7,), activation=activation, solver="lbfgs", max_iter=30, random_state=1)
    with pytest.raises(NotFittedError):
        shallows.from_mlp(mlp)
    mlp.fit(X, y)
    assert_allclose(shallows.from_mlp(mlp).predict(X), mlp.predict(X), rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_deep_or_many_valued_mlps_are_refused():
    y = X[:, 0]
    with pytest.raises(ValueError, match="one hidden layer, not 2"):
        shallows.from_mlp(MLPRegressor(hidden_layer_sizes=(3, 3), max_iter=2).fit(X, y))
    with pytest.raises(ValueError, match="one output"):
        shallows.from_mlp(MLPRegressor(hidden_layer_sizes=(3,), max_iter=2).fit(X, X[:, :2]))


def test_files_give_the_same_network_back(tmp_path):
    network = shallows.from_weights(W, V, U, activation="softplus:3", linear=[1.0, 2.0, 3.0], names=["a", "b", "c"])
    network.save(tmp_path / "n.safetensors")
    again = shallows.load(tmp_path / "n.safetensors")
    assert_array_equal(again.predict(X), network.predict(X))
    assert again.inputs == ["a", "b", "c"] and again.activation == "softplus:3" and again.width == 2
    assert_array_equal(pickle.loads(pickle.dumps(network)).predict(X), network.predict(X))


def test_onnx_predicts_the_same(tmp_path):
    network = shallows.from_weights(W, V, U, activation="tanh", intercept=1.0)
    network.to_onnx(tmp_path / "n.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "n.onnx")
    [found] = session.run(None, dict(zip((column.name for column in session.get_inputs()), X.T)))
    assert_allclose(found, network.predict(X), rtol=1e-12)
    with pytest.raises(ValueError, match="f64 or f32"):
        network.to_onnx(tmp_path / "n.onnx", precision="f16")


def test_onnx_takes_the_columns_of_a_frame_with_words_and_gaps(tmp_path):
    random = np.random.default_rng(4)
    frame = pandas.DataFrame({"size": random.normal(size=60), "colour": random.choice(["red", "blue", ""], size=60)})
    y = frame["size"].to_numpy() ** 2 + (frame["colour"] == "red")
    frame.loc[5:9, "size"] = np.nan
    network = shallows.QuadraticRegressor(decay=1e-3).fit(frame, y).network_
    network.to_onnx(tmp_path / "n.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "n.onnx")
    [found] = session.run(None, {column.name: frame[column.name].to_numpy() for column in session.get_inputs()})
    assert_allclose(found, network.predict(frame), rtol=1e-10, atol=1e-10)


def test_a_width_is_for_wide_networks(tmp_path):
    network = shallows.from_weights(W, V, U, activation="tanh")
    with pytest.raises(ValueError, match="the width applies only with infinitely wide networks"):
        shallows.export(network, tmp_path / "n.onnx", width=10)
    with pytest.raises(ValueError, match="the seed of the units applies only with a width"):
        shallows.export(network, tmp_path / "n.onnx", seed=1)


def test_bad_weights_and_files_are_refused(tmp_path):
    refused = [
        (dict(W=W, v=[1.0], activation="tanh"), "output weights of the network: expected 2, found 1"),
        (dict(W=W, v=V, activation="swish"), 'no activation called "swish"'),
        (dict(W=W * np.nan, v=V, activation="tanh"), "finite"),
        (dict(W=W, v=np.ones((2, 2)), activation="tanh"), "one output"),
        (dict(W=W, v=V, activation="tanh", layout="jax"), "torch or keras"),
        (dict(W=W, v=V, activation="tanh", names=["a", "b"]), "2"),
        (dict(W=np.zeros((0, 0)), v=[], activation="tanh"), "no input"),
    ]
    for arguments, words in refused:
        with pytest.raises(ValueError, match=words):
            shallows.from_weights(**arguments)
    with pytest.raises(FileNotFoundError, match="missing.safetensors"):
        shallows.load(tmp_path / "missing.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="bad.safetensors"):
        shallows.load(tmp_path / "bad.safetensors")
    network = shallows.from_weights(W, V, activation="tanh")
    with pytest.raises(ValueError, match="expects 3 inputs, but X has 2 columns"):
        network.predict(X[:, :2])
    with pytest.raises(ValueError, match="inf"):
        network.predict(X * np.inf)
    with pytest.raises(ValueError):
        network.predict([["a", "b", "c"]])
    with pytest.raises(ValueError, match="two dimensions, not 1"):
        network.predict(X[0])
