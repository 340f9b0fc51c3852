"""The parameters of the package are the options of the command: one table has both."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

import shallows
from shallows import QuadraticRegressor, ShallowsRegressor, WideRegressor, _shallows

OPTIONS = _shallows.options()

#: What takes the options of a verb.
CALLABLES = {
    "fit": [ShallowsRegressor, QuadraticRegressor, WideRegressor, ShallowsRegressor.fit, shallows.execute],
    "predict": [shallows.predict],
    "explain": [shallows.explain],
    "check": [shallows.check],
    "certify": [shallows.certify],
    "verify": [shallows.verify],
    "teach": [shallows.teach],
    "landscape": [shallows.landscape],
    "recover": [shallows.recover],
    "sweep": [shallows.sweep],
    "plot": [shallows.Sweep.plot, shallows.plot],
    "lab replay": [shallows.replay],
    "export": [shallows.export],
    "figure": [shallows.figure],
    "theorems": [shallows.theorems],
}
#: Parameters that only the package has: who listens, and arrays that a table has as columns.
ONLY_HERE = {"self", "progress", "y", "sample_weight"}
#: What stands for "not given".
NOTHING = (None, (), inspect.Parameter.empty)


def parameters(verb):
    """Each parameter with the defaults that it has."""
    found = {}
    for callable in CALLABLES[verb]:
        for name, parameter in inspect.signature(callable).parameters.items():
            found.setdefault(name, []).append(parameter.default)
    return found


def test_every_verb_with_parameters_is_looked_at():
    assert set(CALLABLES) == {verb for verb, options in OPTIONS.items() if any(option["python"] for option in options)}


@pytest.mark.parametrize("verb", CALLABLES)
def test_every_parameter_is_an_option_and_the_other_way_round(verb):
    named = {option["python"] for option in OPTIONS[verb]} - {None}
    assert named <= set(parameters(verb))
    assert set(parameters(verb)) <= named | ONLY_HERE


def as_here(option):
    """The default of the command as the package spells it, or its own where the table says why; None for "not given"."""
    default = option["default"]
    if option["python_default"] is not None:
        default = {"True": True}.get(option["python_default"], option["python_default"])
    elif default is None:
        # A switch is off; one that leaves something out leaves it in.
        return None if option["value"] or option["positional"] else option["name"].startswith("no-")
    try:
        return float(default)
    except ValueError:
        return default


@pytest.mark.parametrize("verb", CALLABLES)
def test_defaults_are_those_of_the_command_or_the_table_says_why_not(verb):
    for option in OPTIONS[verb]:
        name, expected = option["python"], as_here(option)
        for default in parameters(verb).get(name, []):
            if expected is None or option["value"] == "" and default is None:
                assert default in NOTHING or default is False, (verb, name)
            else:
                # None stands for "auto" of a number, a list of one for what may be repeated.
                assert default in (expected, (expected,)) or (default is None and expected == "auto"), (verb, name)


REFUSED_BY_NAME = [
    (ShallowsRegressor(activation="tanh", effort="normal"), "effort"),
    (ShallowsRegressor(gradient=1e-7), "gradient"),
    (ShallowsRegressor(iterations=2000), "iterations"),
    (ShallowsRegressor(activation="tanh", method="lbfgs", step=0.05), "step"),
    (ShallowsRegressor(activation="tanh", method="descent", batch=32), "batch"),
    (ShallowsRegressor(activation="tanh", tolerance=1e-6), "tolerance"),
    (ShallowsRegressor(effort="normal", width=3), "effort"),
    (ShallowsRegressor(prefer="proof", width=3), "preference"),
    (ShallowsRegressor(activation="tanh", prefer="balanced"), "preference"),
    (ShallowsRegressor(effort="normal", linear=False), "effort"),
]


@pytest.mark.parametrize(("estimator", "name"), REFUSED_BY_NAME)
def test_an_option_that_does_not_apply_is_refused_even_with_its_default(estimator, name):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match=f"{name}.* only with"):
        clone(estimator).fit(X, X[:, 0])
