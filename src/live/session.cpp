// long: one thread with its loop and what it does between steps.
#include "live/session.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <tuple>

#include "live/live_recording.h"
#include "live/order_queue.h"
#include "live/pace.h"
#include "live/stage.h"
#include "parallel/stop.h"
#include "view/description.h"
#include "view/frame_bytes.h"

namespace tendril {
namespace {

using Clock = Pace::Clock;

constexpr std::size_t max_refusals = 64;
constexpr auto frame_interval = std::chrono::duration_cast<Clock::duration>(Pace::Seconds(1.0 / 60));
constexpr auto shortest_slice = std::chrono::milliseconds(4);
constexpr auto between_answers = std::chrono::milliseconds(4);  // a client that talks without end does not flood the others
constexpr int orders_at_once = 256;                             // as many as can wait: then the simulation has its turn
constexpr double slowest = 0.001, fastest = 100;
}  // namespace

struct Session::Inside {
  explicit Inside(SessionOptions the_options) : options(std::move(the_options)) {
    latest.status = std::make_shared<SessionStatus>();
    thread = std::thread([this] { work(); });
  }
  ~Inside() {
    {
      const std::lock_guard lock(mutex);
      quit = true;
    }
    leaving = true;
    wake.notify_one();
    thread.join();
  }

  // ---- shared with other threads
  const SessionOptions options;
  mutable std::mutex mutex;           // for all down to the next rule; held for moments only
  std::condition_variable wake;       // an order, a client that left, or the end
  OrderQueue waiting;                 // orders that are not carried out yet
  std::vector<ClientId> left;         // clients that have left since the last look
  bool quit = false;                  // true: the thread ends
  bool watched = true;                // true: at least one client is connected
  Latest latest;                      // what clients are shown
  std::vector<Refusal> refusals;      // scenes that could not be opened
  std::mutex listening;               // for `listener`
  std::function<void()> listener;     // called when `latest` has changed
  std::atomic<bool> called = false;   // something waits: steps end early
  std::atomic<bool> leaving = false;  // `quit`, for a solver that is looking for an equilibrium

  // ---- the session's thread alone
  std::thread thread;
  std::string name;                                // of the open scene
  std::optional<Stage> stage;                      // simulation and hands; empty: no scene is open
  std::optional<view::FrameWriter> writer;         // frames to bytes
  std::optional<LiveRecording> recording;          // empty: nothing is recorded
  SessionStatus status;                            // published with every frame
  std::shared_ptr<const std::string> description;  // of the open scene, as JSON
  std::uint64_t scene_number = 0, answers = 0;     // scenes opened or closed; orders carried out
  bool frame_due = false;                          // true: something has changed since the last frame
  bool anybody = true;                             // `watched`, as this thread last saw it
  Clock::time_point next_frame = Clock::now(), last_publish;
  Pace pace;  // lag behind the wall clock, speed reached

  // -------------------------------------------------------------------------------------------------------------- the loop
  void work() {
    const std::function<bool()> stop = [this] { return leaving.load(); };
    const StopScope in_long_searches_too(stop);
    for (;;) {
      // Orders first; then steps until the simulation is level with the clock; then a frame, if one is due.
      if (!obey_all()) break;
      const bool level = !running() || follow_clock();
      const Clock::time_point now = Clock::now();
      if (now >= next_frame && (frame_due || running())) publish_safely(true);
      if (level) rest();
    }
    end_recording();
  }

  // Nobody to see it and nothing to write it to: no work.
  bool running() const {
    return stage && !status.paused && !stage->failed() && !stage->simulation().finished() && (anybody || recording);
  }

  void rest() {
    std::unique_lock lock(mutex);
    // While running, sleep at most until the next frame; else until somebody calls.
    const auto something = [this] { return quit || !waiting.empty() || !left.empty() || watched != anybody; };
    if (running() || frame_due)
      wake.wait_until(lock, next_frame, something);
    else
      wake.wait(lock, something);
  }

  // Steps until level with the wall clock, or until a frame is due or somebody calls. True: level.
  bool follow_clock() {
    // Half a step of lag is level. A slice ends with the frame, so that the picture never waits for the simulation.
    const Clock::time_point now = Clock::now(), end_of_slice = std::max(next_frame, now + shortest_slice);
    bool level = true;
    Clock::time_point at = now;
    while (level && pace.lag(now, status.speed) >= 0.5 * stage->pace() && take_step()) {
      at = Clock::now();
      level = at < end_of_slice && !called.load(std::memory_order_relaxed);
    }
    // What cannot be caught up with is given up: the simulation runs slower instead of ever further behind.
    pace.give_up_lag(at, status.speed, stage->pace());
    return level;
  }

  double rate() const {
    const bool behind = status.slow && status.achieved > 0;
    return behind ? std::min(status.speed, status.achieved) : status.speed;
  }

  // False: there is nothing more to step.
  bool take_step() {
    // An equilibrium that nothing changes: no work.
    if (!stage->moving()) {
      pace.level(Clock::now());
      return false;
    }
    const double before = stage->simulation().time();
    try {
      std::ignore = stage->advance(rate());  // what it reports stands in the simulation's own report
    } catch (const std::exception& error) {
      stop_with(error.what());
      return false;
    }
    // Statics have no time of their own: each equilibrium counts as one frame of the pace.
    const bool statics = stage->simulation().scene().time.mode == Mode::statics;
    pace.add(statics ? stage->pace() : stage->simulation().time() - before);
    frame_due = true;
    if (recording) record([this] { recording->look(stage->simulation()); });
    if (!stage->message().empty()) status.message = stage->message();
    return !stage->failed() && !stage->simulation().finished();
  }

  // An error inside: the picture stays, the reason is shown.
  void stop_with(const std::string& reason) {
    status.paused = true;
    status.message = reason;
    frame_due = true;
    ++answers;
  }

  // -------------------------------------------------------------------------------------------------------------- recording
  template <class Write>
  void record(Write&& write) {
    try {
      write();
    } catch (const std::exception& error) {  // a full disk ends the recording, not the simulation
      status.message = fmt::format("the recording has ended: {}", error.what());
      recording.reset();
      ++answers;
    }
  }
  void end_recording() {
    if (!recording) return;
    const std::string folder = recording->folder();
    record([this] { recording->finish(stage->simulation()); });
    if (recording) status.recorded = folder;
    recording.reset();
  }

  // ------------------------------------------------------------------------------------------------------------- publishing
  // A scene that cannot be shown is closed: the program and the other scenes go on.
  void publish_safely(bool on_time) {
    try {
      publish(on_time);
    } catch (const std::exception& error) {
      obey(0, CloseScene{});
      status.message = error.what();
      publish(on_time);
    }
  }
  void publish(bool on_time) {
    const Clock::time_point now = Clock::now();
    last_publish = now;
    // Status: speed reached over the last half second, flags, recording, inputs.
    if (!running()) pace.forget_rate();
    status.achieved = running() ? pace.measure(now) : 0;
    status.slow = running() && pace.slow(now, status.achieved, status.speed);
    status.open = stage.has_value();
    status.failed = stage && stage->failed();
    status.finished = stage && stage->simulation().finished() && !status.failed;
    note_doubts();
    status.recording = recording ? recording->folder() : std::string();
    status.inputs = stage ? stage->inputs() : std::vector<std::pair<std::string, Setting>>();
    // The newest frame, as the bytes that go to clients; made outside the lock.
    std::shared_ptr<std::vector<std::byte>> bytes;
    if (stage) {
      bytes = std::make_shared<std::vector<std::byte>>();
      const Simulation& simulation = stage->simulation();
      writer->write(simulation.frame(), simulation.measures(), {.generation = status.generation, .with_values = true},
                    *bytes);
    }
    frame_due = false;
    // In equal intervals, unless one was missed altogether.
    if (on_time) next_frame = now - next_frame < frame_interval ? next_frame + frame_interval : now + frame_interval;
    {
      const std::lock_guard lock(mutex);
      latest.status = std::make_shared<SessionStatus>(status);
      latest.description = description;
      latest.frame = std::move(bytes);
      latest.scene_number = scene_number;
      latest.answer_number = answers;
      ++latest.frame_number;
    }
    tell();
  }
  // Steps that were taken again, and energy from nowhere: shown while it runs, not only at the end.
  void note_doubts() {
    const RunReport report = stage ? stage->simulation().report() : RunReport{};
    status.suspect = report.outcome == Outcome::suspect ? report.message : std::string();
    status.retries = report.retries;
    status.energy_error = report.energy_error;
  }
  void tell() {
    const std::lock_guard lock(listening);
    if (listener) listener();
  }

  // ----------------------------------------------------------------------------------------------------------------- orders
  // False: the end.
  bool obey_all() {
    bool answered = false;
    look_who_is_there();
    for (int count = 0; count < orders_at_once; ++count) {
      // Motion of hands comes many times a second and asks for no reply; everything else does, and clears an old message.
      const std::optional<Command> command = next_order();
      if (!command) break;
      const bool quiet = std::holds_alternative<MoveHand>(command->order);
      if (!quiet) status.message = stage ? stage->message() : std::string();
      try {
        std::visit([&](const auto& order) { obey(command->client, order); }, command->order);
      } catch (const std::exception& error) {
        status.message = error.what();
      }
      // Replies are collected, but a frame that is due does not wait for the end of the queue.
      if (!quiet) ++answers, answered = true;
      if (answered && Clock::now() >= next_frame) publish_safely(true), answered = false;
    }
    // Reply at once, unless the last one is too recent: then with the next frame.
    if (answered && Clock::now() - last_publish >= between_answers)
      publish_safely(false);
    else if (answered)
      frame_due = true;
    const std::lock_guard lock(mutex);
    return !quit;
  }
  void look_who_is_there() {
    const std::lock_guard lock(mutex);
    if (watched && !anybody) pace.go_on(Clock::now());
    anybody = watched;
  }
  // Clients that have left let go when all that they asked for is done.
  std::optional<Command> next_order() {
    std::vector<ClientId> gone;
    {
      const std::lock_guard lock(mutex);
      if (!waiting.empty() && !quit) return waiting.pop();
      gone.swap(left);
      called = false;
    }
    for (const ClientId client : gone)
      if (stage) complain(stage->leave(client)), frame_due = true;
    return std::nullopt;
  }

  void complain(const std::string& problem) {
    if (!problem.empty()) status.message = problem;
  }
  void refuse(ClientId client, const std::string& scene, std::vector<std::string> problems) {
    const std::lock_guard lock(mutex);
    if (refusals.size() >= max_refusals) refusals.erase(refusals.begin());
    refusals.push_back({client, scene, std::move(problems)});
  }
  void refuse(ClientId client, const std::string& scene, const Problems& problems) {
    std::vector<std::string> lines;
    for (const Problem& problem : problems)
      if (problem.severity == Severity::error) lines.push_back(to_text(problem));
    refuse(client, scene, std::move(lines));
  }

  bool start(ClientId client, const std::string& scene_name, const Scene& scene) {
    try {
      // Opening and describing may fail, and are done before the old scene is given up.
      Checked<Simulation> simulation = options.scenes.open(scene);
      if (!simulation) return refuse(client, scene_name, simulation.problems()), false;
      Stage next(std::move(*simulation));
      auto text =
          std::make_shared<std::string>(view::description_json(next.simulation(), scene_name, status.generation + 1));
      end_recording();
      name = scene_name;
      writer.reset();
      stage.emplace(std::move(next));
      writer.emplace(stage->simulation());
      description = std::move(text);
    } catch (const std::bad_alloc&) {
      return refuse(client, scene_name, {"there is not enough memory for this scene; take fewer segments"}), false;
    } catch (const std::exception& error) {
      return refuse(client, scene_name, {error.what()}), false;
    }
    // Clients see by the generation which frames belong to which scene.
    ++status.generation, ++scene_number;
    status.message.clear();
    pace.begin(Clock::now());
    return true;
  }

  void obey(ClientId client, const OpenScene& order) {
    Checked<Scene> scene = options.scenes.read(order.scene);
    if (!scene) return refuse(client, order.scene, scene.problems());
    if (!order.method.empty()) scene->method = order.method;
    if (order.step && *order.step == 0) scene->time.step = std::nullopt;
    if (order.step && *order.step > 0) scene->time.step = *order.step;
    if (start(client, order.scene, *scene)) status.paused = false;
  }
  void obey(ClientId, const Play&) {
    if (stage && status.paused) status.paused = false, pace.go_on(Clock::now());
  }
  void obey(ClientId, const Pause&) { status.paused = true; }
  void obey(ClientId, const SingleStep&) {
    status.paused = true;
    if (stage && !stage->failed() && !stage->simulation().finished()) take_step();
  }
  void obey(ClientId client, const Restart&) {
    if (!stage) return;
    const Scene scene = stage->simulation().scene();
    start(client, std::string(name), scene);
  }
  void obey(ClientId, const CloseScene&) {
    end_recording();
    writer.reset();
    stage.reset();
    description.reset();
    status.message.clear();
    ++scene_number;
  }
  void obey(ClientId, const SetSpeed& order) {
    if (!(order.value >= slowest && order.value <= fastest)) return;
    status.speed = order.value;
    pace.change_speed(Clock::now());
  }
  void obey(ClientId, const SetInput& order) {
    if (stage) complain(stage->set_input(order.name, order.value));
  }
  void obey(ClientId client, const Grab& order) {
    if (stage) complain(stage->grab(client, order)), frame_due = true;
  }
  void obey(ClientId client, const MoveHand& order) {
    if (stage) stage->move(client, order);
  }
  void obey(ClientId client, const ReleaseHand& order) {
    if (stage) complain(stage->release(client, order.hand)), frame_due = true;
  }
  void obey(ClientId, const Record& order) {
    if (!order.on) return end_recording();
    if (!stage || recording) return;
    record([this] { recording.emplace(options.runs, name, stage->simulation()); });
  }
};

Session::Session(SessionOptions options) : inside_(std::make_unique<Inside>(std::move(options))) {}
Session::~Session() = default;

bool Session::submit(Command command) {
  Inside& in = *inside_;
  {
    const std::lock_guard lock(in.mutex);
    if (!in.waiting.push(std::move(command))) return false;
    in.called = true;
  }
  in.wake.notify_one();
  return true;
}

void Session::leave(ClientId client) {
  Inside& in = *inside_;
  {
    const std::lock_guard lock(in.mutex);
    in.left.push_back(client);
    in.called = true;
  }
  in.wake.notify_one();
}

void Session::watch(bool somebody) {
  Inside& in = *inside_;
  {
    const std::lock_guard lock(in.mutex);
    in.watched = somebody;
    in.called = true;
  }
  in.wake.notify_one();
}

Latest Session::latest() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->latest;
}

std::vector<Refusal> Session::take_refusals() {
  const std::lock_guard lock(inside_->mutex);
  return std::exchange(inside_->refusals, {});
}

void Session::listen(std::function<void()> listener) {
  const std::lock_guard lock(inside_->listening);
  inside_->listener = std::move(listener);
}

const std::vector<SceneOffer>& Session::offers() const { return inside_->options.scenes.offers; }

}  // namespace tendril
