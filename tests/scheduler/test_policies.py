"""Whom the policies evict."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmdesk.scheduler import Group, GroupsPolicy, MatrixError, MatrixPolicy


class TestGroups:
    def test_models_in_no_group_run_one_at_a_time(self) -> None:
        assert GroupsPolicy().evict("a", ("b",)) == ("b",)

    def test_a_target_is_never_its_own_victim(self) -> None:
        assert GroupsPolicy().evict("a", ("a", "b")) == ("b",)

    def test_siblings_stay_where_the_group_does_not_swap(self) -> None:
        policy = GroupsPolicy([(Group("g", swap=False), ("a", "b"))])
        assert policy.evict("a", ("b", "c")) == ("c",)

    def test_a_group_that_is_not_exclusive_evicts_no_other_group(self) -> None:
        policy = GroupsPolicy([(Group("side", exclusive=False), ("s",)), (Group("big"), ("x",))])
        assert policy.evict("s", ("x", "a")) == ()
        assert policy.evict("x", ("s",)) == ("s",)

    def test_persistent_models_survive_exclusive_ones_and_the_hidden_group(self) -> None:
        policy = GroupsPolicy([(Group("keep", persistent=True), ("p",)), (Group("big"), ("x",))])
        assert policy.evict("x", ("p",)) == ()
        assert policy.evict("ungrouped", ("p",)) == ()

    def test_pinned_models_are_treated_like_persistent_ones(self) -> None:
        policy = GroupsPolicy([(Group("side"), ("p",))], pinned=("p",))
        assert policy.evict("a", ("p", "b")) == ("b",)

    def test_a_model_that_is_no_longer_configured_counts_as_ungrouped(self) -> None:
        assert GroupsPolicy([(Group("g"), ("a",))]).evict("a", ("gone",)) == ("gone",)


NAMES = tuple("abcdef")


class TestMatrix:
    def policy(self, *sets: str, **options: object) -> MatrixPolicy:
        named = {f"s{number}": text for number, text in enumerate(sets)}
        return MatrixPolicy(named, NAMES, **options)  # type: ignore[arg-type]

    def test_what_may_run_together_stays(self) -> None:
        assert self.policy("a & b").evict("a", ("b", "c")) == ("c",)

    def test_alternatives(self) -> None:
        policy = self.policy("a & (b | c)")
        assert policy.evict("a", ("b",)) == ()
        assert policy.evict("a", ("c",)) == ()
        assert policy.evict("b", ("a", "c")) == ("c",)

    def test_and_binds_tighter_than_or(self) -> None:
        policy = self.policy("a & b | c & d")
        assert policy.evict("a", ("b", "c")) == ("c",)
        assert policy.evict("c", ("d", "a")) == ("a",)

    def test_the_cheapest_way_wins(self) -> None:
        sets = ("a & b", "a & c")
        assert self.policy(*sets, costs={"c": 9}).evict("a", ("b", "c")) == ("b",)

    def test_of_equals_the_first_in_the_file(self) -> None:
        assert self.policy("a & c", "a & b").evict("a", ("b", "c")) == ("b",)
        assert self.policy("a & b", "a & c").evict("a", ("b", "c")) == ("c",)

    def test_a_running_target_evicts_nobody(self) -> None:
        assert self.policy("a | b").evict("a", ("a", "b")) == ()

    def test_a_model_in_no_set_runs_alone(self) -> None:
        policy = self.policy("a & b")
        assert policy.evict("f", ("a", "b")) == ("a", "b")
        assert "alone" in policy.why("f", ("a", "b"))

    def test_sets_may_refer_to_others(self) -> None:
        policy = MatrixPolicy({"more": "+base & c", "base": "a & b"}, NAMES)
        assert policy.evict("c", ("a", "b", "d")) == ("d",)

    def test_vars_name_models_with_any_characters(self) -> None:
        policy = MatrixPolicy({"s": "q & a"}, ("a", "org/q:4b"), {"q": "org/q:4b"})
        assert policy.evict("a", ("org/q:4b",)) == ()

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "empty"),
            ("a &", "the end"),
            ("(a | b", "parenthesis"),
            ("a b", "unexpected"),
            ("a & x", "no model"),
            ("+nowhere", "no set"),
            ("a & org/x", "matrix.vars"),
            ("+ & a", "name of a set"),
        ],
    )
    def test_nonsense_is_refused_with_its_place(self, text: str, says: str) -> None:
        with pytest.raises(MatrixError, match=says) as caught:
            MatrixPolicy({"mine": text}, NAMES)
        assert caught.value.key == "matrix.sets.mine"

    def test_circles_are_refused(self) -> None:
        with pytest.raises(MatrixError, match="x → y → x"):
            MatrixPolicy({"x": "+y", "y": "a & +x"}, NAMES)

    def test_unknown_vars_and_costs_are_refused(self) -> None:
        with pytest.raises(MatrixError, match="did you mean 'a'"):
            MatrixPolicy({"s": "a"}, ("a",), {"v": "aa"})
        with pytest.raises(MatrixError) as caught:
            MatrixPolicy({"s": "a"}, ("a",), None, {"z": 3})
        assert caught.value.key == "matrix.evict_costs.z"

    def test_pinned_models_are_kept_even_where_no_set_has_room(self) -> None:
        policy = self.policy("a & b", "a & c", pinned=("b",))
        assert policy.evict("a", ("b", "c")) == ("c",)
        assert policy.evict("f", ("b", "c")) == ("c",)

    def test_many_alternatives_are_not_multiplied_out(self) -> None:
        """Forty models in twenty terms of two: a million combinations, none of them made."""
        models = [f"{side}{number}" for number in range(20) for side in "lr"]
        terms = " & ".join(f"(l{number} | r{number})" for number in range(20))
        policy = MatrixPolicy({"s": terms}, models)
        running = tuple(f"l{number}" for number in range(20))
        assert policy.evict("r7", running) == ("l7",)

    trees = st.recursive(
        st.sampled_from(NAMES),
        lambda inner: st.builds(
            lambda sign, parts: f"({f' {sign} '.join(parts)})",
            st.sampled_from("&|"),
            st.lists(inner, min_size=2, max_size=3),
        ),
        max_leaves=8,
    )

    @given(
        st.lists(trees, min_size=1, max_size=3),
        st.sampled_from(NAMES),
        st.sets(st.sampled_from(NAMES), max_size=4),
        st.dictionaries(st.sampled_from(NAMES), st.integers(1, 5)),
    )
    def test_it_is_as_cheap_as_trying_every_combination(
        self, sets: list[str], target: str, running: set[str], costs: dict[str, int]
    ) -> None:
        resident = tuple(sorted(running))
        victims = self.policy(*sets, costs=costs).evict(target, resident)
        if target in running:
            assert victims == ()
            return
        allowed = [each for text in sets for each in expand(text) if target in each]
        prices = [sum(costs.get(m, 1) for m in running - each) for each in allowed]
        paid = sum(costs.get(model, 1) for model in victims)
        if not allowed:
            assert set(victims) == running
        else:
            assert paid == min(prices)
            rest = running - set(victims)
            assert any(rest | {target} <= each for each in allowed)


def expand(text: str) -> list[frozenset[str]]:
    """Every alternative of a fully parenthesised expression, by brute force."""
    if not text.startswith("("):
        return [frozenset((text,))]
    parts, sign = split(text[1:-1])
    options = [expand(part) for part in parts]
    if sign == "|":
        return [each for option in options for each in option]
    return [frozenset().union(*chosen) for chosen in itertools.product(*options)]


def split(text: str) -> tuple[list[str], str]:
    parts, depth, start, sign = [], 0, 0, "|"
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "&|":
            parts.append(text[start:at].strip())
            start, sign = at + 1, character
    parts.append(text[start:].strip())
    return parts, sign
