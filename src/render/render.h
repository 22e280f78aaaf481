// Pictures and films of saved runs: a headless browser draws the page of the runs, one picture after another, and sends each
// to this program; ffmpeg makes a film of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tendril {

struct RenderError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct RenderStopped : RenderError {  // `going_on` said no
  using RenderError::RenderError;
};

struct RenderOptions {
  std::filesystem::path file;      // .png: one picture; .mp4, .webm: a film
  int width = 1280, height = 720;  // pixels
  double fps = 30;                 // pictures per second of the film
  double speed = 1;                // simulated seconds per second of the film
  double from = 0, to = 0;         // [s] of simulated time; a picture: at `to`
  std::vector<std::string> words;  // further words for the page's address: colour=twist, theme=dark, camera=...
  double patience = 120;           // seconds that the browser may need for one picture
};
struct RenderReport {
  std::int64_t pictures = 0;
  double seconds = 0;  // of film
};

std::vector<std::string> film_endings();  // {".mp4", ".webm"}
// `going_on(done, of)` is asked a few times a second; false stops. The file is either whole or not there. Throws
// RenderError.
RenderReport render(std::string page, const RenderOptions& options,
                    const std::function<bool(std::int64_t, std::int64_t)>& going_on);

}  // namespace tendril
