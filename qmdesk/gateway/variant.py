"""Names such as ``model?ctx=16384``: the model with another context."""

from __future__ import annotations

from qmdesk.config import Model
from qmdesk.config.variant import NoVariant, context_of, split_name
from qmdesk.gateway.error import ApiError
from qmdesk.gateway.target import find_model
from qmdesk.router import Router

HEADER = "X-QM-Ctx"
"""Says the same where a client cannot change the name."""


def find_variant(router: Router, name: str | None, asked: str | None = None) -> Model:
    """The model that ``name`` means, with the context that it or ``asked`` names.

    ``asked`` is the header's value.  Raises ``ApiError``.
    """
    base, context = split_name(name or "")
    model = find_model(router.config, base or None)
    context = asked if context is None else context
    if context is None:
        return model
    try:
        return router.variant(model.id, context_of(context))
    except NoVariant as error:
        raise ApiError(400, str(error), code="invalid_context", param="model") from None
