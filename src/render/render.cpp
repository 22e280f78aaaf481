#include "render/render.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>

#include "render/child.h"
#include "serve/private_redirect.h"
#include "serve/server.h"

namespace tendril {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

fs::path need_program(const std::vector<std::string>& names, const char* package, const char* what_for) {
  if (const std::optional<fs::path> found = find_program(names)) return *found;
  throw RenderError(
      fmt::format("there is no {} here, which {}; on Debian: apt-get install {}", names.front(), what_for, package));
}

std::vector<std::string> browser_words(const fs::path& browser, const fs::path& place, const RenderOptions& o,
                                       const std::string& address) {
  std::vector<std::string> words{browser.string(), "--headless"};
  if (geteuid() == 0) words.emplace_back("--no-sandbox");  // its sandbox refuses root
  for (const char* word :
       {"--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-quic", "--disable-extensions", "--disable-dev-shm-usage", "--disable-breakpad", "--mute-audio",
        "--hide-scrollbars", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows", "--no-proxy-server", "--force-device-scale-factor=1"})
    words.emplace_back(word);
  words.push_back(fmt::format("--window-size={},{}", o.width, o.height));
  words.push_back("--user-data-dir=" + (place / "browser").string());
  words.push_back(address);
  return words;
}

std::vector<std::string> film_words(const fs::path& ffmpeg, const RenderOptions& o, const fs::path& file) {
  std::vector<std::string> words{ffmpeg.string(), "-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe",
                                 "-c:v", "png", "-framerate", fmt::format("{}", o.fps), "-i", "pipe:0",
                                 // Half as many colours as pixels in both directions: the sizes must be even.
                                 "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"};
  const std::vector<std::string> how =
      o.file.extension() == ".webm"
          ? std::vector<std::string>{"-c:v", "libvpx-vp9", "-crf", "28",        "-b:v", "0",  "-row-mt",
                                     "1",    "-deadline",  "good", "-cpu-used", "4",    "-f", "webm"}
          : std::vector<std::string>{"-c:v",   "libx264",   "-crf",       "18", "-preset",
                                     "medium", "-movflags", "+faststart", "-f", "mp4"};
  words.insert(words.end(), how.begin(), how.end());
  words.push_back("file:" + file.string());
  return words;
}

// What the page uploads, received in the server's thread; the main thread waits and polls.
class Inbox {
 public:
  Inbox(std::int64_t expected, Child* film, const fs::path& picture) : expected_(expected), film_(film), picture_(picture) {}

  bool take(std::string_view path, std::string_view body) {
    // Pictures come in order, one request each; anything else is refused.
    if (path == "done") return tell([this] { done_ = true; });
    if (path == "failed")
      return tell([this, body] { failure_ = "the page could not draw: " + std::string(body.substr(0, 1000)); });
    if (path != fmt::format("picture/{}", pictures()) || !body.starts_with("\x89PNG\r\n\x1a\n") || pictures() >= expected_)
      return false;
    const bool kept = film_ != nullptr ? film_->feed(body) : write_picture(body);
    return tell([this, kept] {
      if (kept)
        ++pictures_;
      else
        failure_ = film_ != nullptr ? "ffmpeg does not take pictures any more" : "could not write " + picture_.string();
    });
  }
  std::int64_t pictures() const {
    const std::lock_guard lock(mutex_);
    return pictures_;
  }
  // Waits a moment. True: everything has come. Throws when the page gave up.
  bool wait() {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, std::chrono::milliseconds(100));
    if (!failure_.empty()) throw RenderError(failure_);
    if (done_ && pictures_ != expected_)
      throw RenderError(fmt::format("the page drew {} pictures instead of {}", pictures_, expected_));
    return done_;
  }

 private:
  template <class F>
  bool tell(F&& f) {
    const std::lock_guard lock(mutex_);
    f();
    news_.notify_all();
    return failure_.empty();
  }
  bool write_picture(std::string_view bytes) const {
    std::ofstream out(picture_, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    return out.good();
  }
  const std::int64_t expected_;   // pictures in all
  Child* const film_;             // ffmpeg; nullptr: a single picture
  const fs::path picture_;        // its file
  mutable std::mutex mutex_;      // for all below
  std::condition_variable news_;  // any of them has changed
  std::int64_t pictures_ = 0;     // that have come
  bool done_ = false;             // true: the page says that it has drawn all
  std::string failure_;           // why it gave up
};

void wait_for_pictures(Inbox& inbox, Child& browser, Child* film, const RenderOptions& o, std::int64_t expected,
                       const std::function<bool(std::int64_t, std::int64_t)>& going_on) {
  std::int64_t seen = -1;
  Clock::time_point last = Clock::now();
  while (!inbox.wait()) {
    // Patience counts from the last picture.
    const std::int64_t now = inbox.pictures();
    if (now != seen) seen = now, last = Clock::now();
    if (going_on && !going_on(now, expected)) throw RenderStopped("stopped");
    if (film != nullptr && !film->running()) throw RenderError("ffmpeg ended too early: " + film->last_words());
    if (!browser.running()) throw RenderError("the browser ended too early: " + browser.last_words());
    if (Clock::now() - last > std::chrono::duration<double>(o.patience))
      throw RenderError(fmt::format("the browser has sent no picture for {:g} s; a smaller --size is faster. It said: {}",
                                    o.patience, browser.last_words()));
  }
}

std::string address_words(const RenderOptions& o, double fps) {
  std::string words = fmt::format("#render={:.17g},{},{},{:.17g},{:.17g}", fps, o.width, o.height, o.from, o.to);
  for (const std::string& word : o.words) words += "&" + word;
  return words;
}

class Unfinished {  // the file under another name until it is whole
 public:
  explicit Unfinished(const fs::path& file) : file_(file), name_(file.string() + ".part") {
    // A link or a pipe under this name would be written through: it is replaced by an empty file. Who writes next says what is wrong
    // when that cannot be.
    unlink(name_.c_str());
    const int made = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (made >= 0) close(made);
  }
  ~Unfinished() {
    std::error_code ignored;
    if (!whole_) fs::remove(name_, ignored);
  }
  const fs::path& name() const { return name_; }
  void finish() {
    std::error_code error;
    fs::rename(name_, file_, error);
    if (error) throw RenderError(fmt::format("could not write {}: {}", file_.string(), error.message()));
    whole_ = true;
  }

 private:
  fs::path file_, name_;
  bool whole_ = false;
};

}  // namespace

std::vector<std::string> film_endings() { return {".mp4", ".webm"}; }

RenderReport render(std::string page, const RenderOptions& o,
                    const std::function<bool(std::int64_t, std::int64_t)>& going_on) {
  // With a number that is none the page would draw nothing, or wait for a time that never comes.
  for (const double number : {o.fps, o.speed, o.from, o.to, o.patience})
    if (!std::isfinite(number)) throw RenderError("times, speed and pictures per second must be finite numbers");
  if (o.fps <= 0 || o.speed <= 0) throw RenderError("speed and pictures per second must be above 0");
  for (const std::string& word : o.words)
    if (word.starts_with("camera=") && (word.find("nan") != std::string::npos || word.find("inf") != std::string::npos))
      throw RenderError(word + ": the camera needs six finite numbers");
  // Programs that are needed, before any work.
  const bool is_film = o.file.extension() != ".png";
  const fs::path browser_program =
      need_program({"chromium", "chromium-browser", "google-chrome"}, "chromium", "draws the pictures");
  const fs::path film_program = is_film ? need_program({"ffmpeg"}, "ffmpeg", "makes films of pictures") : fs::path();
  signal(SIGPIPE, SIG_IGN);  // a child that dies is an error of the write that meets it

  // Which times are drawn; the page computes the same number of pictures.
  const double fps = is_film ? o.fps / o.speed : 1;  // pictures per simulated second
  const double from = is_film ? o.from : o.to;
  const auto expected = 1 + static_cast<std::int64_t>(std::floor((o.to - from) * fps + 1e-6));  // as the page counts
  RenderOptions asked = o;
  asked.from = from;

  // In this order: the browser ends first, then the server, then the film.
  const TemporaryPlace place;
  Unfinished unfinished(o.file);
  std::optional<Child> film;
  if (is_film) film.emplace(film_words(film_program, o, unfinished.name()), place.path() / "ffmpeg.log", true);
  Inbox inbox(expected, film ? &*film : nullptr, unfinished.name());
  const auto body = std::make_shared<const std::string>(std::move(page));
  // A server of its own: one page, and a place to upload pictures to.
  Content content;
  content.get = [body](std::string_view path) -> std::optional<Served> {
    if (!path.empty()) return std::nullopt;
    return Served{"text/html; charset=utf-8", body};
  };
  content.post = [&inbox](std::string_view path, std::string_view bytes) { return inbox.take(path, bytes); };
  try {
    const Server server({}, std::move(content));
    const PrivateRedirect door(place.path(), server.address() + address_words(asked, fps));
    Child browser(browser_words(browser_program, place.path(), o, door.address()), place.path() / "browser.log", false);
    try {
      wait_for_pictures(inbox, browser, film ? &*film : nullptr, o, expected, going_on);
    } catch (...) {
      if (film) film->end();  // the server may be waiting for it
      throw;
    }
  } catch (const ServeError& error) {
    throw RenderError(error.what());
  }
  if (film && film->wait() != 0) throw RenderError("ffmpeg could not make the film: " + film->last_words());
  unfinished.finish();
  return {expected, is_film ? static_cast<double>(expected) / o.fps : 0.0};
}

}  // namespace tendril
