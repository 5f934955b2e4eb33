"""Names such as ``model?ctx=16384``: the model with another context."""

from __future__ import annotations

from qmdesk.config import Model
from qmdesk.config.variant import NoVariant, context_of
from qmdesk.gateway.error import ApiError
from qmdesk.router import Router

HEADER = "X-QM-Ctx"
"""Says the same where a client cannot change the name."""


def with_context(router: Router, model: Model, asked: str) -> Model:
    """``model`` with so many tokens of context.  Raises ``ApiError``."""
    try:
        return router.variant(model.id, context_of(asked))
    except NoVariant as error:
        raise ApiError(400, str(error), code="invalid_context", param="model") from None
