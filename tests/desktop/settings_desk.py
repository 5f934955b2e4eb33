"""A settings window over a real file, with an instance that runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qmdesk.config import Config, Model, parse
from qmdesk.config.diff import diff
from qmdesk.config.merge import read_all
from qmdesk.configuration import Configuration
from qmdesk.events import ConfigApplied
from qmdesk.router.snapshot import ModelSnapshot
from qmdesk.sources import Sources
from tests.desktop.fake_instance import FakeInstance, model, some_models

TEXT = """\
# The desk under the stairs.
listen: 127.0.0.1:8080
globalTTL: 1800   # half an hour
sendLoadingState: true
logLevel: info

macros:
  server: llama-server --port ${PORT} --jinja
  models: /models

models:
  qwen3-30b-a3b:
    # The one for coding.
    cmd: >-
      ${server} -m ${models}/qwen3-30b-a3b-q4_k_m.gguf
      -c 32768 -ngl 99 --flash-attn on
    aliases: [gpt-4o, coder]
    ttl: 3600

  gpt-oss-20b:
    cmd: ${server} -m ${models}/gpt-oss-20b-mxfp4.gguf -c 16384 -ngl 99
    concurrencyLimit: 4

  nomic-embed:
    cmd: ${server} -m ${models}/nomic-embed-v1.5.gguf --embeddings
    unlisted: true

  gemma-3-12b-it:
    cmd: ${server} -m ${models}/gemma-3-12b-it-q4_0.gguf --mmproj ${models}/mmproj-gemma-3.gguf

groups:
  chat:
    swap: true
    members: [qwen3-30b-a3b, gpt-oss-20b, gemma-3-12b-it]
  small:
    swap: false
    exclusive: false
    persistent: true
    members: [nomic-embed]
"""

FILTERS = """
    filters:
      stripParams: "temperature, top_k"
      setParams:
        chat_template_kwargs: {enable_thinking: true}
      setParamsByID:
        qwen3-fast:
          chat_template_kwargs: {enable_thinking: false}
          max_tokens: 2048
"""
"""What may stand in a model."""

NAMES = """
peers:
  workshop:
    # The big box in the cellar.
    proxy: http://workshop.lan:8080
    models: auto
  openrouter:
    proxy: https://openrouter.ai/api/v1
    apiKey: ${env.OPENROUTER_KEY}
    models: [qwen/qwen3-coder, z-ai/glm-4.5]
    timeouts:
      responseHeader: 300
    filters:
      setParams:
        provider: {data_collection: deny}
      setParamsByID:
        coder-low:
          reasoning_effort: low

selectors:
  chat:
    strategy: warm
    targets: [gpt-oss-20b, qwen3-30b-a3b]
    name: Whatever is loaded
  big:
    strategy: pin
    targets:
      - openrouter/qwen/qwen3-coder   # paid
      - qwen3-30b-a3b

profiles:
  away:
    description: On the train, without the workshop
    pins:
      gpt-4o: gemma-3-12b-it
      coder: openrouter/qwen/qwen3-coder
      workshop-only:

apiKeys:
  - key: sk-Vt9wQ2mZ5x8RkJ4n   # the laptop
    name: laptop
    admin: true
  - key: sk-8fJk2LmN4pQr6StU
    name: Open WebUI
  - sk-Zb1Xc3Vb5Nm7Qw9E
apiKeyModels:
  sk-8fJk2LmN4pQr6StU: [qwen3-30b-a3b, chat]
"""
"""What may stand below ``TEXT``: peers, selectors, profiles and keys."""

NAMED = TEXT.replace("    ttl: 3600\n", "    ttl: 3600" + FILTERS, 1) + NAMES
"""``TEXT`` with all of that; ``OPENROUTER_KEY`` has to be set."""


class SettingsInstance(FakeInstance):
    """Reads and saves a real file; "in force" is what was applied last."""

    def __init__(self, path: Path | None, text: str = TEXT, *, folder: Path | None = None) -> None:
        super().__init__(some_models())
        if path is not None and not path.exists():
            path.write_text(text, encoding="utf-8", newline="")
        config = parse(path.read_bytes(), path) if path is not None else parse("")
        if folder is not None and folder.is_dir() and Sources(path, folder).files():
            config = read_all(path, folder)
        history = (path or folder or Path("none")).parent / "history"
        self.configuration = Configuration(config, Sources(path, folder), history, self.bus)
        self.configuration.use(self._apply)
        self.router.snapshot_of = self._snapshot_of  # type: ignore[attr-defined]
        self.refuse: Callable[[Config], None] = lambda _: None

    @property
    def config(self) -> Config:  # type: ignore[override]
        return self.configuration.config

    @config.setter
    def config(self, _: object) -> None:
        """What the simpler instance sets is not used here."""

    def _snapshot_of(self, of: Model) -> ModelSnapshot:
        return self.router.models.get(of.id) or model(of.id)

    async def _apply(self, config: Config, saved: bool) -> tuple[str, ...]:
        self.router.snapshot_of = self._snapshot_of  # type: ignore[attr-defined]
        self.refuse(config)
        changes = diff(self.configuration.config, config)
        # As the real one, which has it in force before it tells.
        self.configuration.config = config
        self.bus.publish(ConfigApplied(changes, saved))
        return changes
