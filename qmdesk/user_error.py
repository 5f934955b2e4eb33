"""Errors that a user can read as they are."""

from __future__ import annotations


class UserError(Exception):
    """Its text is one clear message: it is shown as it is, and no trace with it."""
