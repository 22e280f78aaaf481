#include "render/render.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "cli/run_program_testing.h"
#include "render/child.h"
#include "testing/sentence.h"
#include "tools/shell_testing.h"

namespace tendril {
namespace {

namespace fs = std::filesystem;

#define NEEDS_BROWSER_AND_FFMPEG                                                              \
  if (!find_program({"chromium"}) || !find_program({"ffmpeg"}) || !find_program({"ffprobe"})) \
  GTEST_SKIP() << "chromium or ffmpeg is not installed"

// A page that knows how to count and to send pictures, without drawing anything worth a look.
std::string page_that(const std::string& does) {
  return R"(<!doctype html><meta charset="utf-8"><canvas id="c"></canvas><script>
const [fps, width, height, from, to] = /render=([^&]*)/.exec(decodeURIComponent(location.hash))[1].split(",").map(Number);
const canvas = document.getElementById("c");
canvas.width = width; canvas.height = height;
const post = async (path, body) => { const r = await fetch(path, { method: "POST", body }); if (!r.ok) throw new Error(path + " was refused"); };
const picture = async (k) => {
  const pen = canvas.getContext("2d");
  pen.fillStyle = `rgb(${(40 * k) % 256}, 100, 50)`;
  pen.fillRect(0, 0, width, height);
  await post(`picture/${k}`, await new Promise((done) => canvas.toBlob(done, "image/png")));
};
(async () => { )" +
         does + " })().catch((problem) => post(\"failed\", problem.message));\n</script>";
}
const std::string draws_all = R"(
  const count = 1 + Math.floor((to - from) * fps + 1e-6);
  for (let k = 0; k < count; k++) await picture(k);
  await post("done", "");)";

RenderOptions options_for(const fs::path& file) {
  RenderOptions o;
  o.file = file;
  o.width = 64, o.height = 48;
  o.to = 0.5, o.fps = 20;
  return o;
}
std::string probe(const fs::path& file) {
  return run_in_shell(
             "ffprobe -v error -count_frames -select_streams v -show_entries "
             "stream=codec_name,width,height,r_frame_rate,nb_read_frames,pix_fmt -of csv=p=0 '" +
             file.string() + "'")
      .text;
}
std::string failure(const std::string& page, const RenderOptions& o) {
  try {
    render(page, o, {});
  } catch (const RenderError& error) {
    return error.what();
  }
  return "";
}
// Processes whose command line names a folder of this program.
int leftovers() {  // of this process: other tests render at the same time
  const std::string own = "tendril-render-" + std::to_string(getpid()) + "-";
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string words = read_text_file(entry.path() / "cmdline");
    if (words.find(own) != std::string::npos && words.find("--user-data-dir") != std::string::npos &&
        words.find("--type=") == std::string::npos)
      ++count;
  }
  return count;
}

SENTENCE("render", "a picture is the one that the page sends") {
  NEEDS_BROWSER_AND_FFMPEG;
  TemporaryFolder folder;
  const RenderReport report = render(page_that(draws_all), options_for(folder / "a.png"), {});
  EXPECT_EQ(report.pictures, 1);
  EXPECT_EQ(probe(folder / "a.png").substr(0, 9), "png,64,48");
  EXPECT_FALSE(fs::exists(folder / "a.png.part"));
}

SENTENCE("render", "only --plain takes title, time and legend away") {
  NEEDS_BROWSER_AND_FFMPEG;
  TemporaryFolder folder;
  RenderOptions o = options_for(folder / "a.png");
  const std::string page = page_that("if (/plain/.test(location.hash)) throw new Error('plain'); " + draws_all);
  EXPECT_EQ(failure(page, o), "");
  o.words = {"plain"};
  EXPECT_NE(failure(page, o).find("could not draw: plain"), std::string::npos);
}

SLOW_SENTENCE("render", "a film has all pictures at the rate that was asked for, in both formats, for odd sizes too") {
  NEEDS_BROWSER_AND_FFMPEG;
  TemporaryFolder folder;
  std::int64_t last = -1, all = 0;
  RenderOptions o = options_for(folder / "a.mp4");
  const RenderReport report = render(page_that(draws_all), o, [&](std::int64_t done, std::int64_t of) {
    EXPECT_GE(done, last);
    last = done, all = of;
    return true;
  });
  EXPECT_EQ(report.pictures, 11);
  EXPECT_EQ(all, 11);
  EXPECT_EQ(probe(folder / "a.mp4"), "h264,64,48,yuv420p,20/1,11\n");
  o.file = folder / "b.webm", o.width = 63, o.speed = 0.5;  // twice as many pictures of the same time
  EXPECT_EQ(render(page_that(draws_all), o, {}).pictures, 21);
  EXPECT_EQ(probe(folder / "b.webm"), "vp9,64,48,yuv420p,20/1,21\n");
}

SLOW_SENTENCE("render", "what goes wrong is said, and leaves neither a file nor a process") {
  NEEDS_BROWSER_AND_FFMPEG;
  TemporaryFolder folder;
  const int before = leftovers();
  RenderOptions o = options_for(folder / "a.mp4");
  const auto says = [&](const std::string& page, const std::string& sentence) {
    const std::string said = failure(page, o);
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
    EXPECT_FALSE(fs::exists(folder / "a.mp4") || fs::exists(folder / "a.mp4.part"));
    EXPECT_EQ(leftovers(), before) << sentence;
  };
  says(page_that("throw new Error('no such colour');"), "the page could not draw: no such colour");
  says(page_that("await picture(1);"), "picture/1 was refused");  // out of order
  says(page_that("await post('picture/0', 'text');"), "picture/0 was refused");
  says(page_that("await picture(0); await post('done', '');"), "the page drew 1 pictures instead of 11");
  o.patience = 4;
  says(page_that("await picture(0);"), "has sent no picture for 4 s");
  o.file = folder / "no" / "such" / "a.mp4";
  o.patience = 120;  // ffmpeg looks at its output only when it has seen a picture, and a busy browser is slow to start
  const std::string unwritable = failure(page_that(draws_all), o);
  EXPECT_NE(unwritable.find("ffmpeg"), std::string::npos) << unwritable;
  EXPECT_THROW(render(page_that("await picture(0);"), options_for(folder / "a.mp4"),
                      [](std::int64_t, std::int64_t) { return false; }),
               RenderStopped);
}

SENTENCE("render", "a missing browser or ffmpeg is named, with the package that has it") {
  TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.text().c_str(), 1);
  const std::string no_browser = failure("", options_for("a.png"));
  folder.write("chromium", "#!/bin/sh\n");
  fs::permissions(folder / "chromium", fs::perms::owner_all);
  const std::string no_ffmpeg = failure("", options_for("a.mp4"));
  const std::string ended = failure("", options_for(folder / "a.png"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(no_browser, "there is no chromium here, which draws the pictures; on Debian: apt-get install chromium");
  EXPECT_EQ(no_ffmpeg, "there is no ffmpeg here, which makes films of pictures; on Debian: apt-get install ffmpeg");
  EXPECT_NE(ended.find("the browser ended too early"), std::string::npos) << ended;
}

SENTENCE("render", "the browser's command line, which everybody on the machine can read, does not hold the token") {
  TemporaryFolder folder;
  // A browser that writes down its words and where the page it was given leads to.
  folder.write("chromium",
               "#!/bin/sh\nfor w; do case $w in file://*) f=${w#file://};; esac; done\n"
               "printf '%s\\n' \"$@\" > " +
                   folder.text() + "/words; cat \"$f\" > " + folder.text() + "/page\n");
  fs::permissions(folder / "chromium", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.text() + ":" + path).c_str(), 1);
  failure("", options_for(folder / "a.png"));
  setenv("PATH", path.c_str(), 1);
  const std::string words = read_text_file(folder / "words"), page = read_text_file(folder / "page");
  EXPECT_EQ(words.find("http://"), std::string::npos) << words;
  const std::size_t at = page.find("url=http://127.0.0.1:");
  ASSERT_NE(at, std::string::npos) << page;
  const std::size_t from = page.find('/', at + 20) + 1;
  const std::string token = page.substr(from, page.find('/', from) - from);
  EXPECT_GE(token.size(), 16u);
  EXPECT_EQ(words.find(token), std::string::npos) << words;
}

SENTENCE("render", "numbers that are none are refused before a browser is started") {
  TemporaryFolder folder;
  const auto refused = [&](auto&& change) {
    RenderOptions o = options_for(folder / "a.mp4");
    change(o);
    const std::string said = failure("", o);
    EXPECT_NE(said.find("finite") == std::string::npos && said.find("above 0") == std::string::npos, true) << said;
  };
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    refused([&](RenderOptions& o) { o.from = bad; });
    refused([&](RenderOptions& o) { o.to = bad; });
    refused([&](RenderOptions& o) { o.speed = bad; });
    refused([&](RenderOptions& o) { o.fps = bad; });
    refused([&](RenderOptions& o) { o.words = {"camera=0,0," + std::to_string(bad) + ",0,0,0"}; });
  }
  refused([](RenderOptions& o) { o.speed = 0; });
}

SENTENCE("render", "an unfinished file is not written through a link") {
  TemporaryFolder folder;
  folder.write("chromium", "#!/bin/sh\nexit 0\n");
  fs::permissions(folder / "chromium", fs::perms::owner_all);
  const fs::path victim = folder.write("victim", "precious");
  fs::create_symlink(victim, folder / "a.png.part");
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.text() + ":" + path).c_str(), 1);
  EXPECT_NE(failure("", options_for(folder / "a.png")), "");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(read_text_file(victim), "precious");
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "a.png.part")));
}

SENTENCE("cli", "render refuses what it cannot do, all at once") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  ASSERT_EQ(shell.tendril("run beam.toml --quiet -o here").code, 0);
  const Answer a = shell.tendril("render here -o nowhere/a.gif --size 5x5 --time 7");
  EXPECT_EQ(a.code, 2);
  for (const char* part :
       {"a picture ends in .png, a film in .mp4, .webm", "there is no folder", "--size 5x5", "goes from 0 to 0.2 s"})
    EXPECT_TRUE(has(a.err, part)) << part << ": " << a.err;
  EXPECT_EQ(shell.tendril("render here -o a.mp4 --from 0.2 --to 0.1").code, 2);
  EXPECT_EQ(shell.tendril("render here -o a.mp4 --time 0.1").code, 2);
  EXPECT_EQ(shell.tendril("render here -o a.png --colour heat").code, 2);
  EXPECT_EQ(shell.tendril("render here -o a.png --camera 1,2,3").code, 2);
  EXPECT_EQ(shell.tendril("render nowhere -o a.png").code, 2);
  EXPECT_EQ(shell.tendril("render here").code, 2);
}

SLOW_SENTENCE("cli", "render makes a picture and a short film of a run") {
  NEEDS_BROWSER_AND_FFMPEG;
  Shell shell;
  shell.file("beam.toml", beam_scene());
  ASSERT_EQ(shell.tendril("run beam.toml --quiet -o here").code, 0);
  const Answer picture = shell.tendril("render here -o a.png --size 320x200 --theme dark --camera 0.5,-2,0.5,0.5,0,0");
  EXPECT_EQ(picture.code, 0) << picture.err;
  EXPECT_EQ(picture.out, "a.png: t = 0.2 s\n");
  EXPECT_EQ(probe(shell.folder / "a.png").substr(0, 11), "png,320,200");
  EXPECT_GT(fs::file_size(shell.folder / "a.png"), 3000u);  // not an empty canvas
  const Answer film = shell.tendril("render here -o a.mp4 --size 320x200 --fps 20 --from 0.05 --to 0.2 --colour curvature");
  EXPECT_EQ(film.code, 0) << film.err;
  EXPECT_EQ(probe(shell.folder / "a.mp4"), "h264,320,200,yuv420p,20/1,4\n");
}

SENTENCE("cli", "view -o writes runs into one file") {
  Shell shell;
  shell.file("beam.toml", beam_scene());
  ASSERT_EQ(shell.tendril("run beam.toml --quiet -o one").code, 0);
  ASSERT_EQ(shell.tendril("run beam.toml --quiet -o two --set rod.beam.segments=20").code, 0);
  const Answer a = shell.tendril("view one two/run.h5 -o both.html");
  EXPECT_EQ(a.code, 0) << a.err;
  const std::string html = read_text_file(shell.folder / "both.html");
  EXPECT_TRUE(has(html, "id=\"frames-1\"") && has(html, "\"label\":\"two\""));
  EXPECT_EQ(shell.tendril("view one -o x.html --method der").code, 2);
  EXPECT_EQ(shell.tendril("view beam.toml -o x.html").code, 2);
  EXPECT_EQ(shell.tendril("view one beam.toml -o x.html").code, 2);
}

}  // namespace
}  // namespace tendril
