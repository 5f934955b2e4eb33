"""What a requested name may mean besides a model: peers, selectors and profiles."""

from __future__ import annotations

import pytest

from qmdesk.config.target import Peer, Profile, Selector, Strategy, Timeouts
from tests.config.conftest import Fail, Parse

MODELS = """\
models:
  a: {cmd: 'r ${PORT}', aliases: [x], filters: {setParamsByID: {'a:hot': {t: 1}}}}
  b: {cmd: 'r ${PORT}'}
  c: {cmd: 'r ${PORT}'}
groups: {together: {swap: off, members: [a, b]}}
"""
PEER = "peers: {p: {proxy: 'http://h:1/v1/', models: [m, org/n]}}\n"


class TestPeers:
    def test_all_keys(self, config: Parse) -> None:
        found = config(
            """
            peers:
              cloud:
                proxy: https://api.example.test/v1/
                models: [m, m, " n "]
                apiKey: s3cret
                filters: {strip_params: "a, model", setParams: {x: 1, model: y},
                          setParamsByID: {m: {z: off}}}
                timeouts: {connect: 5}
            """
        )
        assert found.peers == {
            "cloud": Peer(
                id="cloud",
                proxy="https://api.example.test/v1",
                models=("m", "n"),
                api_key="s3cret",
                strip_params=("a",),
                set_params={"x": 1},
                set_params_by_id={"m": {"z": "off"}},
                timeouts=Timeouts(connect=5, response_header=60),
            )
        }
        assert "s3cret" not in repr(found)

    def test_models_may_be_asked_for(self, config: Parse) -> None:
        peer = config("peers: {p: {proxy: 'http://h', models: auto}}").peers["p"]
        assert (peer.auto, peer.models) == (True, ())

    @pytest.mark.parametrize(
        ("peer", "said"),
        [
            ("{models: [m]}", "peers.p.proxy is missing"),
            ("{proxy: 'http://h'}", "peers.p.models is missing"),
            ("{proxy: 'http://h', models: []}", "at least one model, or say auto"),
            ("{proxy: 'h:1', models: [m]}", "must be a URL"),
            ("{proxy: 'http://h:x', models: [m]}", "must be a URL"),
            ("", "needs proxy and models"),
            ("[m]", "mapping"),
        ],
    )
    def test_mistakes(self, errors: Fail, peer: str, said: str) -> None:
        (problem,) = errors(f"peers: {{p: {peer}}}")
        assert said in problem.message
        assert problem.line == 1

    @pytest.mark.parametrize(
        ("models", "said"),
        [
            ("models: {p/m: {proxy: 'http://h'}}", 'of this machine (model "p/m")'),
            ("models: {a: {proxy: 'http://h', aliases: [p/m]}}", 'of this machine (model "a")'),
            ("models: {}\nselectors: {p/m: {strategy: pin, targets: [m]}}", "a model of a peer"),
            ("models: {}\nprofiles: {o: {pins: {p/m: m}}}", "cannot be pinned"),
            ("models: {}\n", None),
        ],
    )
    def test_a_full_name_means_nothing_else(
        self, config: Parse, errors: Fail, models: str, said: str | None
    ) -> None:
        if said is None:
            config(f"{models}\n{PEER}")
            return
        (problem,) = errors(f"{models}\n{PEER}")
        assert said in problem.message

    def test_two_peers_with_one_full_name(self, errors: Fail) -> None:
        (problem,) = errors(
            "peers: {p: {proxy: 'http://h', models: [q/m]}, p/q: {proxy: 'http://h', models: [m]}}"
        )
        assert 'p/q/m" would mean' in problem.message

    def test_a_bare_name_may_be_that_of_a_model(self, config: Parse) -> None:
        assert config(MODELS + PEER.replace("m,", "a,")).peers["p"].models == ("a", "org/n")


class TestSelectors:
    def test_all_keys(self, config: Parse) -> None:
        found = config(
            MODELS + PEER + "selectors: {s: {strategy: Spillover, targets: [x, b, p/m, org/n], "
            "settings: {spillover: 3}, name: N, description: D, unlisted: on, metadata: {k: 1}}}"
        )
        assert found.selectors == {
            "s": Selector(
                "s",
                Strategy.SPILLOVER,
                ("a", "b", "p/m", "p/org/n"),
                spillover=3,
                name="N",
                description="D",
                unlisted=True,
                metadata={"k": 1},
            )
        }

    def test_targets_may_be_automatic_aliases(self, config: Parse) -> None:
        found = config(MODELS + "selectors: {s: {strategy: warm, targets: ['a:hot', c]}}")
        assert found.selectors["s"].targets == ("a", "c")

    def test_models_of_a_peer_that_lists_them_itself(self, config: Parse) -> None:
        peer = "peers: {p: {proxy: 'http://h', models: auto}}\n"
        found = config(peer + "selectors: {s: {strategy: pin, targets: [p/any/thing]}}")
        assert found.selectors["s"].targets == ("p/any/thing",)

    @pytest.mark.parametrize(
        ("selector", "said"),
        [
            ("s: {targets: [a]}", "s.strategy is missing"),
            ("s: {strategy: pin}", "s.targets is missing"),
            ("s: {strategy: pin, targets: []}", "at least one target"),
            ("s: {strategy: hot, targets: [a]}", "warm, pin, spillover"),
            ("s: {strategy: wram, targets: [a]}", "did you mean `warm`?"),
            ("s: {strategy: pin, targets: [nope]}", 'no model "nope"'),
            ("s: {strategy: pin, targets: [s]}", "is a selector"),
            ("s: {strategy: warm, targets: [p/m]}", "warm can only choose among our own"),
            ("s: {strategy: spillover, targets: [a, p/m, x]}", '"a" is a target twice'),
            ("s: {strategy: spillover, targets: [a, c]}", "run together"),
            ("s: {strategy: pin, targets: [a], settings: {spillover: 0}}", "at least 1"),
            ("a: {strategy: pin, targets: [b]}", "the name of a model"),
            ("x: {strategy: pin, targets: [b]}", "the name of an alias"),
            ("p/m: {strategy: pin, targets: [b]}", "a model of a peer"),
            ("'': {strategy: pin, targets: [b]}", "needs a name"),
            ("s: ", "needs a strategy"),
        ],
    )
    def test_mistakes(self, errors: Fail, selector: str, said: str) -> None:
        (problem,) = errors(MODELS + PEER + f"selectors: {{{selector}}}")
        assert said in problem.message
        assert problem.line == 7

    @pytest.mark.parametrize(
        ("sets", "fine"),
        [
            ("{s: a & c}", True),
            ("{s: a | c}", False),
            ("{s: (a | b) & v}", True),
            ("{s: +t & a, t: b | c}", True),
            ("{s: a & b, t: b & c}", False),
            ("{s: +s & a & c}", True),
            ("{s: (a & (b | (c & b)))}", True),
        ],
    )
    def test_spillover_under_the_matrix(
        self, config: Parse, errors: Fail, sets: str, fine: bool
    ) -> None:
        text = MODELS.partition("groups:")[0] + f"matrix: {{vars: {{v: c}}, sets: {sets}}}\n"
        text += "selectors: {s: {strategy: spillover, targets: [a, c]}}"
        if fine:
            config(text)
        else:
            assert "run together" in errors(text)[0].message


class TestProfiles:
    def test_pins(self, config: Parse) -> None:
        found = config(
            MODELS + PEER + "selectors: {s: {strategy: pin, targets: [b]}}\n"
            "profiles: {o: {description: D, pins: {gpt: x, b: , any: s, c: p/m, q: org/n}}}"
        )
        pins = {"gpt": "x", "b": "", "any": "s", "c": "p/m", "q": "p/org/n"}
        assert found.profiles == {"o": Profile("o", pins, "D")}

    @pytest.mark.parametrize(
        ("profile", "said"),
        [
            ("o: {pins: {}}", "at least one pin"),
            ("o: {}", "at least one pin"),
            ("o: ", "at least one pin"),
            ("o: {pins: {gpt: bb}}", 'no model or selector "bb"'),
            ("o: {pins: {'': a}}", "needs the name"),
            ("'': {pins: {x: a}}", "needs a name"),
            ("o: [a, b]", "old form"),
            ("o: {pins: [a]}", "mapping"),
        ],
    )
    def test_mistakes(self, errors: Fail, profile: str, said: str) -> None:
        (problem,) = errors(MODELS + f"profiles: {{{profile}}}")
        assert said in problem.message
        assert problem.line == 6
