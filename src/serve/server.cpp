// HTTP and WebSocket by Boost.Beast. One thread does all of it; nothing in here waits, so that no client can hold up
// another.
// Together with boost_source.cpp the only file that sees Boost.
// long: what sees Boost takes half a minute to compile and stays together.
#include "serve/server.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>
// Asio 1.74 leaves <utility> out.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <set>
#include <thread>

#include "serve/access.h"
#include "serve/messages.h"

namespace tendril {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using beast::error_code;
using namespace std::chrono_literals;

constexpr std::size_t max_connections = 256, max_clients = 32;
constexpr std::size_t max_strangers = 64;  // connections that have not shown the token yet
constexpr std::size_t max_header_bytes = 8 << 10, max_upload_bytes = 64 << 20;
constexpr std::size_t max_sentences = 32;  // queued for one client
constexpr auto patience = 5s;              // for a header, a handshake
constexpr auto upload_patience = 60s;
constexpr auto idle_patience = 30s;  // a silent client is asked after half of this
constexpr auto status_interval = 200ms;
constexpr auto shortest_status_interval = 30ms;

template <class Message>
void set_headers(Message& message, const std::string& host) {
  message.set(http::field::server, "tendril");
  message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("X-Frame-Options", "DENY");
  message.set("Referrer-Policy", "no-referrer");  // the address holds the token
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  // The page is one file with its script and style inside; it may connect to this server and to no other.
  message.set("Content-Security-Policy",
              "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
              "font-src data:; media-src blob:; connect-src 'self' ws://" +
                  host + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

}  // namespace

class WebSocketClient;
class HttpConnection;

struct ServerState {
  ServerState(const ServerOptions& options, Content the_content);
  ~ServerState();

  void accept();            // the next connection
  void look();              // sends what is new in the session
  void make_room();         // for a newcomer: closes the stranger that has waited longest, when there are many
  void status();            // sends the status to all clients, several times a second
  void send_status_soon();  // sends it after an order

  ServerOptions options;
  Content content;
  ListenAddress door;
  std::size_t connections = 0;  // of both kinds
  std::uint64_t dropped = 0;    // messages that were malformed, or came when too many waited
  ClientId next_client = 1;
  std::set<WebSocketClient*> clients;  // they register and unregister themselves; `io` owns them and is destroyed first
  std::set<HttpConnection*> http_connections;  // likewise
  std::deque<HttpConnection*> strangers;       // those of them that have not shown the token yet, the oldest first
  asio::io_context io{1};                      // all handlers run in its one thread
  tcp::acceptor acceptor{io};
  asio::steady_timer status_timer{io}, soon{io}, accept_again{io};
  bool soon_set = false;                  // true: a status is about to be sent
  std::uint64_t answered = 0;             // orders whose status has been sent
  std::atomic<bool> look_posted = false;  // true: `look` is queued already
  std::thread thread;
};

// ---------------------------------------------------------------------------------------------------------------- WebSocket
// Always sends the newest state: there is one write in flight, and what comes next is decided when it is done. Only messages
// to this client alone wait in a queue.
class WebSocketClient : public std::enable_shared_from_this<WebSocketClient> {
 public:
  WebSocketClient(ServerState& server, tcp::socket socket) : server_(server), socket_(std::move(socket)) {
    server_.clients.insert(this);
    ++server_.connections;
  }
  ~WebSocketClient() {
    --server_.connections;
    server_.clients.erase(this);
    if (welcomed_) server_.content.session->leave(id_);
    server_.content.session->watch(!server_.clients.empty());
  }
  ClientId id() const { return id_; }

  void accept(const http::request<http::string_body>& request, const std::string& host) {
    // Silent clients are pinged and then dropped; messages are short.
    auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeout.handshake_timeout = patience;
    timeout.idle_timeout = idle_patience;
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.set_option(websocket::stream_base::decorator([host](auto& response) { set_headers(response, host); }));
    socket_.read_message_max(max_message_bytes);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return;
      // From here on the client is one of those who watch; first it gets the list of scenes.
      self->welcomed_ = true;
      self->server_.content.session->watch(true);
      self->sentences_.push_back(welcome_message(self->server_.content.session->offers()));
      self->status_due_ = true;
      self->read();
      self->write();
    });
  }
  void say(std::string sentence) {
    if (!welcomed_) return;
    if (sentences_.size() >= max_sentences) return close();  // it does not read
    sentences_.push_back(std::move(sentence));
    write();
  }
  void status_due() { status_due_ = true, write(); }
  void look() { write(); }
  void close() {
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

 private:
  void read() {
    socket_.async_read(incoming_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->close();
      self->take();
      self->incoming_.consume(self->incoming_.size());
      self->read();
    });
  }
  void take() {
    // What is no order, or comes when too many wait, is counted and dropped; a client cannot make the server fail.
    std::optional<Order> order;
    if (socket_.got_text()) {
      const auto bytes = incoming_.data();
      order = read_message({static_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (!order || !server_.content.session->submit({id_, std::move(*order)})) ++server_.dropped;
  }
  // The next thing this client has not seen, or nothing.
  void write() {
    if (writing_ || !welcomed_) return;
    // In this order: messages to this client alone, another scene, the status, the newest frame. Frames that were missed are
    // skipped.
    const Latest latest = server_.content.session->latest();
    if (!sentences_.empty()) {
      text_ = std::move(sentences_.front());
      sentences_.pop_front();
      return send_text();
    }
    if (latest.scene_number != scene_shown_ || !scene_told_) {
      scene_told_ = true, scene_shown_ = latest.scene_number;
      text_ = latest.description ? scene_message(*latest.description) : gallery_message();
      return send_text();
    }
    if (status_due_) {
      status_due_ = false;
      text_ = status_message(*latest.status, server_.clients.size(), server_.dropped);
      return send_text();
    }
    if (latest.frame && latest.frame_number != frame_shown_) {
      frame_shown_ = latest.frame_number;
      frame_ = latest.frame;
      socket_.binary(true);
      send(asio::buffer(frame_->data(), frame_->size()));
    }
  }
  void send_text() {
    socket_.text(true);
    send(asio::buffer(text_));
  }
  void send(asio::const_buffer bytes) {
    writing_ = true;
    socket_.async_write(bytes, [self = shared_from_this()](error_code error, std::size_t) {
      self->writing_ = false;
      self->frame_.reset();
      if (error) return self->close();
      self->write();
    });
  }

  ServerState& server_;
  const ClientId id_ = server_.next_client++;
  websocket::stream<beast::tcp_stream, false> socket_;  // false: without compression, which half of the templates are for
  beast::flat_buffer incoming_{max_message_bytes + 1024};
  // Handshake done; a write is in flight; a status, a first scene message is owed.
  bool welcomed_ = false, writing_ = false, status_due_ = false, scene_told_ = false;
  std::deque<std::string> sentences_;                    // messages to this client alone
  std::string text_;                                     // being written
  std::shared_ptr<const std::vector<std::byte>> frame_;  // being written
  std::uint64_t scene_shown_ = 0, frame_shown_ = 0;      // last ones sent
};

// --------------------------------------------------------------------------------------------------------------------- HTTP
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(ServerState& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    server_.http_connections.insert(this);
    server_.strangers.push_back(this);
    ++server_.connections;
  }
  ~HttpConnection() {
    --server_.connections;
    server_.http_connections.erase(this);
    no_stranger();
  }
  void close() {
    error_code ignored;
    stream_.socket().close(ignored);
  }

  void read() {
    // Limits before anything is read: sizes and time.
    parser_.emplace();
    host_.clear();
    parser_->header_limit(max_header_bytes);
    parser_->body_limit(max_upload_bytes);
    stream_.expires_after(patience);
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) return self->enter();
      if (error == http::error::header_limit) return self->refuse(http::status::request_header_fields_too_large);
      self->close();
    });
  }

 private:
  // Everything is looked at before a body is read.
  void enter() {
    const auto& request = parser_->get();
    const auto host = request.find(http::field::host), origin = request.find(http::field::origin);
    const auto text = [](beast::string_view s) { return std::string_view(s.data(), s.size()); };
    host_ = host == request.end() ? std::string() : std::string(text(host->value()));
    // Host and Origin against DNS rebinding and foreign pages.
    const bool one_each = request.count(http::field::host) == 1 && request.count(http::field::origin) <= 1;
    if (!one_each || !host_allowed(host_, server_.door)) return refuse(http::status::forbidden);
    if (!origin_allowed(origin == request.end() ? std::nullopt : std::optional(text(origin->value())), host_))
      return refuse(http::status::forbidden);
    // The token in the path; without it nothing is served.
    const std::string_view target = text(request.target());
    if (target == "/favicon.ico") return refuse(http::status::no_content);
    const std::optional<Inner> inner = inner_path(target, server_.options.token);
    if (!inner) return refuse(http::status::forbidden);
    no_stranger();
    if (inner->needs_slash) return redirect();
    // WebSocket, reading, or uploading.
    path_ = inner->path;
    if (websocket::is_upgrade(request)) return upgrade();
    if (request.method() == http::verb::get || request.method() == http::verb::head) return get();
    if (request.method() == http::verb::post && server_.content.post) return read_body();
    refuse(http::status::method_not_allowed);
  }

  void no_stranger() { std::erase(server_.strangers, this); }

  void upgrade() {
    if (path_ != "ws" || server_.content.session == nullptr) return refuse(http::status::not_found);
    if (server_.clients.size() >= max_clients) return refuse(http::status::service_unavailable);
    stream_.expires_never();
    std::make_shared<WebSocketClient>(server_, stream_.release_socket())->accept(parser_->release(), host_);
  }

  void get() {
    if (parser_->content_length() && *parser_->content_length() > 0) return refuse(http::status::bad_request);
    const std::optional<Served> served = server_.content.get ? server_.content.get(path_) : std::nullopt;
    if (!served) return refuse(http::status::not_found);
    answer(http::status::ok, served->type, served->body);
  }

  void read_body() {
    stream_.expires_after(upload_patience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error == http::error::body_limit) return self->refuse(http::status::payload_too_large);
      if (error) return self->close();
      const bool taken = self->server_.content.post(self->path_, self->parser_->get().body());
      self->answer(taken ? http::status::ok : http::status::bad_request, "text/plain", {});
    });
  }

  // A refused connection is closed: whatever else came with the request is not read.
  void refuse(http::status status) {
    last_ = status != http::status::no_content;
    static const auto nothing = std::make_shared<const std::string>();
    const auto words = std::make_shared<const std::string>(std::string(http::obsolete_reason(status)) + "\n");
    answer(status, "text/plain; charset=utf-8", status == http::status::no_content ? nothing : words);
  }
  void redirect() {
    place_ = "/" + server_.options.token + "/";
    answer(http::status::permanent_redirect, "text/plain", {});
  }

  using Response = http::response<http::span_body<const char>>;
  void answer(http::status status, const std::string& type, std::shared_ptr<const std::string> body) {
    const auto& request = parser_->get();
    // Body and response must live until they are written.
    body_ = body ? std::move(body) : std::make_shared<const std::string>();
    response_.emplace(status, 11);
    set_headers(*response_, host_allowed(host_, server_.door) ? host_ : std::string("127.0.0.1"));
    response_->set(http::field::content_type, type);
    if (!place_.empty()) response_->set(http::field::location, std::exchange(place_, {}));
    // HEAD sends the length without the body.
    const bool keep = request.keep_alive() && !last_;
    response_->keep_alive(keep);
    if (status != http::status::no_content) response_->content_length(body_->size());
    if (request.method() != http::verb::head) response_->body() = {body_->data(), body_->size()};
    stream_.expires_after(upload_patience);
    const auto done = [self = shared_from_this(), keep](error_code error, std::size_t) {
      self->response_.reset();
      if (error || !keep) return self->finish();
      self->read();
    };
    if (request.method() == http::verb::head) {
      serializer_.emplace(*response_);
      return http::async_write_header(stream_, *serializer_, done);
    }
    http::async_write(stream_, *response_, done);
  }
  void finish() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  ServerState& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{max_header_bytes + (64 << 10)};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::string host_, path_, place_;
  bool last_ = false;                        // true: the connection is closed after this response
  std::shared_ptr<const std::string> body_;  // lives until it is written
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
};

// ------------------------------------------------------------------------------------------------------------------- server
ServerState::ServerState(const ServerOptions& the_options, Content the_content)
    : options(the_options), content(std::move(the_content)) {
  // A token that nobody can guess; no work for the session until somebody looks.
  if (options.token.empty()) options.token = random_token();
  if (content.session != nullptr) content.session->watch(false);  // until a client connects
  error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty())
    throw ServeError(fmt::format("{}: there is no such address to listen on: {}", options.host, error.message()));
  // Listen there; the port may have been chosen by the system.
  const tcp::endpoint place = found.begin()->endpoint();
  acceptor.open(place.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(64, error);
  if (error)
    throw ServeError(fmt::format("cannot listen on {}: {}; choose another with --port",
                                 host_and_port(options.host, options.port), error.message()));
  door = {options.host, acceptor.local_endpoint().port()};
  accept();
  if (content.session != nullptr) {
    status();
    // The session's thread posts at most one call at a time.
    content.session->listen([this] {
      if (!look_posted.exchange(true)) asio::post(io, [this] { look(); });
    });
  }
  thread = std::thread([this] { io.run(); });
}

ServerState::~ServerState() {
  // First nobody calls in any more; then everything is closed in the server's own thread, which ends.
  if (content.session != nullptr) content.session->listen({});
  asio::post(io, [this] {
    error_code ignored;
    acceptor.close(ignored);
    status_timer.cancel(), soon.cancel(), accept_again.cancel();
    for (WebSocketClient* client : clients) client->close();
    for (HttpConnection* connection : http_connections) connection->close();
    asio::post(io, [this] { io.stop(); });
  });
  thread.join();
}

void ServerState::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {  // no descriptors left: later
      accept_again.expires_after(100ms);
      return accept_again.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
    }
    make_room();
    // Beyond the limit a connection is closed at once.
    if (connections < max_connections) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<HttpConnection>(*this, std::move(socket))->read();
    }
    accept();
  });
}

// Whoever has no token cannot keep those out who have it: a page sends its header within milliseconds, and somebody who holds
// many connections open without a word pushes out his own.
void ServerState::make_room() {
  while (strangers.size() >= max_strangers) {
    HttpConnection* const oldest = strangers.front();
    strangers.pop_front();
    oldest->close();
  }
}

void ServerState::look() {
  // Refusals go to the client who asked, everything else to all.
  look_posted = false;
  for (const Refusal& refusal : content.session->take_refusals())
    for (WebSocketClient* client : clients)
      if (client->id() == refusal.client) client->say(refusal_message(refusal));
  if (content.session->latest().answer_number != answered) send_status_soon();
  for (WebSocketClient* client : clients) client->look();
}

// After every order, but not more often than a person can read.
void ServerState::send_status_soon() {
  if (soon_set) return;
  soon_set = true;
  soon.expires_at(std::max(asio::steady_timer::clock_type::now(), soon.expiry() + shortest_status_interval));
  soon.async_wait([this](error_code stopped) {
    if (stopped) return;
    soon_set = false;
    answered = content.session->latest().answer_number;
    for (WebSocketClient* client : clients) client->status_due();
  });
}

void ServerState::status() {
  for (WebSocketClient* client : clients) client->status_due();
  status_timer.expires_after(status_interval);
  status_timer.async_wait([this](error_code stopped) {
    if (!stopped) status();
  });
}

struct Server::Inside : ServerState {
  using ServerState::ServerState;
};

Server::Server(const ServerOptions& options, Content content)
    : inside_(std::make_unique<Inside>(options, std::move(content))) {}
Server::~Server() = default;

std::string Server::address() const {
  const ListenAddress& door = inside_->door;
  const bool everywhere = door.host == "0.0.0.0" || door.host == "::";
  return fmt::format("http://{}/{}/", host_and_port(everywhere ? "127.0.0.1" : door.host, door.port),
                     inside_->options.token);
}

}  // namespace tendril
