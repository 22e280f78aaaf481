// HTTP and WebSocket on loopback for the browser view: who may connect, what they get, what they may send. docs/view.md.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tendril {

class Session;  // src/live/session.h

struct ServeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Served {
  std::string type;  // "text/html; charset=utf-8"
  std::shared_ptr<const std::string> body;
};
struct ServerOptions {
  std::string host = "127.0.0.1";
  unsigned short port = 0;  // 0: any free one
  std::string token;        // empty: random
};
struct Content {
  std::function<std::optional<Served>(std::string_view path)> get;         // path after the token: "", "picture/whip.png"
  std::function<bool(std::string_view path, std::string_view body)> post;  // uploads of `render`; none: refused
  Session* session = nullptr;                                              // none: no WebSocket; outlives the server
};

class Server {
 public:
  Server(const ServerOptions& options, Content content);  // listens at once, works in its own thread; throws ServeError
  ~Server();                                              // closes every connection
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  std::string address() const;  // http://127.0.0.1:PORT/TOKEN/

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tendril
