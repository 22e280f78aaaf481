// A main for the fuzz targets where there is no libFuzzer: TARGET SECONDS [SEED FILES]. Mutates the seeds blindly, with a fixed
// sequence, and runs until the time is over or the program falls. The last input is kept in last_input.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  std::vector<std::vector<std::uint8_t>> seeds;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) seeds.emplace_back();
  std::mt19937_64 random(1);
  std::uint64_t count = 0;
  for (const auto start = Clock::now(); std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++count) {
    std::vector<std::uint8_t> bytes = seeds[random() % seeds.size()];
    for (std::uint64_t changes = random() % 8; changes > 0; --changes) {
      const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
      if (bytes.empty() || random() % 3 == 0)
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + random() % 8, static_cast<std::uint8_t>(random()));
      else if (random() % 8 == 0)
        bytes.resize(at);
      else
        bytes[at] = static_cast<std::uint8_t>(random());
    }
    std::ofstream("last_input", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%llu inputs tried\n", static_cast<unsigned long long>(count));
  return 0;
}
