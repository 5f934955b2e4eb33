"""Quartermaster Desk: a tray application that swaps local inference servers.

The rooms, from the top: ``desktop`` and ``cli``, ``gateway``, ``router``,
``process``, and at the bottom ``scheduler``, ``config``, ``events``, ``logs``.
A room imports only from the floors below it; ``pyproject.toml`` holds the
contract.
"""

__version__ = "0.1.0"
