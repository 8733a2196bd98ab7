#include "apps/server/server.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "apps/message.h"
#include "apps/server/api_error.h"
#include "apps/server/parse_request.h"
#include "apps/server/route.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"

namespace heed::server {
namespace {

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What {id} stands for if the path fits; of a pattern without {id}, an empty text.
std::optional<std::string> match(std::string_view pattern, std::string_view path) {
  const size_t at = pattern.find("{id}");
  if (at == std::string_view::npos) {
    return pattern == path ? std::optional<std::string>("") : std::nullopt;
  }
  const std::string_view before = pattern.substr(0, at), after = pattern.substr(at + 4);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
      !path.ends_with(after)) {
    return std::nullopt;
  }
  const std::string_view id =
      path.substr(before.size(), path.size() - before.size() - after.size());
  return id.find('/') == std::string_view::npos ? std::optional<std::string>(id) : std::nullopt;
}

// Takes as long for every text of the same length.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

// "localhost" of "localhost:8080", "::1" of "[::1]:8080".
std::string host_name(const std::string& host) {
  if (host.starts_with("[")) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

// "127.example.org" is a name like any other.
bool is_loopback(const std::string& host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_address);
}

std::vector<std::string> read_keys(const std::string& path) {
  std::ifstream in(path);
  check(in.good(), "{}: cannot read the keys", path);
  std::vector<std::string> keys;
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty() && line[0] != '#') keys.push_back(line);
  }
  check(!keys.empty(), "{}: there is no key in it; write one per line", path);
  return keys;
}

Server::Server(const ServerOptions& options)
    : service_(options),
      http_([this](const HttpRequest& request) { return answer(request); }, options.http) {}

Server::~Server() = default;

int Server::bind() {
  const ServerOptions& options = service_.options();
  const int port = http_.bind(options.host, options.port);
  check(port >= 0, "cannot listen on {} port {}; is another program using it? Choose another port",
        options.host, options.port);
  return port;
}

void Server::serve() {
  http_.serve();
  service_.worker().stop();
}

void Server::stop() {
  service_.begin_to_stop();
  const auto end = Clock::now() + std::chrono::duration<double>(service_.options().grace);
  while (Clock::now() < end) {
    const InferenceWorkerCounts counts = service_.worker().counts();
    if (counts.queued + counts.running == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  service_.cancel();
  // Not before: httplib would send no more of answers whose head is on its way.
  http_.stop();
  http_.hurry();
}

// A page of another site may send requests here under its own name, and would read the answers (DNS
// rebinding). Without keys only this machine's names are answered.
void Server::require_host(const HttpRequest& request) const {
  const ServerOptions& options = service_.options();
  if (!options.keys.empty() || !is_loopback(options.host) || request.host.empty()) return;
  if (!is_loopback(host_name(request.host))) {
    throw ApiError(403, "this server answers requests for localhost only", {}, "wrong_host");
  }
}

void Server::require_key(const HttpRequest& request) const {
  const std::vector<std::string>& keys = service_.options().keys;
  if (keys.empty()) return;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string given = request.authorization.starts_with(kBearer)
                                ? request.authorization.substr(kBearer.size())
                                : std::string();
  bool is_known = false;
  for (const std::string& key : keys) is_known = same_secret(key, given) || is_known;
  if (!is_known) {
    throw ApiError(401, "the request needs a key: Authorization: Bearer KEY", {},
                   "invalid_api_key");
  }
}

HttpAnswer Server::route(const HttpRequest& request, std::string& name) {
  require_host(request);
  std::string allowed;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& one : routes()) {
    const std::optional<std::string> id = match(one.path, request.path);
    if (!id) continue;
    if (method != one.method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(one.method);
      continue;
    }
    name = one.path;
    if (!one.is_open) require_key(request);
    nlohmann::json body = nlohmann::json::object();
    if (method == "POST") {
      if (!request.content_type.starts_with("application/json")) {
        throw ApiError(415, "send the request as JSON, with Content-Type: application/json");
      }
      body = parse_request(request.read_body());
    }
    return one.endpoint(service_, {.http = request, .body = body, .id = *id});
  }
  if (allowed.empty()) throw plain_error(404);
  HttpAnswer answer = error_answer({405, "this address takes " + allowed + " only"});
  answer.headers.emplace_back("Allow", allowed);
  return answer;
}

HttpAnswer Server::answer(const HttpRequest& request) {
  const Clock::time_point begin = Clock::now();
  std::string name = "unknown";
  HttpAnswer answer;
  try {
    answer = route(request, name);
  } catch (const ApiError& error) {
    answer = error_answer(error);
  } catch (const Error& error) {  // the library says what is wrong with what it was asked
    answer = error_answer({400, error.what()});
  } catch (const std::bad_alloc&) {
    answer = error_answer({503, "out of memory; ask for less"});
  }
  const auto finish = [this, begin, name, status = answer.status] {
    const double seconds = seconds_since(begin);
    service_.metrics().count_answer(name, status, seconds);
    if (service_.options().log) {
      say("{} {} {:.1f} ms\n", name, status, seconds * 1e3);
    }
  };
  if (!answer.stream) {
    finish();
  } else {
    answer.stream = [finish, stream = std::move(answer.stream)](const Send& send) {
      stream(send);
      finish();
    };
  }
  return answer;
}

}  // namespace heed::server
