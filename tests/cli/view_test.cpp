// heed train --view, and the attention of the probe that it shows.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::view_test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::vector<Json> lines_in(const std::string& path) {
  std::vector<Json> lines;
  std::istringstream in(file_text(path));
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

// Each row of the map sums to 1, and there is one for each query.
void expect_attention(const Json& snapshot) {
  ASSERT_EQ(snapshot["weights"].size(), snapshot["queries"].size());
  ASSERT_GT(snapshot["weights"].size(), 0U);
  for (const Json& row : snapshot["weights"]) {
    ASSERT_EQ(row.size(), snapshot["keys"].size());
    double sum = 0;
    for (const Json& weight : row) sum += weight.get<double>();
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

// The same floats.
void expect_same_weights(const Json& a, const Json& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t t = 0; t < a.size(); ++t) {
    ASSERT_EQ(a[t].size(), b[t].size());
    for (size_t s = 0; s < a[t].size(); ++s) {
      EXPECT_EQ(a[t][s].get<float>(), b[t][s].get<float>()) << t << ", " << s;
    }
  }
}

// What probe.jsonl has for the step of the saved model is what heed attention says of it.
void expect_like_attention(const std::string& folder, const Words& asked) {
  const int64_t best = run_json({"info", folder})["step"];
  for (const Json& snapshot : lines_in(folder + "/probe.jsonl")) {
    expect_attention(snapshot);
    if (snapshot["step"] != best) continue;
    Words arguments{"attention", "-m", folder, "-t", "1"};
    arguments.insert(arguments.end(), asked.begin(), asked.end());
    const Json expected = run_json(arguments);
    for (const char* name : {"layer", "heads", "queries", "keys"}) {
      EXPECT_EQ(snapshot[name], expected[name]) << name;
    }
    expect_same_weights(snapshot["weights"], expected["weights"]);
    return;
  }
  ADD_FAILURE() << "there is no snapshot of step " << best;
}

TEST(Probe, IsTheAttentionOfTheSavedModel) {
  const std::string text = "the old cat sees a tree", backwards = "tree a sees cat old the";
  const std::pair<std::string, Words> cases[] = {{"lm", {}},
                                                 {"translate", {"--average", "0.9"}},
                                                 {"translate", {"--model", "prefix"}},
                                                 {"translate", {"--model", "rnn-attention"}},
                                                 {"classify", {}},
                                                 {"tag", {}}};
  int number = 0;
  for (const auto& [task, more] : cases) {
    SCOPED_TRACE(task + (more.empty() ? "" : " " + more[1]));
    const bool pairs = task == "translate";
    const std::string folder = temporary("probe" + std::to_string(number++));
    Words all{"--steps", "25", "--eval-every", "10", "--probe", text};
    if (pairs) all.push_back(backwards);
    all.insert(all.end(), more.begin(), more.end());
    ASSERT_EQ(run_heed(train_arguments(task, folder, all)).code, 0);
    std::vector<int64_t> steps;
    for (const Json& line : lines_in(folder + "/probe.jsonl")) steps.push_back(line["step"]);
    EXPECT_EQ(steps, (std::vector<int64_t>{0, 10, 20, 25}));
    expect_like_attention(folder, pairs ? Words{"-p", text, "--to", backwards} : Words{"-p", text});
  }
}

TEST(Probe, IsAnExampleOfTheValidationDataByDefault) {
  const std::string source = file_with("probe.source", "dog\nthe old cat sees a tree\n");
  const std::string target = file_with("probe.target", "dog\ntree a sees cat old the\n");
  const std::string folder = temporary("probe-pair");
  ASSERT_EQ(run_heed(train_arguments("translate", folder,
                                     {"--tokenizer", "word", "--valid", source, target}))
                .code,
            0);
  expect_like_attention(folder,
                        {"-p", "the old cat sees a tree", "--to", "tree a sees cat old the"});
}

TEST(Probe, TheModelWritesTheTargetOfASource) {
  const std::string folder = temporary("probe-source");
  ASSERT_EQ(run_heed(train_arguments("translate", folder, {"--probe", "the old cat"})).code, 0);
  for (const Json& line : lines_in(folder + "/probe.jsonl")) {
    expect_attention(line);
    EXPECT_LE(line["queries"].size(), 40U);
  }
}

TEST(Probe, ThereIsNoneWithoutAttention) {
  const std::string folder = temporary("probe-rnn");
  ASSERT_EQ(run_heed(train_arguments("translate", folder, {"--model", "rnn"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder + "/probe.jsonl"));
}

TEST(Probe, Mistakes) {
  const std::string folder = temporary("probe-mistakes");
  const auto message = [&](const Words& more) {
    Words arguments = train_arguments("lm", folder, more);
    arguments.emplace_back("--quiet");
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder));
    return outcome.err;
  };
  EXPECT_NE(message({"--probe", "one", "two"}).find("expected one text, got 2"), std::string::npos);
  EXPECT_NE(message({"--probe", ""}).find("the text is empty"), std::string::npos);
}

// A connection to a port of this machine; closed when it goes.
struct Client {
  explicit Client(int port) : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    is_open = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { ::close(socket); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The head and the body of the answer, as far as it came within some seconds.
  std::string get(const std::string& path) const {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
    std::string text;
    for (char buffer[4096];;) {
      const size_t body = text.find("\r\n\r\n"), at = text.find("Content-Length: ");
      const bool has_head = body != std::string::npos && at < body;
      if (has_head && text.size() >= body + 4 + std::stoul(text.substr(at + 16))) return text;
      const ssize_t got = ::recv(socket, buffer, sizeof(buffer), 0);
      if (got <= 0) return text;
      text.append(buffer, static_cast<size_t>(got));
    }
  }

  Json json(const std::string& path) const {
    const std::string text = get(path);
    const size_t at = text.find("\r\n\r\n");
    return at == std::string::npos ? Json() : Json::parse(text.substr(at + 4), nullptr, false);
  }

  int socket;
  bool is_open = false;
};

TEST(View, ShowsTheRunWhileItTrains) {
  const std::string folder = temporary("viewed");
  Words arguments = train_arguments("translate", folder,
                                    {"--steps", "1000000", "--eval-every", "5", "--patience", "0"});
  arguments.insert(arguments.end(), {"--view", "0"});
  Json runs, run, probe;
  std::string page;
  const Outcome outcome = run_heed_with_port(arguments, [&](int port) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      const Client client(port);
      page = client.get("/");
      runs = client.json("/api/runs");
      run = client.json("/api/runs/viewed");
      probe = client.json("/api/runs/viewed/probe");
      if (probe.contains("snapshots") && probe["snapshots"].size() >= 3) break;
      ::usleep(20000);
    }
    return SIGINT;
  });
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("the run is shown at http://127.0.0.1:"), std::string::npos);
  EXPECT_NE(page.find("<!doctype html>"), std::string::npos) << page.substr(0, 300);
  ASSERT_EQ(runs["runs"].size(), 1U) << runs;
  EXPECT_EQ(runs["runs"][0]["id"], "viewed");
  EXPECT_EQ(runs["runs"][0]["task"], "translate");
  EXPECT_EQ(runs["runs"][0]["live"], true);
  EXPECT_GT(run["lines"].size(), 1U) << run;
  ASSERT_GE(probe["snapshots"].size(), 3U) << probe;
  expect_attention(probe["snapshots"][2]);
}

// The page stays connected between its questions; that must not keep the program.
TEST(View, EndsWithTheTrainingAndChangesNothing) {
  const std::string plain = temporary("not-viewed"), viewed = temporary("viewed-to-its-end");
  ASSERT_EQ(run_heed(train_arguments("lm", plain, {"--steps", "40"})).code, 0);
  std::unique_ptr<Client> client;
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run_heed_with_port(
      train_arguments("lm", viewed, {"--steps", "40", "--view", "0"}), [&](int port) {
        client = std::make_unique<Client>(port);
        client->get("/api/runs");
        return 0;
      });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(took.count(), 20);
  EXPECT_EQ(model_hash(plain), model_hash(viewed));
  EXPECT_EQ(file_text(plain + "/probe.jsonl"), file_text(viewed + "/probe.jsonl"));
}

TEST(View, APortThatIsTakenIsSaidBeforeTheTraining) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket, 1), 0);
  ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port)), folder = temporary("no-port");
  const Outcome outcome = run_heed(train_arguments("lm", folder, {"--view", port}));
  ::close(socket);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot listen on 127.0.0.1 port " + port), std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace heed::view_test
