"""The parameters of the package are the options of the command: one table has both."""

import inspect

import pytest

import shallows
from shallows import QuadraticRegressor, ShallowsRegressor, _shallows

OPTIONS = _shallows.options()

#: What takes the options of a verb.
CALLABLES = {
    "fit": [ShallowsRegressor, QuadraticRegressor, ShallowsRegressor.fit],
    "predict": [shallows.Network.predict, shallows.Network.predict_interval],
    "check": [shallows.check],
    "certify": [shallows.certify],
    "verify": [shallows.verify],
    "teach": [shallows.teach],
    "landscape": [shallows.landscape],
    "recover": [shallows.recover],
    "sweep": [shallows.sweep],
    "plot": [shallows.Sweep.plot],
    "figure": [shallows.figure],
}
#: Parameters that only the package has: who listens, and arrays that a table has as columns.
ONLY_HERE = {"self", "progress", "y", "sample_weight"}
#: Where the package differs on purpose: `merge_repeats` for scikit-learn's promise that weights are repeats, `quick` because
#: a full figure takes an hour.
OTHER_DEFAULTS = {("fit", "merge_repeats"), ("figure", "quick")}


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
    """The default of the command as the package spells it; None where it has none."""
    default = option["default"]
    if default is None:
        # A switch is off; one that leaves something out leaves it in.
        return None if option["value"] or option["positional"] else option["name"].startswith("no-")
    try:
        return float(default)
    except ValueError:
        return default


@pytest.mark.parametrize("verb", CALLABLES)
def test_defaults_are_those_of_the_command(verb):
    for option in OPTIONS[verb]:
        name, expected = option["python"], as_here(option)
        if name is None or expected is None or (verb, name) in OTHER_DEFAULTS:
            continue
        for default in parameters(verb)[name]:
            # None stands for "auto" of a number, a list of one for what may be repeated.
            assert default in (expected, (expected,)) or (default is None and expected == "auto"), (verb, name)
