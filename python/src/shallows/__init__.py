"""One-hidden-layer neural networks, learned with proof."""

from ._shallows import __version__

__all__ = ["__version__"]
