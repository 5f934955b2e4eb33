"""Models and other programs share a card, with real processes on a card that stands in."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from pathlib import Path

import aiohttp
import pytest

from qmdesk import cli
from qmdesk.config import parse
from qmdesk.events import Evicted, Fact, GaveWay, MemorySampled, ModelState
from qmdesk.gpu import Reading
from qmdesk.instance import Instance
from qmdesk.memory import Pace
from qmdesk.memory.store import Store
from qmdesk.router import Rejected, Router
from qmdesk.scheduler import Refusal
from tests.conftest import simple_text, until
from tests.memory.fake_card import GIB, FakeCard, Game

PACE = Pace(busy=0.03, idle=0.03, hung=0.3, after_hang=0.3, settle=2.0, steady=0.3, step=0.02)

Begin = Callable[..., "asyncio.Future[Instance]"]


@pytest.fixture
def card(tmp_path: Path) -> FakeCard:
    return FakeCard(tmp_path / "card")


@pytest.fixture
def games(card: FakeCard) -> Iterator[Callable[..., Game]]:
    running: list[Game] = []

    def begin(gib: float) -> Game:
        running.append(Game(card, gib))
        return running[-1]

    yield begin
    for game in running:
        game.end()


@pytest.fixture
async def begin(card: FakeCard) -> AsyncIterator[Callable[..., object]]:
    """Starts an instance on the card, and stops it when the test ends."""
    running: list[Instance] = []

    async def start(text: str, pace: Pace = PACE, sampler: object = None) -> Instance:
        instance = Instance(
            parse(text),
            listen="127.0.0.1:0",
            sampler=lambda: sampler or card,  # type: ignore[arg-type,return-value]
            pace=pace,
        )
        running.append(instance)
        await instance.start()
        await sampled(instance)
        return instance

    yield start
    for instance in running:
        await instance.stop(budget=4.0)


async def sampled(instance: Instance, times: int = 2) -> None:
    """Wait until the memory has been measured anew."""
    left = times
    done = asyncio.Event()

    def hear(_: Fact) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            done.set()

    end = instance.bus.subscribe(hear, MemorySampled)
    await asyncio.wait_for(done.wait(), 10)
    end()


def models(card: FakeCard, more: str = "", keys: str = "", **sizes: float) -> str:
    """A configuration of models that take so many GiB and say so."""
    return (
        more
        + "models:\n"
        + "".join(
            f"  {name}:\n    cmd: {card.command(name, size)}\n    estVramGB: {size}\n{keys}"
            for name, size in sizes.items()
        )
    )


async def use(router: Router, model: str) -> None:
    async with router.serve(model, by="the test"):
        pass


def loaded(instance: Instance) -> set[str]:
    return {
        model.id
        for model in instance.router.snapshot().models
        if model.state is ModelState.READY and not model.external
    }


def heard(instance: Instance, *types: type[Fact]) -> list[Fact]:
    facts: list[Fact] = []
    instance.bus.subscribe(facts.append, *types)
    return facts


class TestSharingOneCard:
    async def test_models_stay_while_they_fit_and_the_fewest_go(
        self, card: FakeCard, begin: Begin
    ) -> None:
        instance = await begin(models(card, a=8, b=8, c=6, d=7))
        evicted = heard(instance, Evicted)
        for model in "abc":
            await use(instance.router, model)
        assert loaded(instance) == {"a", "b", "c"}
        await use(instance.router, "d")
        (fact,) = evicted
        assert isinstance(fact, Evicted)
        (gone,) = fact.models
        assert loaded(instance) == {"a", "b", "c", "d"} - {gone}
        assert "d needs 7.0 GiB (configured) of the 23.0 GiB for models on Stand-in" in fact.why

    async def test_the_next_one_waits_until_the_driver_has_let_go(
        self, tmp_path: Path, begin: Begin
    ) -> None:
        # A server that starts too early finds too little memory and ends.
        slow = FakeCard(tmp_path / "slow", release=0.5)
        instance = await begin(models(slow, a=20, b=20), sampler=slow)
        await use(instance.router, "a")
        await use(instance.router, "b")
        assert loaded(instance) == {"b"}
        assert slow.most <= slow.total

    async def test_what_can_never_fit_is_refused_and_evicts_nobody(
        self, card: FakeCard, begin: Begin, http: aiohttp.ClientSession
    ) -> None:
        instance = await begin(models(card, a=8, huge=40))
        await use(instance.router, "a")
        url = f"{instance.addresses[0]}/v1/chat/completions"
        async with http.post(url, json={"model": "huge", "messages": []}) as answer:
            body = await answer.json()
            assert answer.status == 503
            assert answer.headers["Retry-After"] == "30"
        assert body["error"]["code"] == "no_room"
        assert (
            "huge needs 40.0 GiB (configured) on Stand-in, where 23.0 GiB are for models"
            in (body["error"]["message"])
        )
        assert loaded(instance) == {"a"}

    async def test_groups_that_are_written_stay_in_force(
        self, card: FakeCard, begin: Begin
    ) -> None:
        instance = await begin(models(card, "groups: {g: {members: [a, b]}}\n", a=1, b=1))
        await use(instance.router, "a")
        await use(instance.router, "b")
        assert loaded(instance) == {"b"}
        assert instance.memory().policy == "groups"

    async def test_a_budget_that_is_written_takes_their_place(
        self, card: FakeCard, begin: Begin
    ) -> None:
        more = "vramBudgetGB: 9\ngroups: {g: {members: [a, b, c]}}\n"
        instance = await begin(models(card, more, a=4, b=4, c=4))
        for model in "abc":
            await use(instance.router, model)
        assert loaded(instance) == {"b", "c"}

    async def test_a_budget_needs_no_card(self, begin: Begin, card: FakeCard) -> None:
        class NoCard:
            def read(self, ours: Collection[int], *, idle: bool) -> Reading:
                return Reading()

            def close(self) -> None: ...

        instance = await begin(models(card, "vramBudgetGB: 9\n", a=4, b=4, c=4), sampler=NoCard())
        for model in "abc":
            await use(instance.router, model)
        assert loaded(instance) == {"b", "c"}

    async def test_without_both_one_model_runs_at_a_time(
        self, begin: Begin, card: FakeCard
    ) -> None:
        class NoCard:
            def read(self, ours: Collection[int], *, idle: bool) -> Reading:
                return Reading()

            def close(self) -> None: ...

        instance = await begin(models(card, a=1, b=1), sampler=NoCard())
        await use(instance.router, "a")
        await use(instance.router, "b")
        assert loaded(instance) == {"b"}

    async def test_a_budget_that_is_changed_is_in_force_at_once(
        self, begin: Begin, card: FakeCard
    ) -> None:
        text = models(card, a=4, b=4)
        instance = await begin(text)
        await use(instance.router, "a")
        instance.router.apply_config(parse("vramBudgetGB: 5\n" + text))
        await use(instance.router, "b")
        assert loaded(instance) == {"b"}

    async def test_main_memory_counts_where_it_is_written(
        self, begin: Begin, card: FakeCard
    ) -> None:
        keys = "    estRamGB: 100000\n"
        instance = await begin(models(card, keys=keys, a=1))
        with pytest.raises(Rejected) as refused:
            await use(instance.router, "a")
        assert refused.value.refusal is Refusal.NO_ROOM
        assert "main memory" in str(refused.value)

    async def test_a_variant_has_a_footprint_of_its_own(
        self, card: FakeCard, begin: Begin, tmp_path: Path
    ) -> None:
        with (tmp_path / "m.gguf").open("wb") as file:
            file.truncate(4 * GIB)
        options = ("--file", tmp_path / "m.gguf", "-c", 4096)
        command = card.command("llama-server", 6, *options)
        instance = await begin(
            f"models:\n  a:\n    cmd: {command}\n" + models(card, b=8).removeprefix("models:\n")
        )
        await use(instance.router, "b")
        known = instance.memory().model("a")
        assert known is not None
        assert known.known == "computed"
        variant = instance.router.variant("a", 65536)
        await use(instance.router, variant.id)
        assert loaded(instance) == {"b", variant.id}
        await until(lambda: instance.memory().model(variant.id).known == "learned")  # type: ignore[union-attr]
        # What was measured of one is nothing that is known of the other.
        assert instance.memory().model("a") == known


class TestLearning:
    async def test_what_was_measured_takes_the_place_of_what_was_written(
        self, card: FakeCard, begin: Begin, own_folders: Path
    ) -> None:
        text = models(card, a=20, b=4).replace("estVramGB: 20", "estVramGB: 2")
        instance = await begin(text)
        await use(instance.router, "a")
        await until(lambda: instance.memory().model("a").known == "learned")  # type: ignore[union-attr]
        known = instance.memory().model("a")
        assert known is not None
        assert (known.holds, known.needs) == (20 * GIB, 20 * GIB)
        await use(instance.router, "b")
        # By what is written both would fit.
        assert loaded(instance) == {"b"}
        await instance.stop(budget=4.0)
        again = await begin(text)
        known = again.memory().model("a")
        assert known is not None
        assert (known.known, known.needs) == ("learned", 20 * GIB)

    async def test_where_processes_are_not_told_apart_the_rise_of_the_card_is_taken(
        self, card: FakeCard, begin: Begin
    ) -> None:
        card.tells = False
        text = models(card, a=6).replace("    estVramGB: 6\n", "")
        instance = await begin(text)
        await use(instance.router, "a")
        await until(lambda: instance.memory().model("a").known == "learned")  # type: ignore[union-attr]
        assert instance.memory().model("a").needs == 6 * GIB  # type: ignore[union-attr]

    async def test_a_model_that_holds_nothing_on_the_card_is_known_after_a_while(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        games(1)
        instance = await begin(simple_text("cpu"))
        await use(instance.router, "cpu")
        await until(lambda: instance.memory().model("cpu").known == "learned")  # type: ignore[union-attr]
        assert instance.memory().model("cpu").needs == 0  # type: ignore[union-attr]

    async def test_it_is_kept_in_a_file_of_its_own(
        self, card: FakeCard, begin: Begin, own_folders: Path
    ) -> None:
        instance = await begin(models(card, a=3))
        await use(instance.router, "a")
        await until(lambda: instance.memory().model("a").known == "learned")  # type: ignore[union-attr]
        await instance.stop(budget=4.0)
        with sqlite3.connect(own_folders / "data/qmdesk/memory.sqlite3") as db:
            rows = db.execute("SELECT card, bytes, driver FROM footprint").fetchall()
            floors = db.execute("SELECT card, bytes FROM floor").fetchall()
        db.close()
        assert rows == [("GPU-0", 3 * GIB, "1")]
        assert floors == [("GPU-0", 0)]


class TestGames:
    async def test_a_game_comes_off_the_ceiling_and_is_named_in_the_refusal(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        instance = await begin(models(card, a=16))
        game = games(10)
        await until(lambda: instance.memory().cards[0].ceiling == 13 * GIB)
        with pytest.raises(Rejected) as refused:
            await use(instance.router, "a")
        assert "and 13.0 GiB now: game.exe holds 10.0 GiB" in str(refused.value)
        game.end()
        await until(lambda: instance.memory().cards[0].ceiling == 23 * GIB)
        await use(instance.router, "a")

    async def test_what_was_there_from_the_start_is_the_floor(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        games(2)
        instance = await begin(models(card, a=1))
        (found,) = instance.memory().cards
        assert (found.budget, found.ceiling) == (21 * GIB, 21 * GIB)

    async def test_idle_models_make_room_one_at_a_time_until_it_is_enough(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        instance = await begin(models(card, "memory: {graceSeconds: 0.2}\n", a=7, b=7, c=7))
        told = heard(instance, GaveWay)
        for model in "abc":
            await use(instance.router, model)
        game = games(9)
        await until(lambda: told)
        await until(lambda: len(card.taken()) == 3)
        game.grow()
        assert game.content
        await sampled(instance, 12)
        (fact,) = told
        assert isinstance(fact, GaveWay)
        assert fact.why.startswith("game.exe holds ")
        assert len(loaded(instance)) == 2
        state = instance.router.snapshot().model(fact.model)
        assert state is not None
        assert state.state is ModelState.STOPPED

    async def test_a_model_in_use_is_not_taken_away(
        self,
        card: FakeCard,
        begin: Begin,
        games: Callable[[float], Game],
        http: aiohttp.ClientSession,
    ) -> None:
        instance = await begin(models(card, "memory: {graceSeconds: 0.05}\n", a=20))
        told = heard(instance, GaveWay)
        async with instance.router.serve("a") as turn:
            games(9)
            await sampled(instance, 12)
            assert turn.ended is None
            assert told == []
        await until(lambda: told)
        async with http.get(f"{instance.addresses[0]}/metrics") as answer:
            assert 'evictions_total{model="a",reason="memory"} 1.0' in await answer.text()

    async def test_nor_is_any_where_pressure_is_off(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        more = "memory: {graceSeconds: 0.05, pressure: off}\n"
        instance = await begin(models(card, more, a=20))
        await use(instance.router, "a")
        games(9)
        await sampled(instance, 12)
        assert loaded(instance) == {"a"}

    async def test_figures_that_cannot_be_trusted_take_nothing_away(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        card.tells = False
        instance = await begin(models(card, "memory: {graceSeconds: 0.05}\n", a=20))
        await use(instance.router, "a")
        games(9)
        await sampled(instance, 12)
        assert loaded(instance) == {"a"}
        assert not instance.memory().cards[0].trusted
        assert instance.memory().cards[0].ceiling == 23 * GIB


class TestAtTheStart:
    async def test_a_start_that_was_refused_is_not_tried_again_at_once(
        self, card: FakeCard, begin: Begin, games: Callable[[float], Game]
    ) -> None:
        # What it says is below what is measured as free: only the start itself sees it.
        text = models(card, "vramBudgetGB: 24\nmemory: {pressure: off}\n", a=20)
        game = games(6)
        instance = await begin(text)
        with pytest.raises(Rejected) as refused:
            await use(instance.router, "a")
        assert refused.value.refusal is Refusal.START_FAILED
        said = str(refused.value)
        assert "it needs 20.0 GiB (configured) on Stand-in, 18.0 GiB of 24.0 GiB are free" in said
        assert "game.exe holds 6.0 GiB" in said
        with pytest.raises(Rejected) as again:
            await use(instance.router, "a")
        assert again.value.refusal is Refusal.NO_ROOM
        game.end()
        await until(lambda: not instance.memory().model("a").refused)  # type: ignore[union-attr]
        await use(instance.router, "a")

    async def test_a_driver_that_hangs_holds_nobody_up(self, card: FakeCard, begin: Begin) -> None:
        answer = threading.Event()

        class Hangs:
            def read(self, ours: Collection[int], *, idle: bool) -> Reading:
                answer.wait(20)
                return Reading()

            def close(self) -> None: ...

        instance = await begin(models(card, a=1), sampler=Hangs())
        await use(instance.router, "a")
        assert "has not answered for 0.3 s" in instance.memory().problem
        answer.set()

    async def test_a_driver_that_is_lost_leaves_the_budget_in_force(
        self, card: FakeCard, begin: Begin
    ) -> None:
        class Lost:
            def __init__(self) -> None:
                self.gone = False

            def read(self, ours: Collection[int], *, idle: bool) -> Reading:
                return Reading(problem="it is gone") if self.gone else card.read(ours, idle=idle)

            def close(self) -> None: ...

        sampler = Lost()
        instance = await begin(models(card, a=8, b=8, c=30), sampler=sampler)
        sampler.gone = True
        await sampled(instance, 3)
        assert instance.memory().problem == "it is gone"
        assert instance.memory().cards[0].used is None
        await use(instance.router, "a")
        await use(instance.router, "b")
        assert loaded(instance) == {"a", "b"}
        with pytest.raises(Rejected):
            await use(instance.router, "c")


class TestWhatIsTold:
    async def test_by_the_doctor(
        self,
        card: FakeCard,
        begin: Begin,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        games: Callable[[float], Game],
    ) -> None:
        file = tmp_path / "config.yaml"
        file.write_text(models(card, a=16, b=9, huge=30))
        instance = await begin(file.read_text())
        await use(instance.router, "a")
        games(2)
        await until(lambda: instance.memory().cards[0].ceiling == 21 * GIB)
        address = instance.addresses[0].removeprefix("http://")
        arguments = ("doctor", "--config", str(file), "--address", address)
        assert await asyncio.to_thread(cli.main, arguments) == 0
        said = capsys.readouterr().out
        assert "Stand-in (driver 1): 18.0 GiB of 24.0 GiB used" in said
        assert "for models: 23.0 GiB, 21.0 GiB now" in said
        assert "game.exe holds 2.0 GiB" in said
        lines = {line.split()[0]: " ".join(line.split()) for line in said.splitlines() if line}
        assert lines["a"] == "a 16.0 GiB 16.0 GiB learned evicts nobody"
        assert lines["b"].startswith("b - 9.0 GiB configured evicts a: b needs 9.0 GiB")
        assert "refused: huge needs 30.0 GiB" in lines["huge"]

    def test_by_the_doctor_where_nothing_runs(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "config.yaml"
        file.write_text("listen: '127.0.0.1:1'\n" + simple_text("m"))
        assert cli.main(("doctor", "--config", str(file))) == 0
        said = capsys.readouterr().out
        assert said.startswith("qmdesk does not run")
        assert " ".join(said.splitlines()[-1].split()) == "m - unknown unknown evicts nobody"

    async def test_by_the_running_and_memory_routes_and_the_metrics(
        self, card: FakeCard, begin: Begin, http: aiohttp.ClientSession
    ) -> None:
        instance = await begin(models(card, a=20, b=5, huge=30))
        await use(instance.router, "a")
        await sampled(instance)
        base = instance.addresses[0]
        async with http.get(f"{base}/running") as answer:
            (row,) = (await answer.json())["running"]
        assert row["memory"]["holds"] == 20 * GIB
        assert row["memory"]["known"] == "learned"
        async with http.get(f"{base}/api/memory") as answer:
            body = await answer.json()
        assert body["policy"] == "budget"
        assert body["cards"][0]["models"] == [{"model": "a", "bytes": 20 * GIB}]
        rows = {row["model"]: row for row in body["models"]}
        assert rows["b"]["would_evict"] == ["a"]
        assert "b needs 5.0 GiB (configured)" in rows["b"]["why"]
        assert rows["huge"]["would_be_refused"]
        async with http.get(f"{base}/metrics") as answer:
            text = await answer.text()
        assert 'qmdesk_gpu_memory_used_bytes{card="GPU-0",name="Stand-in"} 2.147483648e+10' in text
        assert 'qmdesk_model_memory_bytes{card="GPU-0",model="a"}' in text


async def test_what_is_being_opened_at_the_end_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, go = threading.Event(), threading.Event()
    closed: list[Store] = []

    class Slow(Store):
        def __init__(self, folder: Path) -> None:
            entered.set()
            go.wait(10)
            super().__init__(folder)

        def close(self) -> None:
            closed.append(self)
            super().close()

    monkeypatch.setattr("qmdesk.memory.memory.Store", Slow)
    instance = Instance(parse(simple_text("a")), listen="127.0.0.1:0")
    await instance.start()
    await until(entered.is_set)
    stopping = asyncio.ensure_future(instance.stop())
    await asyncio.sleep(0.05)
    go.set()
    await stopping
    assert len(closed) == 1
