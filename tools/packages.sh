# The Debian packages tendril needs, in one place. Read by tools/setup.sh; docs/dependencies.md says what each is for.

build_packages=(g++ cmake ninja-build libeigen3-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev
                libhdf5-dev libbenchmark-dev libboost-dev pkg-config libode-dev libtbb-dev)
test_packages=(libgtest-dev librapidcheck-dev python3 clang-format)
browser_packages=(chromium ffmpeg)   # besides node and npm, which may have come from elsewhere
fuzz_packages=(clang-16 libclang-rt-16-dev)
