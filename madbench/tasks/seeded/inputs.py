"""Inputs for functions whose types nobody has written down: values of many kinds, drawn from seeds that are names.

Standard library alone: the limited subprocess reads this.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from madbench.tasks.seeded.handles import NAMES

WORDS = (
    "alpha",
    "Beta",
    "gamma_2",
    "a",
    "",
    "x y",
    "Two Words",
    "foo.bar",
    "key=value",
    "UPPER",
    "  padded  ",
)
TEXTS = (
    "one line\n  two lines\n\n    three\n",
    "The quick brown fox jumps over the lazy dog, twice; then it rests.",
    "a,b;c d\te\n",
    "  indented\n  block\n\ttab\n",
    'From: me\nSubject: it\'s "fine"\n\nbody\n',
    "def f(x):\n    return x + 1  # note\n",
    '<p class="x">A &amp; B &lt; C &#65; caf\xe9</p>',
    'key: value; other="quoted, text"; last',
)
PATHS = (
    "/usr/lib/x.tar.gz",
    "a/b/../c",
    "//double//slash/",
    "rel",
    "/",
    "",
    ".",
    "..",
    "C:\\dir\\file.txt",
    "~/x/.y",
    "dir/",
    "a.b/c",
    "\\\\host\\share\\x",
    "/usr/lib",
    "/usr/bin/env",
    "*.py",
    "[!a-c]?x*",
    "c:relative",
    ".hidden.ext",
)
URLS = (
    "http://user:pw@host.org:8080/p/a;t?q=1&r=a%20b#frag",
    "//net/path",
    "mailto:a@b.c",
    "a/b?x=%41+y",
    "%7Eabc%zz",
    "https://[::1]:443/",
    "file:///c|/x",
    "host:80",
    "host",
    "a=1&b=2&a=3",
    "?q",
    "example.com",
    ".example.com",
)
NUMBERS = (
    "0",
    "1",
    "42",
    "-7",
    "3.14",
    "1e5",
    "0x1F",
    "007",
    "1_000",
    "10 20",
    "12:34:56",
    "2020-02-29",
    "1,5",
    "abc",
    "+3",
)
DATES = (
    "Wed, 09 Feb 1994 22:23:32 GMT",
    "2024-02-29T12:30:45",
    "1994-02-09 22:23:32 -0100",
    "09-Feb-94",
    "12:30",
    "20240229T01",
)
MARKED = (
    '"quoted \\"text\\""',
    "'single'",
    "a\\nb",
    "=?utf-8?q?caf=C3=A9?=",
    "name <a.b@c.org>",
    "(comment) x@y",
    'a;b="c"',
)


def words(rng: random.Random) -> str:
    return rng.choice(WORDS)


def text(rng: random.Random) -> str:
    return rng.choice((*TEXTS, *(" ".join(rng.choices(WORDS, k=4)),) * 3))


def letters(rng: random.Random) -> str:
    return "".join(rng.choices("abAB01 .-_/'\"=%&<>\\:;,\n\xe9", k=rng.randrange(12)))


def path(rng: random.Random) -> str:
    return rng.choice(PATHS)


def filename(rng: random.Random) -> str:
    return rng.choice(NAMES)


def url(rng: random.Random) -> str:
    return rng.choice(URLS)


def number_text(rng: random.Random) -> str:
    return rng.choice((*NUMBERS, str(rng.randrange(-50, 5000)), f"{rng.uniform(-9, 9):.3f}"))


def date_text(rng: random.Random) -> str:
    return rng.choice(DATES)


def marked(rng: random.Random) -> str:
    return rng.choice(MARKED)


def small(rng: random.Random) -> int:
    return rng.randrange(-3, 13)


def integer(rng: random.Random) -> int:
    return rng.choice(
        (rng.randrange(-20, 100), rng.randrange(1900, 2100), rng.randrange(1 << 16), rng.randrange(1 << 40))
    )


def real(rng: random.Random) -> float:
    return rng.choice((0.0, 1.0, 0.5, -1.5, rng.random(), round(rng.uniform(-100, 100), 3)))


def flag(rng: random.Random) -> bool:
    return rng.random() < 0.5


def nothing(rng: random.Random) -> None:
    return None


def octets(rng: random.Random) -> bytes:
    said = rng.choice((letters, text, words, number_text))(rng).encode()
    return rng.choice((said, rng.randbytes(rng.randrange(9)), b"=41=\r\n", b"a\x00\xff\n"))


def integers(rng: random.Random) -> list[int]:
    drawn = [rng.randrange(-5, 20) for _ in range(rng.randrange(8))]
    return rng.choice((sorted(drawn), drawn))


def reals(rng: random.Random) -> list[float]:
    return [real(rng) for _ in range(rng.randrange(6))]


def texts(rng: random.Random) -> list[str]:
    kind = rng.choice((words, path, marked, number_text, letters))
    return [kind(rng) for _ in range(rng.randrange(6))]


def indented(rng: random.Random) -> str:
    rows = [
        " " * rng.randrange(5) + rng.choice(("", "\t", "x", "* y z", "if a:"))
        for _ in range(rng.randrange(2, 6))
    ]
    return "\n".join(rows) + rng.choice(("", "\n"))


def lines(rng: random.Random) -> list[str]:
    return text(rng).splitlines(keepends=flag(rng))


def options(rng: random.Random) -> list[str]:
    return rng.choices(("-a", "-b", "x", "--long", "--file=y", "--", "-abc", "--lo", "1"), k=rng.randrange(5))


def pairs(rng: random.Random) -> list[tuple[str, int]]:
    return [(rng.choice("abcd"), small(rng)) for _ in range(rng.randrange(5))]


def text_pairs(rng: random.Random) -> list[tuple[str, str]]:
    return [(words(rng), letters(rng)) for _ in range(rng.randrange(4))]


def table(rng: random.Random) -> dict[str, object]:
    return {words(rng): rng.choice((words, small, letters))(rng) for _ in range(rng.randrange(5))}


def triple(rng: random.Random) -> tuple[int, int, int]:
    return small(rng), small(rng), small(rng)


def moment(rng: random.Random) -> tuple[int, ...]:
    return (
        rng.randrange(1970, 2040),
        rng.randrange(1, 13),
        rng.randrange(1, 29),
        rng.randrange(24),
        rng.randrange(60),
        rng.randrange(60),
        rng.randrange(7),
        rng.randrange(1, 366),
        0,
    )


def nested(rng: random.Random) -> list[object]:
    return [rng.choice((small, words, integers, real, nothing, triple))(rng) for _ in range(rng.randrange(5))]


def action(rng: random.Random) -> Callable[..., object]:
    return rng.choice((len, str, int, abs, repr, bool))


def number(rng: random.Random) -> float:
    return rng.choice((small, real, integer))(rng)


KINDS: dict[str, Callable[[random.Random], object]] = {
    made.__name__: made
    for made in (
        *(
            words,
            text,
            indented,
            letters,
            path,
            filename,
            url,
            number_text,
            date_text,
            marked,
            small,
            integer,
            real,
            flag,
            nothing,
        ),
        *(
            octets,
            integers,
            reals,
            texts,
            lines,
            options,
            pairs,
            text_pairs,
            table,
            triple,
            moment,
            nested,
            action,
        ),
    )
}
HINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("f1 f2 file filename path archive href fn name", ("filename",)),
    ("path dir file name p fn root prefix base suffix ext pat pattern", ("path", "words", "letters")),
    ("url uri host netloc scheme domain req query authority addr", ("url", "words")),
    (
        "s str string text txt line data doc content msg value val source src input token word label",
        ("text", "indented", "letters", "words", "marked", "number_text", "date_text", "url"),
    ),
    (
        "n i j k num pos count index width size length lo hi start end level base bits x y a b c shift prec"
        " year month day",
        ("small", "integer"),
    ),
    ("x y r g b h v f val", ("real", "small")),
    (
        "l seq lst list items a heap args data iterable it x",
        ("integers", "texts", "lines", "nested", "reals"),
    ),
    ("argv opts args options", ("options", "texts")),
    ("d dict m map headers params attrs", ("table", "text_pairs")),
    ("b bytes buf data raw s", ("octets",)),
    ("t time tt date when", ("moment", "small", "date_text")),
    ("key func fn f default", ("action", "nothing")),
)


def kinds_for(parameter: str) -> tuple[str, ...]:
    """Kinds that a parameter's name suggests."""
    parts = set(parameter.lower().strip("_").split("_"))
    return tuple(kind for names, kinds in HINTS if parts & set(names.split()) for kind in kinds)


def draw_kinds(parameters: list[str], required: int, rng: random.Random) -> list[str]:
    """A kind for every parameter that this call gives, at least the required ones."""
    given = rng.randint(required, len(parameters))
    return [
        rng.choice(hinted) if (hinted := kinds_for(name)) and rng.random() < 0.7 else rng.choice(list(KINDS))
        for name in parameters[:given]
    ]


def draw(kinds: list[str], seed: str) -> list[object]:
    """The arguments of one call."""
    rng = random.Random(seed)
    return [KINDS[kind](rng) for kind in kinds]
