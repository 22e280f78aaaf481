# What ./tendril and ./test share: missing packages, configuring, building. Sourced by bash; needs $root, the folder of the repository.
# Nothing here writes to standard output: that belongs to the program.

. "$root/tools/packages.sh"

say() { printf '%s\n' "$*" >&2; }
give_up() { say "tendril: $*"; exit 4; }   # 4: could not be set up or built; 0 to 3 are the program's own

# Where there is ccache, clones in different folders share what it has.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Prints those of the given packages that are not installed. Where there is no dpkg nothing is missing: cmake will say so.
missing_packages() {
  command -v dpkg-query >/dev/null || return 0
  local installed=" $(dpkg-query -W -f='${Package}=${db:Status-Abbrev} ' "$@" 2>/dev/null)" package
  for package in "$@"; do
    [[ $installed == *" $package=ii "* || $installed == *" $package=hi "* ]] || printf '%s ' "$package"
  done
}

# Sets the array `as_root` to what makes a command run as root; fails where there is no way.
find_root() {
  as_root=()
  [[ $EUID -eq 0 ]] && return 0
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then as_root=(sudo -n); return 0; fi
  [[ -t 0 && -t 2 ]] || return 1   # nobody there to type a password
  as_root=(sudo)
}

install_packages() {
  local missing=("$@") log status=0
  command -v apt-get >/dev/null ||
    give_up "these packages are missing and there is no apt-get to install them: ${missing[*]}"
  find_root ||
    give_up "these packages are missing: ${missing[*]}
  they can be installed only by root; ask an administrator to run
    apt-get install ${missing[*]}"
  say "installing ${missing[*]} ..."
  log=$(mktemp)
  {
    "${as_root[@]}" apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "${missing[@]}"
  } >"$log" 2>&1 </dev/null || status=$?
  if [[ $status -ne 0 ]]; then
    tail -n 25 "$log" >&2
    rm -f "$log"
    give_up "could not install ${missing[*]} (what apt-get said stands above)"
  fi
  rm -f "$log"
}

need_packages() {
  local missing
  read -r -a missing <<<"$(missing_packages "$@")"
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

# configure FOLDER PRESET [-DNAME=VALUE...]: only where it has not been done with these values.
configure() {
  local folder=$1 preset=$2 value wanted=0
  shift 2
  local cache=$folder/CMakeCache.txt
  if [[ -e $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$folder"   # the repository was moved or copied: a build folder knows where it was made
    mkdir -p "$folder"
  fi
  for value in "$@"; do
    value=${value#-D}
    grep -qsE "^${value%%=*}:[A-Z]+=${value#*=}\$" "$cache" || wanted=1
  done
  [[ $wanted -eq 1 || ! -e $folder/build.ninja ]] || return 0
  [[ -w ${CCACHE_DIR:-${HOME:-/nonexistent}} ]] && command -v ccache >/dev/null && set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  (cd "$root" && cmake --preset "$preset" "$@") >"$folder/configure.log" 2>&1 </dev/null && return 0
  grep -vE '^-- ' "$folder/configure.log" >&2
  give_up "cmake could not set up the build (what it said stands above).
  It needs these Debian packages, or what corresponds to them elsewhere: ${build_packages[*]}"
}

# show_progress: reads ninja's lines `done/all ...` and says how far it is and how long it will take, once it has taken 5 s:
# on a terminal in place, elsewhere a line every 20 s.
show_progress() {
  local line started=$SECONDS last=0 spent left
  while IFS= read -r line; do
    [[ $line =~ ^([0-9]+)/([0-9]+)' ' ]] || continue
    spent=$((SECONDS - started))
    [[ $spent -ge 5 && ${BASH_REMATCH[1]} -gt 0 ]] || continue
    left=$((spent * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1]))
    if [[ -t 2 ]]; then
      printf '\r\e[K  %s of %s, about %d:%02d min left ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((left / 60)) $((left % 60)) >&2
    elif [[ $((spent - last)) -ge 20 ]]; then
      last=$spent
      say "$(printf '  %s of %s, about %d:%02d min left' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((left / 60)) $((left % 60)))"
    fi
  done
  [[ -t 2 ]] && printf '\r\e[K' >&2
  return 0
}

# build FOLDER TARGET...: quiet unless it takes long or fails.
build() {
  local folder=$1 status
  shift
  NINJA_STATUS='%f/%t ' ninja -C "$folder" "$@" </dev/null 2>&1 | tee "$folder/build.log" | show_progress
  status=${PIPESTATUS[0]}
  [[ $status -eq 0 ]] && return 0
  sed -n '/^FAILED: /,$p' "$folder/build.log" | grep -vE '^[0-9]+/[0-9]+ ' >&2
  grep -q '^FAILED: ' "$folder/build.log" || tail -n 30 "$folder/build.log" >&2
  give_up "the build failed (the errors stand above; all of it is in $folder/build.log)"
}

# in_turn FOLDER COMMAND...: one at a time for each build folder.
in_turn() {
  local folder=$1
  shift
  mkdir -p "$folder" || give_up "cannot write to $folder"
  (
    flock 9
    "$@" 9>&-
  ) 9>"$folder.lock"
}
