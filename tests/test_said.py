"""Sentences that remember what they were made of."""

from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from qmdesk.said import Piece, Said, joined, said

texts = st.text("ab {}%", max_size=5)
sentences = st.recursive(
    texts | st.integers(0, 9).map(lambda n: said("{n} of them", n=n)),
    lambda inner: (
        st.tuples(inner, inner).map(lambda two: two[0] + two[1])
        | inner.map(lambda one: said("[{what}]", what=one))
    ),
    max_leaves=5,
)


def test_a_sentence_is_the_text_that_it_reads_as() -> None:
    made = said("{model} needs {size}", model="a", size="4 GiB")
    assert made == "a needs 4 GiB"
    assert isinstance(made, Said)
    assert made.pieces == (Piece("{model} needs {size}", {"model": "a", "size": "4 GiB"}),)
    assert json.dumps({"why": made}) == '{"why": "a needs 4 GiB"}'
    assert {made: 1}["a needs 4 GiB"] == 1
    # Without values braces are braces.
    assert said("write ${PORT}") == "write ${PORT}"


def test_an_exception_hands_out_the_sentence_that_it_was_given() -> None:
    assert isinstance(str(ValueError(said("nothing works"))), Said)


def test_copies_know_the_pieces_too() -> None:
    made = said("{n} keys", n=2) + "."
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert isinstance(other, Said)
        assert other == made
        assert other.pieces == made.pieces  # type: ignore[attr-defined]


def test_a_list_of_sentences() -> None:
    made = joined(", ", [said("one"), "two", said("three")])
    assert made == "one, two, three"
    assert isinstance(made, Said)
    assert joined(", ", []) == ""
    assert not isinstance(joined(", ", ["one", "two"]), Said)


@given(st.lists(sentences, max_size=4))
def test_whatever_is_put_together_reads_as_its_pieces(parts: list[str]) -> None:
    whole = joined("; ", parts)
    assert whole == "; ".join(parts)
    if isinstance(whole, Said):
        assert "".join(str(each) for each in whole.pieces) == whole
    else:
        assert not any(isinstance(each, Said) for each in parts)
