"""What a model takes: worked out from its command, and what a start may be changed to."""

from __future__ import annotations

from pathlib import Path

import pytest

from qmdesk.config import Model
from qmdesk.demo import tiny_gguf
from qmdesk.gpu import Card, Kind
from qmdesk.memory import header
from qmdesk.memory.arguments import Arguments
from qmdesk.memory.fitting import fit, least
from qmdesk.memory.footprint import Known, launch_key
from qmdesk.memory.launch import Launch
from qmdesk.memory.placement import shares
from qmdesk.memory.size import OVERHEAD, Size, shards, size_of
from qmdesk.memory.store import Store

GIB = 1 << 30


def words(text: str) -> Arguments:
    return Arguments(tuple(text.split()))


def sparse(file: Path, size: int) -> Path:
    """A file of ``size`` bytes that takes no room."""
    with file.open("wb") as stream:
        stream.truncate(size)
    return file


class TestArguments:
    def test_the_last_one_counts(self) -> None:
        assert words("llama-server -c 1 --ctx-size 2").context == 2

    def test_values_are_put_in_place_or_appended(self) -> None:
        assert words("s -c 1 -x").with_value(("-c", "--ctx-size"), 5).argv == ("s", "-c", "5", "-x")
        assert words("s").with_value(("-c", "--ctx-size"), 5).argv == ("s", "--ctx-size", "5")

    @pytest.mark.parametrize(
        ("text", "layers"), [("-ngl 20", 20), ("-ngl all", 999), ("-ngl -1", 999), ("", None)]
    )
    def test_layers_on_the_card(self, text: str, layers: int | None) -> None:
        assert words(f"llama-server {text}").layers == layers

    @pytest.mark.parametrize(
        ("text", "itself"),
        [
            ("llama-server --fit on", True),
            ("llama-server --fit off", False),
            ("llama-server --fit on -c 4096", False),
            ("llama-server --fit on -ngl 20", False),
            ("llama-server", False),
            ("python -m qmdesk.llama_server -m x.gguf", True),
            ("/opt/qmdesk/qmdesk llama-server -m x.gguf", True),
        ],
    )
    def test_who_finds_its_own_sizes(self, text: str, itself: bool) -> None:
        assert words(text).fits_itself is itself

    def test_ports_keys_and_names_do_not_matter(self) -> None:
        one = words("/a/llama-server -m x.gguf --port 1 --api-key s --alias a -c 5")
        other = words("/b/llama-server -m x.gguf --port 2 -c 5")
        assert one.what_matters() == other.what_matters()


class TestHeaders:
    def test_of_a_generated_model(self, tmp_path: Path) -> None:
        file = tmp_path / "tiny.gguf"
        tiny_gguf.write(file)
        found = header.read(file)
        assert found.layers > 0
        assert found.context > 0
        assert found.per_token > 0

    @pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 40, b"x" * 99])
    def test_of_anything_else_there_is_nothing(self, tmp_path: Path, content: bytes) -> None:
        file = tmp_path / "broken.gguf"
        file.write_bytes(content)
        assert header.read(file) == header.Header()


class TestSizes:
    def test_every_file_of_the_command_counts_with_all_its_parts(self, tmp_path: Path) -> None:
        for part in (1, 2, 3):
            sparse(tmp_path / f"big-0000{part}-of-00003.gguf", GIB)
        sparse(tmp_path / "mmproj.gguf", GIB // 2)
        arguments = words("llama-server -m big-00001-of-00003.gguf --mmproj mmproj.gguf -c 8192")
        size = size_of(arguments, str(tmp_path))
        assert size is not None
        assert size.weights == 3 * GIB + GIB // 2
        assert size.vram > size.weights + OVERHEAD
        assert len(shards(Path("big-00001-of-00003.gguf"))) == 3

    def test_without_a_file_nothing_is_known(self, tmp_path: Path) -> None:
        assert size_of(words("llama-server -m gone.gguf"), str(tmp_path)) is None
        assert size_of(words("vllm serve some/name"), str(tmp_path)) is None

    def test_more_context_takes_more_and_small_elements_take_less(self, tmp_path: Path) -> None:
        sparse(tmp_path / "m.gguf", 4 * GIB)

        def vram(more: str) -> int:
            size = size_of(words(f"llama-server -m m.gguf {more}"), str(tmp_path))
            assert size is not None
            return size.vram

        assert vram("-c 32768") > vram("-c 8192") > 4 * GIB
        assert vram("-c 32768 -ctk q8_0 -ctv q8_0") < vram("-c 32768")
        assert vram("-ngl 0") == 0

    def test_layers_in_main_memory_are_not_on_the_card(self) -> None:
        size = dense()
        half = Size(size.weights, size.per_token, size.context, 1, 40, 20, False, 0)
        assert half.vram < 0.6 * size.vram
        assert half.ram > 0.4 * size.vram


class TestKeys:
    def test_a_changed_file_is_another_model(self, tmp_path: Path) -> None:
        file = sparse(tmp_path / "m.gguf", 100)
        model, arguments = Model("m"), words("llama-server -m m.gguf")
        before = launch_key(model, arguments, str(tmp_path))
        assert launch_key(model, arguments, str(tmp_path)) == before
        sparse(file, 200)
        assert launch_key(model, arguments, str(tmp_path)) != before

    def test_so_are_another_context_and_another_card(self, tmp_path: Path) -> None:
        model, folder = Model("m"), str(tmp_path)
        keys = {
            launch_key(model, words("llama-server -c 1"), folder),
            launch_key(model, words("llama-server -c 2"), folder),
            launch_key(Model("m", env=("CUDA_VISIBLE_DEVICES=1",)), words("llama-server"), folder),
        }
        assert len(keys) == 3


def card(index: int, total: int = 24, used: int = 0) -> Card:
    return Card(f"GPU-{index}", index, "card", Kind.NVIDIA, total * GIB, used * GIB)


CARDS = (card(0), card(1, used=12), card(2, total=12))


class TestPlacement:
    def placed(self, text: str, *env: str) -> dict[str, float]:
        found = shares(words(text), env, CARDS)
        return {name: round(share, 2) for name, share in found.items()}

    def test_a_split_model_in_proportion_to_what_is_free(self) -> None:
        assert self.placed("llama-server") == {"GPU-0": 0.5, "GPU-1": 0.25, "GPU-2": 0.25}

    def test_or_as_it_is_split(self) -> None:
        assert self.placed("llama-server -ts 3,0,1") == {"GPU-0": 0.75, "GPU-2": 0.25}

    def test_one_that_names_its_card(self) -> None:
        assert self.placed("llama-server", "CUDA_VISIBLE_DEVICES=2") == {"GPU-2": 1.0}
        assert self.placed("llama-server", "CUDA_VISIBLE_DEVICES=GPU-1") == {"GPU-1": 1.0}
        assert self.placed("llama-server --device CUDA1") == {"GPU-1": 1.0}
        assert self.placed("llama-server -sm none -mg 2") == {"GPU-2": 1.0}

    def test_numbers_count_among_the_cards_that_it_sees(self) -> None:
        seen = "CUDA_VISIBLE_DEVICES=2,0"
        assert self.placed("llama-server --device CUDA0", seen) == {"GPU-2": 1.0}

    def test_no_card_at_all(self) -> None:
        assert self.placed("llama-server --device none") == {}
        assert self.placed("llama-server", "CUDA_VISIBLE_DEVICES=") == {}

    def test_another_server_gets_the_first_card_that_it_sees(self) -> None:
        assert self.placed("python -m comfy") == {"GPU-0": 1.0}


def dense(context: int = 32768, on_card: int | None = None) -> Size:
    return Size(8 * GIB, 128 << 10, context, 1, 40, on_card, mixture=False, experts_off=0)


class TestFitting:
    COMMAND = words("llama-server -m m.gguf -c 32768 -ngl 99")

    def test_what_fits_is_not_touched(self) -> None:
        found = fit(self.COMMAND, dense(), 12 * GIB, 12 * GIB, 0.5)
        assert found is not None
        assert (found.arguments, found.said) == (self.COMMAND, "")

    def test_a_smaller_context_comes_first_in_whole_steps(self) -> None:
        found = fit(self.COMMAND, dense(), 12 * GIB, int(11.2 * GIB), 0.5)
        assert found is not None
        assert found.arguments.context == 32768 - 2 * 4096
        assert found.arguments.layers == 99
        assert found.vram <= 11.2 * GIB

    def test_a_step_is_larger_with_more_slots(self) -> None:
        size = Size(8 * GIB, 128 << 10, 32768, 2, 40, None, False, 0)
        found = fit(self.COMMAND, size, 12 * GIB, int(11.2 * GIB), 0.5)
        assert found is not None
        assert found.arguments.context == 32768 - 8192

    def test_then_fewer_layers_and_never_less_context_than_was_promised(self) -> None:
        found = fit(self.COMMAND, dense(), 12 * GIB, 8 * GIB, 0.5)
        assert found is not None
        assert (found.arguments.context or 0) >= 0.6 * 32768
        assert (found.arguments.layers or 99) < 40
        assert "layers on the card" in found.said

    def test_of_a_mixture_model_the_experts_go_to_main_memory(self) -> None:
        size = Size(8 * GIB, 16 << 10, 8192, 1, 40, None, mixture=True, experts_off=0)
        found = fit(words("llama-server -c 8192"), size, 9 * GIB, 7 * GIB, 0.5)
        assert found is not None
        assert 0 < (found.arguments.number(("--n-cpu-moe",)) or 0) <= 40
        assert found.arguments.layers is None

    def test_below_the_least_share_it_does_not_fit(self) -> None:
        assert fit(self.COMMAND, dense(), 12 * GIB, 3 * GIB, 0.5) is None

    def test_nothing_is_ever_moved_to_the_card(self) -> None:
        found = fit(words("llama-server -ngl 30"), dense(on_card=30), 9 * GIB, 7 * GIB, 0.1)
        assert found is not None
        assert (found.arguments.layers or 99) < 30

    def test_other_servers_are_as_they_are(self) -> None:
        assert fit(words("vllm serve x"), None, 12 * GIB, 11 * GIB, 0.5) is None

    @pytest.mark.parametrize("context", [0, 4096, 32768, 131072])
    def test_the_least_is_what_just_fits(self, context: int) -> None:
        size = dense(context)
        low = least(self.COMMAND, size, 12 * GIB, 0.5)
        assert fit(self.COMMAND, size, 12 * GIB, low, 0.5) is not None
        assert fit(self.COMMAND, size, 12 * GIB, low - 1, 0.5) is None


class TestWhatIsKnown:
    def study(self, tmp_path: Path, **more: object) -> Launch:
        if not (tmp_path / "m.gguf").exists():
            sparse(tmp_path / "m.gguf", GIB)
        model = Model("m", cmd="llama-server -m m.gguf", cwd=str(tmp_path), **more)  # type: ignore[arg-type]
        self.store = Store(tmp_path / "data")
        return Launch.study(model, None, self.store)

    def test_a_measurement_is_better_than_a_figure_and_that_than_a_computed_one(
        self, tmp_path: Path
    ) -> None:
        assert self.study(tmp_path).footprint().known is Known.COMPUTED
        configured = self.study(tmp_path, est_vram_gb=5.0)
        assert configured.footprint().known is Known.CONFIGURED
        assert configured.footprint().vram == 5 * GIB
        self.store.learn(configured.key, {"GPU-0": 7 * GIB}, "driver 1")
        self.store.learn_load(configured.key, 12.5)
        self.store.close()
        learned = self.study(tmp_path, est_vram_gb=5.0)
        assert learned.footprint().known is Known.LEARNED
        assert learned.footprint().vram == 7 * GIB
        assert (learned.driver, learned.load_seconds) == ("driver 1", 12.5)
        self.store.close()

    def test_what_nobody_knows_is_not_nothing(self, tmp_path: Path) -> None:
        store = Store(tmp_path)
        launch = Launch.study(Model("m", cmd="serve it"), None, store)
        store.close()
        assert launch.footprint().known is Known.UNKNOWN
        assert launch.footprint().vram is None
        assert launch.cards(CARDS) is None

    def test_a_figure_is_charged_where_the_model_will_be(self, tmp_path: Path) -> None:
        launch = self.study(tmp_path, est_vram_gb=8.0, env=("CUDA_VISIBLE_DEVICES=1",))
        assert launch.cards(CARDS) == {"GPU-1": 8 * GIB}
        self.store.close()


def test_a_store_that_is_broken_begins_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "memory.sqlite3").write_bytes(b"this is no database" * 100)
    store = Store(tmp_path)
    assert "is lost" in caplog.text
    store.learn_floor("GPU-0", 5)
    store.close()
    again = Store(tmp_path)
    assert again.floors() == {"GPU-0": 5}
    again.close()


def test_a_store_that_cannot_be_written_forgets_at_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    assert "not kept" in caplog.text
    store.learn_floor("GPU-0", 5)
    assert store.floors() == {"GPU-0": 5}
    store.close()
