"""From a configuration to what the scheduler needs of it."""

from __future__ import annotations

from collections.abc import Mapping

from qmdesk.config import Config, ConfigError, Problem
from qmdesk.scheduler import (
    BudgetPolicy,
    Group,
    GroupsPolicy,
    MatrixError,
    MatrixPolicy,
    ModelPlan,
    Plan,
    Policy,
)


def plan_of(config: Config, pins: Mapping[str, bool] | None = None) -> Plan:
    """The scheduler's plan; raises ``ConfigError`` where the matrix makes no sense.

    ``pins``, by model, takes the place of the configuration's ``pinned``.
    """
    pinned = pinned_models(config, pins or {})
    kept = pinned | {
        member for group in config.groups.values() if group.persistent for member in group.members
    }
    policy = _policy_of(config, pinned)
    if uses_budget(config):
        policy = BudgetPolicy(policy, kept)
    return Plan(
        models={
            model.id: ModelPlan(
                limit=model.concurrency_limit,
                priority=config.priorities.get(model.id, 0),
                ttl=model.ttl,
                renders=model.renders,
                external=model.external,
            )
            for model in config.models.values()
        },
        policy=policy,
        kept=kept,
        hold=config.hold,
        hold_always=config.hold_policy == "always",
        patience=config.patience,
        queue_timeout=config.queue_timeout,
    )


def pinned_models(config: Config, pins: Mapping[str, bool]) -> frozenset[str]:
    """The models that nobody else may evict."""
    return frozenset(
        model.id for model in config.models.values() if pins.get(model.id, model.pinned)
    )


def uses_budget(config: Config) -> bool:
    """Whether models stay while they fit, as soon as somebody knows what fits.

    Where the user has said who may run together, only a budget that he has set as well
    takes the place of that.
    """
    return config.vram_budget_gb > 0 or (config.matrix is None and not config.groups)


def _policy_of(config: Config, pinned: frozenset[str]) -> Policy:
    if config.matrix is not None:
        matrix = config.matrix
        try:
            # A set may name a model that cannot be used just now.
            models = {**config.models, **config.broken}
            return MatrixPolicy(matrix.sets, models, matrix.vars, matrix.evict_costs, pinned)
        except MatrixError as error:
            file = str(config.path or "")
            raise ConfigError((Problem(str(error), key=error.key, file=file),)) from None
    return GroupsPolicy(
        (
            (Group(group.id, group.swap, group.exclusive, group.persistent), group.members)
            for group in config.groups.values()
        ),
        pinned=pinned,
    )
