#include "apps/server/http_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <utility>

#include "apps/server/api_error.h"
#include "apps/server/connection_threads.h"
#include "apps/server/limited_socket.h"

namespace heed::server {
namespace {

// A connection, as httplib knows it.
class Connection final : public httplib::Stream {
 public:
  Connection(socket_t socket, const HttpLimits& limits, const std::atomic<bool>& hurry)
      : limited(socket, limits, hurry) {}

  bool is_readable() const override { return limited.is_readable(); }
  bool is_writable() const override { return limited.is_writable(); }
  ssize_t read(char* to, size_t size) override { return limited.read(to, size); }
  ssize_t write(const char* from, size_t size) override { return limited.write(from, size); }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return limited.socket(); }

  LimitedSocket limited;
  bool is_answered = false;  // by httplib, that the request is none
  bool close_after = false;  // a body was left unread: what follows is no request
};

thread_local Connection* current = nullptr;

std::string header(const httplib::Request& request, const char* name) {
  return request.get_header_value(name);
}

void write_refusal(Connection& connection, int status) {
  const std::string body = error_body(plain_error(status));
  const std::string text =
      "HTTP/1.1 " + std::to_string(status) +
      " Refused\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n" +
      (status == 503 ? "Retry-After: 1\r\n" : "") +
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  connection.httplib::Stream::write(text);
}

}  // namespace

class HttpServer::Impl final : public httplib::Server {
 public:
  Impl(HttpServer::Handler handler, const HttpLimits& limits)
      : handler_(std::move(handler)), limits_(limits) {
    new_task_queue = [this] { return new Threads(limits_.connections); };
    set_tcp_nodelay(true);
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"X-Frame-Options", "DENY"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cache-Control", "no-store"},
                         {"Content-Security-Policy",
                          "default-src 'none'; script-src 'unsafe-inline'; style-src "
                          "'unsafe-inline'; img-src data: blob:; connect-src 'self'; base-uri "
                          "'none'; form-action 'none'; frame-ancestors 'none'"}});
    // httplib's default would share the port with another server of the same user.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    const auto plain = [this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response, [] { return std::string(); });
      // Some versions of httplib leave the body of such a request unread, to be the next request.
      if (!has_no_body(request)) close_connection(response);
    };
    const auto with_body = [this](const httplib::Request& request, httplib::Response& response,
                                  const httplib::ContentReader& reader) {
      bool is_read = false;
      respond(request, response, [&] {
        is_read = true;
        return body_of(request, reader);
      });
      if (!is_read && has_body(request)) close_connection(response);
    };
    Get(".*", plain).Options(".*", plain).Delete(".*", with_body);
    Post(".*", with_body).Put(".*", with_body).Patch(".*", with_body);
    set_post_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      // httplib promises what it would do by itself.
      if (response.headers.erase("Keep-Alive") == 0 || response.has_header("Connection")) return;
      const auto seconds = static_cast<int64_t>(limits_.idle_seconds);
      response.set_header("Keep-Alive", "timeout=" + std::to_string(seconds));
    });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      // httplib could not read the request.
      if (current->limited.refusal() != 0) response.status = current->limited.refusal();
      current->is_answered = true;
      close_connection(response);
      response.set_content(error_body(plain_error(response.status)),
                           "application/json; charset=utf-8");
    });
  }

  int bind(const std::string& host, int port) {
    const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    constexpr int kWaiting = 512;  // connections that are not accepted yet; httplib takes 5
    if (bound >= 0) ::listen(svr_sock_, kWaiting);
    return bound;
  }

  void serve() {
    is_serving_ = true;
    if (!stopping_) listen_after_bind();
    is_serving_ = false;
  }

  void halt() {
    stopping_ = true;
    while (is_serving_ && !is_running()) std::this_thread::yield();  // it has just begun
    stop();
  }

  void hurry() { hurry_ = true; }

 private:
  // httplib's threads, as it knows them.
  class Threads final : public httplib::TaskQueue {
   public:
    // Nothing in older versions of the library, in newer ones whether the task was taken.
    using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

    explicit Threads(int count) : threads_(count) {}
    Taken enqueue(std::function<void()> task) override {
      if (!threads_.start(task)) {
        is_refused = true;  // this thread answers that there are too many
        task();
        is_refused = false;
      }
      return static_cast<Taken>(true);
    }
    void shutdown() override { threads_.join(); }

    static thread_local bool is_refused;

   private:
    ConnectionThreads threads_;
  };

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, limits_, hurry_);
    if (Threads::is_refused) {
      write_refusal(connection, 503);
      connection.limited.drain(0.01);
    } else {
      current = &connection;
      converse(connection);
      current = nullptr;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  // Newer versions of the library want to be told both addresses. A template, so that only the call
  // that fits is compiled.
  template <typename Server>
  static bool answer_one(Server& server, Connection& connection, bool& is_closed) {
    const auto set_up = [&](httplib::Request& request) {
      connection.limited.expect_body();
      request.headers.erase("Accept-Encoding");  // its compression takes seconds
      request.headers.erase("Range");            // answers are always whole;
      request.ranges.clear();                    // some versions of the library have read it by now
    };
    if constexpr (requires {
                    server.process_request(connection, server.stopping_, is_closed, set_up);
                  }) {
      return server.process_request(connection, server.stopping_, is_closed, set_up);
    } else {
      std::string remote;
      std::string local;
      int remote_port = 0;
      int local_port = 0;
      connection.get_remote_ip_and_port(remote, remote_port);
      connection.get_local_ip_and_port(local, local_port);
      return server.process_request(connection, remote, remote_port, local, local_port,
                                    server.stopping_, is_closed, set_up);
    }
  }

  // One request after the other.
  void converse(Connection& connection) {
    bool is_closed = false;
    while (!is_closed && connection.limited.wait(stopping_)) {
      connection.limited.expect_head();
      const bool is_good = answer_one(*this, connection, is_closed);
      if (!is_good && !connection.is_answered && connection.limited.refusal() != 0) {
        write_refusal(connection, connection.limited.refusal());
      }
      if (!is_good || connection.close_after) connection.limited.drain(1);
      if (!is_good || connection.close_after || stopping_) return;
    }
  }

  static bool has_body(const httplib::Request& request) {
    return request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
  }

  // Neither a length but 0 nor chunks. What is no good length may be one to a proxy in between.
  static bool has_no_body(const httplib::Request& request) {
    const size_t count = request.get_header_value_count("Content-Length");
    const bool is_empty = count == 1 && request.get_header_value("Content-Length") == "0";
    return (count == 0 || is_empty) && !request.has_header("Transfer-Encoding");
  }

  static void close_connection(httplib::Response& response) {
    current->close_after = true;
    response.set_header("Connection", "close");
  }

  // Whoever stands between may believe another one of several lengths, and see another request.
  static bool has_good_length(const httplib::Request& request) {
    const size_t count = request.get_header_value_count("Content-Length");
    const std::string length = request.get_header_value("Content-Length");
    const bool is_number =
        !length.empty() && length.find_first_not_of("0123456789") == std::string::npos;
    return count == 0 || (count == 1 && is_number && !request.has_header("Transfer-Encoding"));
  }

  std::string body_of(const httplib::Request& request, const httplib::ContentReader& reader) const {
    if (!has_body(request)) return {};
    if (!has_good_length(request)) {
      current->close_after = true;
      throw ApiError(400, "expected one Content-Length, a number, and no other length");
    }
    if (request.is_multipart_form_data()) throw ApiError(415, "send the request as JSON");
    std::string body;
    const std::string length = request.get_header_value("Content-Length");
    bool is_large = std::strtoull(length.c_str(), nullptr, 10) > limits_.body_bytes;
    const bool is_read = !is_large && reader([&](const char* data, size_t size) {
      is_large = body.size() + size > limits_.body_bytes;
      if (!is_large) body.append(data, size);
      return !is_large;
    });
    if (is_read) return body;
    current->close_after = true;
    if (is_large) {
      throw ApiError(413, "the request is larger than " + std::to_string(limits_.body_bytes) +
                              " bytes; send less, or start the server with a larger --max-body");
    }
    throw plain_error(current->limited.refusal() == 0 ? 400 : current->limited.refusal());
  }

  void respond(const httplib::Request& from, httplib::Response& to,
               const std::function<std::string()>& read_body) const {
    HttpRequest request{
        .method = from.method,
        .path = from.path,
        .host = header(from, "Host"),
        .authorization = header(from, "Authorization"),
        .content_type = header(from, "Content-Type"),
        .read_body = read_body,
        .disconnected = [connection = current] { return connection->limited.disconnected(); }};
    for (const auto& [name, value] : from.params) request.query[name] = value;
    HttpAnswer answer;
    try {
      answer = handler_(request);
    } catch (const std::exception&) {
      answer = error_answer(plain_error(500));
    }
    to.status = answer.status;
    for (const auto& [name, value] : answer.headers) to.set_header(name, value);
    if (!answer.stream) {
      to.set_content(answer.body, answer.type);
    } else {
      to.set_chunked_content_provider(
          answer.type, [stream = answer.stream](size_t, httplib::DataSink& sink) {
            stream([&](std::string_view text) { return sink.write(text.data(), text.size()); });
            sink.done();
            return true;
          });
    }
    if (current->close_after) close_connection(to);
  }

  HttpServer::Handler handler_;
  HttpLimits limits_;
  std::atomic<bool> stopping_ = false, is_serving_ = false, hurry_ = false;
};

thread_local bool HttpServer::Impl::Threads::is_refused = false;

HttpServer::HttpServer(Handler handler, const HttpLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(handler), limits)) {}
HttpServer::~HttpServer() = default;

int HttpServer::bind(const std::string& host, int port) { return impl_->bind(host, port); }
void HttpServer::serve() { impl_->serve(); }
void HttpServer::stop() { impl_->halt(); }
void HttpServer::hurry() { impl_->hurry(); }

}  // namespace heed::server
