#include "tests/server/client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace heed::server {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string joined_chunks(const std::string& text) {
  std::string body;
  size_t at = 0;
  while (at < text.size()) {
    const size_t size = std::stoul(text.substr(at), nullptr, 16);
    at = text.find("\r\n", at) + 2;
    body += text.substr(at, size);
    at += size + 2;
    if (size == 0) break;
  }
  return body;
}

}  // namespace

Connection::Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

Connection::~Connection() { ::close(socket_); }

void Connection::send(const std::string& text) const {
  size_t at = 0;
  while (at < text.size()) {
    const ssize_t sent = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has closed, and said why
    at += static_cast<size_t>(sent);
  }
}

std::string Connection::read(const std::string& until, double seconds) const {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::string text;
  while (until.empty() || text.find(until) == std::string::npos) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd one{.fd = socket_, .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) <= 0) break;
    char buffer[65536];
    const ssize_t got = ::recv(socket_, buffer, sizeof(buffer), 0);
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

Reply parse_reply(const std::string& text) {
  Reply reply;
  const size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return reply;
  reply.status = std::stoi(text.substr(9, 3));
  for (size_t at = text.find("\r\n") + 2; at < end;) {
    const size_t stop = text.find("\r\n", at), colon = text.find(": ", at);
    reply.headers[lower(text.substr(at, colon - at))] = text.substr(colon + 2, stop - colon - 2);
    at = stop + 2;
  }
  reply.body = text.substr(end + 4);
  if (reply.headers.contains("transfer-encoding")) reply.body = joined_chunks(reply.body);
  return reply;
}

std::string request_text(const std::string& method, const std::string& path,
                         const std::string& body, const Headers& headers) {
  std::string text = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n";
  bool has_host = false;
  for (const auto& [name, value] : headers) {
    text += name + ": " + value + "\r\n";
    has_host = has_host || name == "Host";
  }
  if (!has_host) text += "Host: localhost\r\n";
  if (method == "POST") {
    text +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + body;
}

namespace {

ServerOptions any_port(ServerOptions options) {
  options.port = 0;
  options.worker.threads = 1;
  return options;
}

}  // namespace

TestServer::TestServer(ServerOptions options)
    : server_(any_port(std::move(options))),
      port_(server_.bind()),
      thread_([this] { server_.serve(); }) {}

TestServer::~TestServer() {
  server_.stop();
  thread_.join();
}

Reply TestServer::get(const std::string& path, const Headers& headers) const {
  const Connection connection(port_);
  connection.send(request_text("GET", path, "", headers));
  return parse_reply(connection.read());
}

Reply TestServer::post_text(const std::string& path, const std::string& body,
                            const Headers& headers) const {
  const Connection connection(port_);
  connection.send(request_text("POST", path, body, headers));
  return parse_reply(connection.read());
}

Reply TestServer::post(const std::string& path, const nlohmann::json& body,
                       const Headers& headers) const {
  return post_text(path, body.dump(), headers);
}

std::vector<nlohmann::json> TestServer::events(const std::string& path,
                                               const nlohmann::json& body) const {
  const Reply reply = post(path, body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "text/event-stream");
  std::vector<nlohmann::json> events;
  bool is_done = false;
  for (size_t at = 0; at < reply.body.size();) {
    const size_t end = reply.body.find("\n\n", at);
    const std::string line = reply.body.substr(at, end - at);
    EXPECT_TRUE(line.starts_with("data: ")) << line;
    EXPECT_FALSE(is_done);
    is_done = line == "data: [DONE]";
    if (!is_done) events.push_back(nlohmann::json::parse(line.substr(6)));
    at = end + 2;
  }
  EXPECT_TRUE(is_done) << reply.body;
  return events;
}

std::string small_run(const SmallRun& small) {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("heed_server_" + std::to_string(::getpid()));
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder made;
  const std::string folder = made.path / name_of(small);
  if (!std::filesystem::exists(folder + "/model.safetensors")) write_small_run(folder, small);
  return folder;
}

}  // namespace heed::server
