"""Bad input, and the exact words that answer it: the file, the line, the column, what was found, what to do.

The files of each case are made in an empty folder; ``{dir}`` in a message is that folder.
"""

import gzip
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from plait.bitext import Bitext
from plait.errors import DataError, PlaitError

LINE = b"the house is small\n"
GZIPPED = gzip.compress(LINE * 1_000, mtime=0)

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">\n' for n in range(1, 10))
BILLION = f"""<?xml version="1.0"?>
<!DOCTYPE tmx [
<!ENTITY l0 "ha">
{LAUGHS}]>
<tmx><body>&l9;</body></tmx>"""

UTF8_REMEDY = (
    "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8), "
    "or choose on-error skip or replace"
)
PARALLEL_REMEDY = "the inputs must be parallel, line by line: check that both come from the same step of your pipeline"


def two(**options):
    return lambda folder: Bitext.read(folder / "s", folder / "t", **options)


def joint(**options):
    return lambda folder: Bitext.read_joint(folder / "j", **options)


CASES = {
    "one file longer": (
        {"s": LINE * 3, "t": LINE * 2},
        two(),
        "{dir}/t ends after line 2, but {dir}/s has 3 lines; " + PARALLEL_REMEDY,
    ),
    "one file empty": (
        {"s": b"", "t": LINE},
        two(),
        "{dir}/s ends after line 0, but {dir}/t has 1 lines; " + PARALLEL_REMEDY,
    ),
    "a gzip file shorter": (
        {"s": GZIPPED, "t": LINE * 999},
        two(),
        "{dir}/t ends after line 999, but {dir}/s has 1000 lines; " + PARALLEL_REMEDY,
    ),
    "a gzip file that ends early": (
        {"s": LINE * 1_000, "t": GZIPPED[:-30]},
        two(),
        "{dir}/t: the gzip data is cut short, after 18232 bytes of text; copy or make the file again",
    ),
    "latin-1": (
        {"s": "das Café\n".encode("latin-1"), "t": LINE},
        two(),
        r"{dir}/s:1:8: " + UTF8_REMEDY + r"; found byte \xe9",
    ),
    "half a character at the end": (
        {"s": LINE + b"x \xe2\x82", "t": LINE * 2},
        two(),
        r"{dir}/s:2:3: " + UTF8_REMEDY + r"; found byte \xe2\x82",
    ),
    "utf-16": (
        {"s": "das\n".encode("utf-16"), "t": LINE},
        two(),
        r"{dir}/s:1:1: " + UTF8_REMEDY + r"; found byte \xff",
    ),
    "a surrogate in the target": (
        {"s": LINE * 2, "t": LINE + b"\xed\xa0\x80\n"},
        two(),
        r"{dir}/t:2:1: " + UTF8_REMEDY + r"; found byte \xed",
    ),
    "bars glued to a word": (
        {"j": b"a ||| b\nfoo||| bar\n"},
        joint(),
        "{dir}/j:2:1: the separator ||| stands between spaces or tabs; put a space on both sides, "
        'or choose on-error skip; found "foo|||"',
    ),
    "two separators": (
        {"j": b"a ||| b ||| c\n"},
        joint(),
        "{dir}/j:1:9: a line holds the separator ||| once; escape the one that belongs to the text, give the "
        "sides as two files (where ||| is a word like any other), or choose on-error skip; "
        "found a second |||",
    ),
    "no separator": (
        {"j": b"a ||| b\n\nc\n"},
        joint(),
        "{dir}/j:2:1: a line holds source, the separator ||| and target; write it between spaces even when a "
        "side is empty, give the sides as two files, or choose on-error skip; found an empty line",
    ),
    "no separator, and control characters": (
        {"j": b"\x1b[31m\0 " + "\u202e".encode() + b"x" * 100 + b"\n"},
        joint(),
        "{dir}/j:1:1: a line holds source, the separator ||| and target; write it between spaces even when a "
        "side is empty, give the sides as two files, or choose on-error skip; "
        'found "\\u{{1b}}[31m\\0 \\u{{202e}}' + "x" * 32 + '"...',
    ),
    "replacing does not make a separator": (
        {"j": b"a \xff b\n"},
        joint(on_error="replace"),
        "{dir}/j:1:1: a line holds source, the separator ||| and target; write it between spaces even when a "
        'side is empty, give the sides as two files, or choose on-error skip; found "a \ufffd b"',
    ),
    "too few columns": (
        {"c": b"a\tx\nb c\n"},
        lambda folder: Bitext.read_tsv(folder / "c"),
        "{dir}/c:2:4: column 2 is missing; separate columns by tabs, choose other columns, or choose "
        "on-error skip; found 1 column",
    ),
    "billion laughs": (
        {"m": BILLION.encode()},
        lambda folder: Bitext.read_tmx(folder / "m", "en", "de"),
        "{dir}/m:2:15: declarations inside DOCTYPE are not read, for they can make a small file huge; "
        "remove them; found <!DOCTYPE tmx [...",
    ),
    "cut XML": (
        {"m": b"<tmx>\n<body>"},
        lambda folder: Bitext.read_tmx(folder / "m", "en", "de"),
        "{dir}/m:2:7: the file is not well-formed XML; repair it, or export it again; found no element found",
    ),
    "an encoding that nobody knows": (
        {"m": b'<?xml version="1.0" encoding="ebcdic-x"?><tmx/>'},
        lambda folder: Bitext.read_tmx(folder / "m", "en", "de"),
        "{dir}/m:1:1: the encoding that the XML declares cannot be read; convert the file to UTF-8; "
        "found unknown encoding: ebcdic-x",
    ),
    "an encoding that expat does not take": (
        {"m": b'<?xml version="1.0" encoding="gbk"?><tmx/>'},
        lambda folder: Bitext.read_tmx(folder / "m", "en", "de"),
        "{dir}/m:1:1: the encoding that the XML declares cannot be read; convert the file to UTF-8; "
        "found multi-byte encodings are not supported",
    ),
    "a memory of other languages": (
        {"m": b'<tmx><tu><tuv xml:lang="fr"><seg>x</seg></tuv></tu></tmx>'},
        lambda folder: Bitext.read_tmx(folder / "m", "en", "de"),
        "{dir}/m: none of the 1 units has both en and de; choose from the languages of the file: fr (1)",
    ),
    "cut JSON": (
        {"l": b'{"s": "a", "t": "x"}\n{"s": "a'},
        lambda folder: Bitext.read_jsonl(folder / "l", "s", "t"),
        "{dir}/l:2:7: not JSON: Unterminated string starting at; put one object on each line; found '\"a'",
    ),
    "a missing key": (
        {"l": b'{"en": "a", "de": "x"}\n'},
        lambda folder: Bitext.read_jsonl(folder / "l", "en", "fr"),
        "{dir}/l:1:1: the object has no key 'fr'; name another key; found the keys 'en', 'de'",
    ),
    "a bomb": (
        {"s": gzip.compress(bytes(10 << 20), mtime=0) * 7, "t": b""},
        two(),
        "{dir}/s: 65536 compressed bytes expand over 200 times, to 68157440 so far; if the file is sound, "
        "raise max_expansion or decompress it yourself",
    ),
}


def make(folder, files):
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("name", CASES)
def test_the_message_says_all(tmp_path, name):
    files, read, message = CASES[name]
    make(tmp_path, files)
    with pytest.raises(PlaitError) as caught:
        read(tmp_path)
    expected = message.replace("{dir}", str(tmp_path)).replace("{{", "{").replace("}}", "}")
    got = str(caught.value)
    if "compressed" in got or "gzip" in got:
        # How far a cut or endless stream is read differs between builds of zlib.
        got, expected = (re.sub(r"\d{5,}", "N", text) for text in (got, expected))
    assert got == expected


@pytest.mark.parametrize("name", [name for name in CASES if name != "a bomb"])
def test_a_failed_read_leaves_no_thread_and_no_open_file(tmp_path, name):
    files, read, _ = CASES[name]
    make(tmp_path, files)
    with pytest.raises(PlaitError):
        read(tmp_path)
    for thread in threading.enumerate():
        if thread.name.startswith("plait"):
            thread.join(10)
            assert not thread.is_alive()


SKIPPED = [name for name, (files, _, _) in CASES.items() if "j" in files and "replacing" not in name]


@pytest.mark.parametrize("name", SKIPPED)
def test_skipping_leaves_bad_lines_out_and_counts_them(tmp_path, name):
    files, _, _ = CASES[name]
    make(tmp_path, files)
    bitext = joint(on_error="skip")(tmp_path)
    lines = files["j"].count(b"\n")
    good = sum(line.split().count(b"|||") == 1 for line in files["j"].split(b"\n"))
    assert (len(bitext), bitext.counts.skipped, int(bitext.usable.sum())) == (lines, lines - good, good)


ODD_BUT_GOOD = {
    "empty": (b"", 0),
    "one empty line": (b"\n", 1),
    "NUL bytes": (b"\0 a\0b \0\n", 1),
    "10,000 tokens": (b"w " * 10_000 + b"\n", 1),
    "bars in a token": (b"a|||b ||||\n", 1),
    "CRLF": (b"a b\r\nc\r\n", 2),
    "lone CR": (b"a\rb\rc\n", 1),
    "BOM": (b"\xef\xbb\xbfa b\n", 1),
    "BOM alone": (b"\xef\xbb\xbf", 0),
    "U+2028, U+0085, NBSP, form feed": ("a\u2028b\u0085c\u00a0d\x0ce\n".encode(), 1),
    "open last line": (b"a\nb", 2),
    "only white space": (b" \t \n\t\n", 2),
}


@pytest.mark.parametrize("name", ODD_BUT_GOOD)
@pytest.mark.parametrize("on_error", ["strict", "skip", "replace"])
def test_odd_text_is_no_error_and_gives_a_pair_for_each_line(tmp_path, name, on_error):
    text, lines = ODD_BUT_GOOD[name]
    make(tmp_path, {"s": text, "t": text})
    bitext = two(on_error=on_error)(tmp_path)
    assert len(bitext) == lines
    assert (bitext.counts.skipped, bitext.counts.replaced) == (0, 0)
    for n in range(lines):
        assert bitext.source(n) == bitext.target(n)


@pytest.mark.parametrize("side", ["s", "t"])
def test_a_missing_file_and_a_folder_are_named_by_the_system(tmp_path, side):
    make(tmp_path, {"s": LINE, "t": LINE})
    (tmp_path / side).unlink()
    with pytest.raises(FileNotFoundError) as missing:
        two()(tmp_path)
    assert str(missing.value.filename) == str(tmp_path / side)
    (tmp_path / side).mkdir()
    with pytest.raises(IsADirectoryError) as folder:
        two()(tmp_path)
    assert str(folder.value.filename) == str(tmp_path / side)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("side", ["s", "t"])
@pytest.mark.parametrize("has_writer", [False, True])
def test_an_interrupt_is_answered_while_a_side_waits_for_its_pipe(tmp_path, side, has_writer):
    other = "t" if side == "s" else "s"
    (tmp_path / other).write_bytes(LINE * 1_000)
    os.mkfifo(tmp_path / side)
    program = """
import sys
from plait.bitext import Bitext
print("ready", flush=True)
Bitext.read(*sys.argv[1:])
"""
    command = [sys.executable, "-c", program, str(tmp_path / "s"), str(tmp_path / "t")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        writer = os.open(tmp_path / side, os.O_RDWR) if has_writer else None
        time.sleep(0.3)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
        seconds = time.monotonic() - start
        if writer is not None:
            os.close(writer)
        assert b"KeyboardInterrupt" in process.stderr.read()
    assert seconds < 2


def test_a_limit_of_memory_is_an_error_not_the_end_of_the_process():
    pytest.importorskip("resource")
    program = """
import resource
from plait import _core
from plait.errors import ResourceError
block = b"w " * 500_000 + b"\\n"
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20), resource.RLIM_INFINITY))
builder = _core.BitextBuilder()
try:
    for _ in range(1_000): builder.feed_source(block)
except ResourceError as problem:
    print(problem)
"""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("needs /proc to know what is in use")
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=25)
    assert re.fullmatch(r"no memory for the tokens of a corpus \(\d+ bytes\)\n", done.stdout), done.stderr


def test_a_damaged_file_is_a_data_error_whatever_byte_is_wrong(tmp_path):
    """Some flips cannot be noticed (the time in a gzip header); all others must be, and none may crash."""
    good = Bitext.from_lists([LINE.decode().strip()] * 1_000, ["x"] * 1_000)
    make(tmp_path, {"t": b"x\n" * 1_000})
    noticed = 0
    for at in range(len(GZIPPED)):
        damaged = bytearray(GZIPPED)
        damaged[at] ^= 0x55
        (tmp_path / "s").write_bytes(damaged)
        try:
            bitext = two()(tmp_path)
        except DataError:
            noticed += 1
        else:
            assert bitext.source_vocabulary == good.source_vocabulary
    # mtime, extra flags and operating system: 6 of the 10 bytes of the header.
    assert noticed >= len(GZIPPED) - 6
