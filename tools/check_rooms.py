#!/usr/bin/env python3
"""Every #include stays in its room: the table of docs/architecture.md, checked against the source.

    tools/check_rooms.py [FOLDER]     FOLDER: the repository, by default the one this file is in

Prints a line `file:line: what, allowed` for every violation; exit code 1 when there is one. Files over 400 lines get a warning
unless one of their first ten lines explains it: `// long: why`."""
import pathlib
import re
import sys

EVERYTHING = object()
PUBLIC = "tendril/"       # include/tendril
TYPES = "tendril/types.h"

# room -> rooms (or single headers) it may include besides itself
MAY_INCLUDE = {
    "include": {TYPES},
    "math": {TYPES},
    "linear": {TYPES},
    "scene": {PUBLIC},
    "model": {PUBLIC, "math"},
    "contact": {PUBLIC, "math", "model", "parallel"},
    "bodies": {PUBLIC, "math", "model/bodies.h", "model/drive.h", "model/obstacles.h", "contact/contact_rows.h",
               "contact/contact_sweeps.h"},
    "parallel": set(),
    "methods/*": {PUBLIC, "methods/method.h", "methods/nearby.h", "methods/explain.h", "math", "linear", "parallel", "model", "contact", "bodies"},
    "methods": {PUBLIC, "methods/method.h"},  # method.h, registry.cpp, and the entry.h of each method
    "measure": {PUBLIC, "math", "model"},
    "record": {PUBLIC},
    "view": {PUBLIC, "math", "model", "measure", "contact/shapes.h", "record/files.h", "run/open.h"},
    "live": {PUBLIC, "math", "model", "contact/shapes.h", "parallel/stop.h", "run/open.h", "view"},
    "serve": {PUBLIC, "live/session.h", "live/command.h"},
    "render": {PUBLIC, "view", "serve/server.h", "serve/private_redirect.h"},
    "run": {PUBLIC, "math", "linear", "scene", "model", "contact", "bodies", "parallel", "measure", "methods/method.h", "methods/nearby.h", "methods/explain.h"},
    "cli": {PUBLIC, "serve/server.h", "serve/private_redirect.h", "live/session.h", "view", "render/render.h", "validation/experiment.h", "benchmarks/benchmark.h"},
    "validation": EVERYTHING,
    "benchmarks": EVERYTHING,
    "testing": EVERYTHING,
}
# Public headers that are the front door: what stands behind it does not go round through it.
FRONT_DOOR = {"tendril/simulate.h", "tendril/record.h", "tendril/tendril.h"}
NOT_THE_FRONT_DOOR = {"model", "contact", "bodies", "methods/*", "methods"}

PROGRAM = {"cli", "validation", "benchmarks", "testing"}
# library -> (what its includes look like, rooms that may use it)
LIBRARIES = {
    "Eigen": (r"Eigen/|unsupported/Eigen/", EVERYTHING),
    "fmt": (r"fmt/", {"scene", "model", "measure", "record", "view", "serve", "render", "run", "live"} | PROGRAM),
    "toml++": (r"toml\+\+/|toml\.hpp", {"scene"}),
    "nlohmann-json": (r"nlohmann/", {"scene", "record", "view", "serve"} | PROGRAM),
    "HDF5": (r"hdf5|H5", {"record"}),
    "CLI11": (r"CLI/", {"cli"}),
    "spdlog": (r"spdlog/", {"cli"}),
    "ODE": (r"ode/", {"bodies", "benchmarks"}),
    "Bullet": (r"btBullet", {"benchmarks"}),
    "Boost": (r"boost/", {"serve"}),
    "oneTBB": (r"tbb/|oneapi/", {"parallel"}),
    "GoogleTest": (r"gtest/|gmock/", {"testing"}),
    "RapidCheck": (r"rapidcheck", {"testing"}),
    "Google Benchmark": (r"benchmark/", {"benchmarks"}),
    "threads": (r"(thread|future|execution|pthread\.h|omp\.h)$", {"parallel", "serve", "live"} | PROGRAM),
    "iostream": (r"iostream$", PROGRAM),
}
SYSTEM = re.compile(r"[a-z0-9_]+$|c[a-z]+$|[a-z0-9_]+\.h$|sys/|experimental/")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
LONGEST = 400


def room_of(path):
    """The room of a file given by its path in the repository, or of a quoted include."""
    parts = path.split("/")
    if parts[0] == "include":
        return "include"
    if parts[0] == "src":
        parts = parts[1:]
    if parts[0] == "methods":
        return "/".join(parts[:2]) if len(parts) > 2 else "methods"
    return parts[0]


def is_test(path):
    """Tests and their helpers may include anything."""
    name = path.rsplit("/", 1)[-1]
    return bool(re.search(r"_test\.cpp$|_testing\.h$|^test_.*\.h$", name))


def row_of(room):
    return "methods/*" if room.startswith("methods/") else room


def says(allowed):
    words = sorted("public headers" if a == PUBLIC else a for a in allowed)
    return "allowed: " + (", ".join(words) if words else "nothing but itself and the standard library")


def wrong_header(room, header):
    """Why `room` may not include the project's own `header`; None when it may."""
    row, target = row_of(room), room_of(header)
    allowed = MAY_INCLUDE.get(row)
    if allowed is None:
        return f"there is no room {room}", "allowed: " + ", ".join(sorted(MAY_INCLUDE))
    if is_test(header):
        return f"{header} belongs to the tests", "allowed: headers of the product"
    if allowed is EVERYTHING or (room == target and room != "methods"):
        return None
    if header.startswith(PUBLIC):
        if room == "include":
            return None
        if header in FRONT_DOOR and row in NOT_THE_FRONT_DOOR:
            return f"room {room} includes {header}", "allowed: the public headers except " + ", ".join(sorted(FRONT_DOOR))
        return None if PUBLIC in allowed or header in allowed else (f"room {room} includes {header}", says(allowed))
    if room == "methods" and re.fullmatch(r"methods/\w+/entry\.h", header):
        return None
    return None if target in allowed or header in allowed else (f"room {room} includes {header}", says(allowed))


def wrong_library(room, header):
    for name, (pattern, rooms) in LIBRARIES.items():
        if re.match(pattern, header):
            if rooms is EVERYTHING or row_of(room) in rooms:
                return None
            return f"room {room} uses {name} ({header})", "allowed: in " + ", ".join(sorted(rooms))
    if SYSTEM.match(header) and not re.match(r"(?!sys/|experimental/)[^/]+/", header):
        return None
    return f"room {room} uses an unknown library ({header})", "allowed: those in LIBRARIES of tools/check_rooms.py"


def check_file(root, path, own_rooms):
    text = (root / path).read_text(errors="replace")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if room_of(path) == "include" and re.search(r"\bModel\b", line):
            yield f"{path}:{number}: a public header mentions the Model, allowed: in src, through run/open.h"
        match = INCLUDE.match(line)
        if not match or is_test(path):
            continue
        quoted, angled = match.groups()
        header = quoted or angled
        own = header.split("/")[0] in own_rooms and "/" in header
        if quoted and not own:
            wrong = (f"{header} is not a path from the root of a room", 'allowed: "room/file.h"')
        else:
            wrong = wrong_header(room_of(path), header) if own else wrong_library(room_of(path), header)
        if wrong:
            yield f"{path}:{number}: {wrong[0]}, {wrong[1]}"
    count = len(lines) - 1
    if count > LONGEST and not is_test(path) and not any(re.search(r"// long: \S", line) for line in lines[:10]):
        print(f"{path}: warning: {count} lines, at most {LONGEST} unless explained by `// long: why`")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    own_rooms = {"tendril", "methods"} | {room.split("/")[0] for room in MAY_INCLUDE}
    violations, files = [], 0
    for top in ("include", "src", "cli", "validation", "benchmarks", "testing"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                files += 1
                violations += check_file(root, file.relative_to(root).as_posix(), own_rooms)
    for violation in violations:
        print(violation)
    print(f"{files} files, {len(violations)} violations")
    sys.exit(1 if violations or files == 0 else 0)


main()
