// libFuzzer target: what a browser sends to the live view. Whatever is taken for an order is carried out by a session.
#include <thread>

#include "live/session.h"
#include "serve/messages.h"
#include "tools/fuzz/fuzz_scenes.h"
#include "tools/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tendril;
  static const fuzz::Folder folder;
  static Session session({{.offers = {{"fuzz", "Fuzz", "", "der"}},
                           .read = [](const std::string&) { return read_scene(fuzz::moving_scene, "fuzz.toml"); }},
                          folder / "runs"});
  static const bool open = session.submit({1, OpenScene{"fuzz", {}, {}}});
  fuzz::insist(open, "a scene cannot be opened");
  std::optional<Order> order = read_message(fuzz::text_of(data, size));
  if (!order || std::holds_alternative<Record>(*order)) return 0;  // recordings would fill the disk
  while (!session.submit({1, *order})) std::this_thread::yield();
  return 0;
}
