#!/usr/bin/env bash
# Makes the gallery's pictures, scenes/NAME.png: runs each scene and draws it at its best moment. Give names to make only those.
set -eu
root=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
declare -A moment=(   # [s]
  [cantilever]=0.5 [drag_root]=7.25 [curly_hair]=2.4 [hanging_helix]=3 [perversion]=20 [reeds]=3.1 [ribbon]=7 [tugged_curl]=2 [twisted_ring]=4
  [twisted_rod]=6 [v_shape]=6 [whip]=0.8 [suture]=4.6 [falling_rope]=4 [wrecking_ball]=0.58 [trefoil]=14 [plectoneme]=5
  [hanging_chain]=4 [tree]=2 [capstan]=4 [twisted_cable]=2.2 [strand_through_springs]=2.4 [hoist]=6 [tress]=1.6)
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
small() { ffmpeg -y -loglevel error -i "$1" -vf 'split[a][b];[a]palettegen=max_colors=160[p];[b][p]paletteuse=dither=none' "$2"; }   # a third of the bytes
names=("$@")
[[ $# -gt 0 ]] || names=($(cd "$root/scenes" && ls *.toml | sed 's/\.toml$//'))
for name in "${names[@]}"; do
  "$root/tendril" run "$name" -o "$runs/$name" --quiet
  "$root/tendril" render "$runs/$name" -o "$runs/$name.png" --size 480x300 --colour none --plain --quiet ${moment[$name]:+--time ${moment[$name]}}
  small "$runs/$name.png" "$root/scenes/$name.png"
  echo "scenes/$name.png"
done
