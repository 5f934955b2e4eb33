"""The words that the desktop shows: translation, plurals, times and shares.

Free of Qt, so that texts are tested without it; the app hands in Qt's translator.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import localtime, strftime, time

CONTEXT = "qmdesk"
TRAY_SHOWN = "the tray icon is shown"
"""What the log says then; the self-test looks for it."""

Translator = Callable[[str, str, int], str]

_translator: Translator | None = None
_point = "."
_generation = 0


def use(translator: Translator | None, *, point: str = ".") -> None:
    """Translate with ``translator``: context, text and count (-1 for none) to text.

    ``point`` stands between a number and its fraction.
    """
    global _translator, _point, _generation  # noqa: PLW0603 - one language for the whole app
    _translator = translator
    _point = point
    _generation += 1


def generation() -> tuple[int, int]:
    """Changes with the language and with the day: what was said before is said anew."""
    return _generation, localtime().tm_yday


def tr(text: str, /, **values: object) -> str:
    """``text`` in the user's language, with ``values`` put into its braces."""
    if _translator is not None:
        text = _translator(CONTEXT, text, -1)
    return text.format(**values) if values else text


def later(text: str) -> str:
    """``text`` as it is: one that ``tr`` is given where it is shown, for the extraction to find."""
    return text


def plural(count: int, one: str, many: str, **values: object) -> str:
    """``one`` or ``many`` in the user's language, with ``{n}`` as the count."""
    text = many
    if _translator is not None:
        text = _translator(CONTEXT, many, count)
    if text == many and count == 1:
        text = one
    return text.format(n=count, **values)


def listed(names: tuple[str, ...], limit: int = 3) -> str:
    """The names as a list in words; beyond ``limit`` the rest is counted."""
    if len(names) > limit:
        rest = len(names) - limit + 1
        shown = ", ".join(names[: limit - 1])
        return plural(rest, "{names} and 1 more", "{names} and {n} more", names=shown)
    if len(names) > 1:
        return tr("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])
    return names[0] if names else ""


def number(value: float, form: str = "g") -> str:
    """``value`` in one of Python's forms, as the user's language writes it."""
    return format(value, form).replace(".", _point)


def share(fraction: float) -> str:
    """A fraction of 0 to 1 as ``64 %``."""
    return f"{round(min(max(fraction, 0.0), 1.0) * 100)} %"


def duration(seconds: float) -> str:
    """Seconds as a short time with one unit, such as ``6 s`` or ``3 min``."""
    seconds = max(0.0, seconds)
    if seconds < 59.5:
        return tr("{n} s", n=round(seconds))
    if seconds < 3600:
        return tr("{n} min", n=round(seconds / 60))
    if seconds < 48 * 3600:
        return tr("{n} h", n=round(seconds / 3600))
    return tr("{n} days", n=round(seconds / 86400))


def exact(seconds: float) -> str:
    """Seconds as they were measured, such as ``0.42 s``, ``6.4 s`` or ``2 min 5 s``."""
    if seconds < 1:
        return tr("{n} s", n=number(seconds, ".2f"))
    if seconds < 60:
        return tr("{n} s", n=number(seconds, ".1f"))
    minutes, rest = divmod(round(seconds), 60)
    return tr("{n} min {s} s", n=minutes, s=rest)


def rate(tokens: float) -> str:
    """Tokens per second, such as ``38.4 tok/s``."""
    return tr("{n} tok/s", n=number(tokens, ".1f"))


def size(amount: float) -> str:
    """Bytes as ``14.2 GiB`` or ``380 MiB``."""
    gib = amount / (1 << 30)
    if gib >= 1:
        return tr("{n} GiB", n=number(gib, ".1f"))
    return tr("{n} MiB", n=round(amount / (1 << 20)))


def part_of(part: float, whole: float) -> str:
    """Bytes of bytes in one unit, such as ``14.2 of 24.0 GiB``."""
    gib = 1 << 30
    if whole >= gib:
        held, room = number(part / gib, ".1f"), number(whole / gib, ".1f")
        return tr("{part} of {whole} GiB", part=held, whole=room)
    mib = 1 << 20
    return tr("{part} of {whole} MiB", part=round(part / mib), whole=round(whole / mib))


def ago(seconds: float) -> str:
    """How long something is past, such as ``3 min ago``."""
    return tr("just now") if seconds < 10 else tr("{age} ago", age=duration(seconds))


def clock(at: float, now: float | None = None) -> str:
    """A Unix time as people read it: ``14:02``, with its day where that is another one."""
    then = localtime(at)
    today = localtime(time() if now is None else now)
    same = then[:3] == today[:3]
    return strftime("%H:%M" if same else "%Y-%m-%d %H:%M", then)


def at_home(path: str | Path) -> str:
    """``path`` with ``~`` for the user's own folder."""
    try:
        return str(Path("~") / Path(path).relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(path)


def first_line(text: str, limit: int = 200) -> str:
    """The first line of ``text``, cut to ``limit`` characters."""
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def last_line(text: str, limit: int = 200) -> str:
    """The last line of ``text`` that says something, cut to ``limit`` characters."""
    lines = [line for line in text.splitlines() if line.strip()]
    return first_line(lines[-1], limit) if lines else ""
