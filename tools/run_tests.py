#!/usr/bin/env python3
"""Runs the GoogleTest program in parts, side by side, then the browser tests and the fuzzer if they are asked for. Called by ./test.

Shows failures in full and everything else as a count. A part that crashes or hangs counts as one failed test: the one that ran.
The last line is `N passed, N failed`, with `, N skipped` when some were."""
import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HANGS_AFTER = 1800  # seconds without a word
BROWSER_HANGS_AFTER = 900  # seconds in all: on a busy machine they take five minutes


class Result:
    def __init__(self):
        self.lock = threading.Lock()
        self.passed, self.failed, self.skipped = 0, [], 0
        self.seconds = {}
        self.on_terminal = sys.stdout.isatty()
        self.last_shown = time.monotonic()

    def show(self, text):
        if self.on_terminal:
            print("\r\x1b[K", end="")
        print(text, flush=True)

    def progress(self):
        done = self.passed + len(self.failed) + self.skipped
        if self.on_terminal:
            print(f"\r\x1b[K  {done} done", end="", flush=True)
        elif time.monotonic() - self.last_shown > 30:
            print(f"  {done} done", flush=True)
            self.last_shown = time.monotonic()


def kind_of(line):
    """('run' | 'ok' | 'failed' | 'skipped', name) of a line that GoogleTest prints about one test, or None."""
    for mark, kind in (("[ RUN      ] ", "run"), ("[       OK ] ", "ok"), ("[  FAILED  ] ", "failed"), ("[  SKIPPED ] ", "skipped")):
        at = line.find(mark)  # a test may have printed something without a line end before it
        if at >= 0:
            name = line[at + len(mark):]
            match = re.match(r"(.*) \((\d+) ms\)$", name)
            if kind == "run":
                return kind, name, 0.0
            return (kind, match[1], int(match[2]) / 1000) if match else None  # no time: the list at the end
    return None


def run_part(program, part, parts, pattern, result, folder):
    environment = dict(os.environ, GTEST_TOTAL_SHARDS=str(parts), GTEST_SHARD_INDEX=str(part))
    report = folder / f"part-{part}.json"
    report.unlink(missing_ok=True)
    process = subprocess.Popen(
        [program, f"--gtest_filter={pattern}", f"--gtest_output=json:{report}", "--gtest_brief=0", "--gtest_color=no"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=folder,
        text=True, errors="replace")
    watchdog = None

    def watch():
        nonlocal watchdog
        if watchdog:
            watchdog.cancel()
        watchdog = threading.Timer(HANGS_AFTER, process.kill)
        watchdog.daemon = True
        watchdog.start()

    running, said, any_failed = None, collections.deque(maxlen=2000), False
    watch()
    for line in process.stdout:
        line = line.rstrip("\n")
        kind = kind_of(line)
        if kind is None:
            said.append(line)
            continue
        watch()
        what, name, seconds = kind
        with result.lock:
            if what == "run":
                running = name
                said.clear()
            else:
                result.seconds[name] = seconds
                if what == "ok":
                    result.passed += 1
                elif what == "skipped":
                    result.skipped += 1
                else:
                    any_failed = True
                    result.failed.append(name)
                    result.show("\n".join([f"FAILED  {name}", *("    " + text for text in said), ""]))
                running = None
                said.clear()
            result.progress()
    code = process.wait()
    watchdog.cancel()
    whole = False
    try:
        whole = "testsuites" in json.loads(report.read_text())
    except (OSError, ValueError):
        pass
    if running is None and whole and (code == 0) == (not any_failed):
        return
    with result.lock:
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        name = running or f"part {part + 1} of {parts}"
        result.failed.append(name)
        result.show("\n".join([f"CRASHED  {name}  ({how})", *("    " + text for text in list(said)[-60:]), ""]))


def run_parts(program, pattern, result, at_once=max(2, min(os.cpu_count() or 2, 8))):
    folder = pathlib.Path(program).parent / "test-output"
    folder.mkdir(exist_ok=True)
    parts = 4 * at_once if at_once > 1 else 1  # more parts than processors: they end at nearly the same time, and a crash loses less
    waiting = collections.deque(range(parts))

    def work():
        while True:
            try:
                part = waiting.popleft()
            except IndexError:
                return
            run_part(program, part, parts, pattern, result, folder)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_browser(script, program, pattern, result):
    """The page's own tests, alone on the machine: they count frames per second. One line each: `ok NAME`, `skipped NAME: why`, `FAILED NAME: why`."""
    process = subprocess.Popen(["node", script, program, pattern], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    watchdog = threading.Timer(BROWSER_HANGS_AFTER, lambda: os.killpg(process.pid, signal.SIGKILL))
    watchdog.start()
    said, any_failed = [], False
    for line in process.stdout:
        line = line.rstrip("\n")
        match = re.match(r"(ok|skipped|FAILED) (.*)", line)
        if not match:
            said.append(line)
            continue
        if match[1] == "ok":
            result.passed += 1
        elif match[1] == "skipped":
            result.skipped += 1
        else:
            any_failed = True
            result.failed.append("web: " + match[2].split(": ")[0])
            result.show("\n".join([f"FAILED  web: {match[2]}", *("    " + text for text in said), ""]))
        said.clear()
        result.progress()
    code = process.wait()
    watchdog.cancel()
    if (code == 0) == any_failed:
        result.failed.append("web: the browser tests")
        result.show("\n".join([f"CRASHED  web: the browser tests (exit code {code})", *("    " + text for text in said[-60:]), ""]))


# Program, largest input in bytes, what must hold, seeds below the root.
FUZZERS = (
    ("fuzz_scene", 16384, "no text makes reading, checking and three steps crash", ("scenes", "tools/fuzz/seeds")),
    ("fuzz_run_file", 256, "no crafted run.h5 makes reader or page crash", ()),
    ("fuzz_checkpoint", 256, "no forged checkpoint makes loading or the next steps crash or hang", ()),
    ("fuzz_obj", 4096, "no OBJ file makes reading or checking crash", ("tools/fuzz/seeds_obj",)),
    ("fuzz_csv", 4096, "no CSV file makes reading or checking crash", ("tools/fuzz/seeds_csv",)),
    ("fuzz_message", 1024, "no message makes the live view crash", ("tools/fuzz/seeds_message",)),
)


def run_fuzzers(folder, seconds, result):
    root = pathlib.Path(__file__).resolve().parent.parent
    for program, longest, sentence, seeds in FUZZERS:
        corpus = pathlib.Path(folder) / ("corpus" if program == "fuzz_scene" else program + "_corpus")
        corpus.mkdir(exist_ok=True)
        where = [str(root / f) for f in seeds if (root / f).is_dir()]
        words = set(re.findall(r'v\("(\w+)"', (root / "src/scene/describe_scene.h").read_text()))
        units = set(re.findall(r'^    \{"(\w+)", \{', (root / "src/scene/units.cpp").read_text(), re.MULTILINE))
        with tempfile.NamedTemporaryFile("w", suffix=".dict") as dictionary:
            dictionary.write("".join(f'"{w}"\n' for w in sorted(words)))
            dictionary.write("".join(f'"\\"5 m{u}\\""\n"\\"2 {u}\\""\n' for u in sorted(units)))
            dictionary.flush()
            print(f"{program}: fuzzing for {seconds} s ...", flush=True)
            choice = [f"-dict={dictionary.name}"] if program == "fuzz_scene" else []
            done = subprocess.run(
                [f"{folder}/{program}", f"-max_total_time={seconds}", "-timeout=25", "-rss_limit_mb=4096", f"-max_len={longest}",
                 "-print_final_stats=1", *choice, f"-artifact_prefix={folder}/{program}-", str(corpus), *where],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        name = f"fuzz: {sentence}"
        if done.returncode == 0:
            result.passed += 1
            count = re.search(r"stat::number_of_executed_units: +(\d+)", done.stdout)
            print(f"  {count[1] if count else '?'} inputs tried")
        else:
            result.failed.append(name)
            result.show("\n".join([f"FAILED  {name}", *("    " + t for t in done.stdout.splitlines()[-60:]), ""]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="*")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--alone", help="tests that run after all others, one by one: they judge times; only where all tests are asked for")
    parser.add_argument("--browser", help="script with the browser tests")
    parser.add_argument("--tendril", help="the program they drive")
    parser.add_argument("--fuzz", help="folder with the fuzz targets")
    parser.add_argument("--fuzz-seconds", type=int, default=60)
    a = parser.parse_args()
    alone = [a.alone] if a.alone and a.only == "*" else []

    def filter_of(wanted, without):
        return wanted + (":" if "-" in wanted else "-") + ":".join(without) if without else wanted

    result, start = Result(), time.monotonic()
    run_parts(a.program, filter_of(a.only, a.without + alone), result)
    for pattern in alone:
        run_parts(a.program, filter_of(pattern, a.without), result, at_once=1)
    if a.browser:
        run_browser(a.browser, a.tendril, a.only, result)
    if a.fuzz:
        run_fuzzers(a.fuzz, a.fuzz_seconds, result)
    slowest = sorted(result.seconds.items(), key=lambda item: -item[1])[:3]
    if slowest and slowest[0][1] > 1:
        result.show("slowest: " + "; ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest))
    rooms = collections.Counter()
    for name, seconds in result.seconds.items():
        rooms[name.split(".")[-1].split("/")[0] if name.startswith("validation") and "/" in name else name.split(".")[0]] += seconds
    if sum(rooms.values()) > 30:
        result.show("most time: " + ", ".join(f"{room} {seconds:.0f} s" for room, seconds in rooms.most_common(6)))
    for name in result.failed:
        result.show(f"failed: {name}")
    nothing = result.passed + len(result.failed) + result.skipped == 0
    if nothing:
        result.show(f"no test matches {a.only}")
    result.show(f"{time.monotonic() - start:.0f} s")
    result.show(f"{result.passed} passed, {len(result.failed)} failed" + (f", {result.skipped} skipped" if result.skipped else ""))
    sys.exit(1 if result.failed or nothing else 0)


main()
