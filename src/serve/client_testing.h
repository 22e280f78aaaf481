// A client for tests of the server: plain sockets and hand-made WebSocket frames, so that it can also misbehave.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tendril {

class TestClient {
 public:
  explicit TestClient(const std::string& address) {  // http://127.0.0.1:PORT/TOKEN/
    const auto colon = address.rfind(':'), slash = address.find('/', colon);
    port_ = std::stoi(address.substr(colon + 1, slash - colon - 1));
    path = address.substr(slash);
    host = "127.0.0.1:" + std::to_string(port_);
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port_));
    inet_pton(AF_INET, "127.0.0.1", &place.sin_addr);
    connected = ::connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  }
  ~TestClient() { ::close(socket_); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  std::string host, path, origin;  // sent as they are; an empty origin is left out
  bool connected = false;

  bool send_raw(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }
  // The status code, 0 when the connection is closed without an answer. The answer's header and body are kept.
  int request(const std::string& what, const std::string& more_headers = "", const std::string& upload = "") {
    send_raw(what + " HTTP/1.1\r\nHost: " + host + "\r\n" + (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
             more_headers + (upload.empty() ? "" : "Content-Length: " + std::to_string(upload.size()) + "\r\n") + "\r\n" +
             upload);
    return answer();
  }
  int answer() {
    std::size_t end;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos)
      if (!receive(10)) return 0;
    header = input_.substr(0, end + 2);
    input_.erase(0, end + 4);
    const auto at = header.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(header.substr(at + 16));
    while (input_.size() < length && receive(10)) {
    }
    body = input_.substr(0, length);
    input_.erase(0, body.size());
    return std::stoi(header.substr(9, 3));
  }
  int get(const std::string& inner) { return request("GET " + path + inner); }
  int upgrade() {
    return request("GET " + path + "ws",
                   "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
  std::string header, body;

  bool send_frame(int opcode, const std::string& payload) {
    std::string frame(1, static_cast<char>(0x80 | opcode));
    if (payload.size() < 126) {
      frame += static_cast<char>(0x80 | payload.size());
    } else {
      const bool wide = payload.size() > 0xffff;
      frame += static_cast<char>(0x80 | (wide ? 127 : 126));
      for (int shift = wide ? 56 : 8; shift >= 0; shift -= 8)
        frame += static_cast<char>(static_cast<std::uint64_t>(payload.size()) >> shift);
    }
    return send_raw(frame + std::string(4, '\0') + payload);  // a mask of zeros
  }
  bool say(const std::string& text) { return send_frame(1, text); }

  struct Message {
    int opcode = 0;
    std::string payload;
  };
  // None: closed, or nothing came in time.
  std::optional<Message> next(double patience = 10) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    for (;;) {
      if (std::optional<Message> message = take()) {
        if (message->opcode == 9) send_frame(10, message->payload);
        if (message->opcode == 8) closed = true;
        if (message->opcode < 8) return message;
        if (closed) return std::nullopt;
        continue;
      }
      const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0 || !receive(left)) return std::nullopt;
    }
  }
  bool closed = false;

  // The next sentence of this kind for which the condition holds; frames and others are left out.
  nlohmann::json wait_for(const std::string& say, const std::function<bool(const nlohmann::json&)>& condition = {},
                          double patience = 10) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    for (;;) {
      const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
      const std::optional<Message> message = left > 0 ? next(left) : std::nullopt;
      if (!message) return nullptr;
      if (message->opcode != 1) continue;
      nlohmann::json json = nlohmann::json::parse(message->payload);
      if (json.value("say", "") == say && (!condition || condition(json))) return json;
    }
  }
  int frames_in(double time) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(time);
    int count = 0;
    for (;;) {
      const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
      const std::optional<Message> message = left > 0 ? next(left) : std::nullopt;
      if (!message) return count;
      count += message->opcode == 2;
    }
  }
  void read_slowly(int bytes) {  // a small window; must be set before much has come
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  // Nothing more comes and the other side has closed.
  bool is_closed_within(double patience) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    while (!closed) {
      const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      receive(left);
      input_.clear();
    }
    return true;
  }

 private:
  bool receive(double patience) {
    pollfd one{socket_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(patience * 1000) + 1) <= 0) return false;
    char bytes[65536];
    const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n <= 0) return closed = true, false;
    input_.append(bytes, static_cast<std::size_t>(n));
    return true;
  }
  std::optional<Message> take() {
    const auto byte = [this](std::size_t i) { return static_cast<std::uint8_t>(input_[i]); };
    if (input_.size() < 2) return std::nullopt;
    std::size_t head = 2, length = byte(1) & 127;
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (input_.size() < head + more) return std::nullopt;
    if (more > 0) length = 0;
    for (std::size_t i = 0; i < more; ++i) length = (length << 8) | byte(head + i);
    head += more;
    if (input_.size() < head + length) return std::nullopt;
    Message message{byte(0) & 15, input_.substr(head, length)};
    input_.erase(0, head + length);
    return message;
  }
  int socket_ = -1, port_ = 0;
  std::string input_;
};

}  // namespace tendril
