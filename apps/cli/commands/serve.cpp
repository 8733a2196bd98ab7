// heed serve: models over HTTP, and the page.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "apps/server/server.h"
#include "apps/web/page.h"
#include "heed/base/parallel.h"

namespace heed::cli {
namespace {

struct ServeArguments {
  server::ServerOptions options;
  std::string key_file;
  bool without_key = false;
  int threads = 0;
  int64_t max_body = 2 << 20;
};

// SIGINT and SIGTERM wait until they are asked for, in this thread and those it starts.
sigset_t blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void serve(ServeArguments arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  server::ServerOptions& options = arguments.options;
  options.page = page_html();
  if (!arguments.key_file.empty()) options.keys = server::read_keys(arguments.key_file);
  options.http.body_bytes = static_cast<size_t>(arguments.max_body);
  const sigset_t signals = blocked_signals();
  server::Server server(options);
  const int port = server.bind();
  const std::string host =
      options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";
  say("heed serve: listening on http://{}:{}/\n", host, port);
  std::thread serving([&] { server.serve(); });
  int signal = 0;
  sigwait(&signals, &signal);
  say("heed serve: stopping; again to stop at once\n");
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server.stop();
  serving.join();
}

void check_arguments(const ServeArguments& arguments) {
  const server::ServerOptions& options = arguments.options;
  if (options.models.empty() && options.runs.empty()) {
    wrong_usage("-m DIR is missing: the folder of a model (or --runs DIR to watch training)");
  }
  const bool is_open = arguments.key_file.empty() && !arguments.without_key;
  if (!server::is_loopback(options.host) && is_open) {
    wrong_usage("--host " + options.host +
                " lets others in: give --api-key-file FILE, or --no-api-key if that is meant");
  }
}

}  // namespace

void add_serve_command(CLI::App& app, Run& run) {
  Command command(app, "serve", "Serve models over HTTP, with a page to look into them");
  auto arguments = std::make_shared<ServeArguments>();
  server::ServerOptions& options = arguments->options;
  command.add_option("-m,--model", options.models, "Folder of a model; may be given again")
      .one_at_a_time()
      .type_name("DIR");
  command.add_option("--runs", options.runs, "Show the training runs in this folder")
      .type_name("DIR");
  command.add_option("-p,--port", options.port, "Port; 0: any that is free (default: 8080)")
      .check(whole_number(0, 65535))
      .type_name("N");
  command.add_option("--host", options.host, "Address to listen on (default: 127.0.0.1)")
      .type_name("ADDRESS");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--log", options.log, "A line on stderr per request, without its text");

  constexpr const char* kAccess = "Access";
  command
      .add_option("--api-key-file", arguments->key_file,
                  "A file with keys, one per line, of which clients must send one")
      .type_name("FILE")
      .group(kAccess);
  command
      .add_flag("--no-api-key", arguments->without_key,
                "Listen on an address of the network without keys")
      .group(kAccess);

  constexpr const char* kLimits = "Limits";
  command.add_option("--max-tokens", options.max_tokens, "Written per request (default: 4096)")
      .check(whole_number(1, 1 << 24))
      .type_name("N")
      .group(kLimits);
  command
      .add_option("--max-batch", options.worker.sequences,
                  "Texts written at once, per model (default: 64)")
      .check(whole_number(1, 4096))
      .type_name("N")
      .group(kLimits);
  command
      .add_option("--max-queue", options.worker.queue,
                  "Requests that wait; more are answered with 429 (default: 256)")
      .check(whole_number(0, 1 << 20))
      .type_name("N")
      .group(kLimits);
  command
      .add_option("--max-connections", options.http.connections,
                  "More are answered with 503 (default: 256)")
      .check(whole_number(1, 1 << 14))
      .type_name("N")
      .group(kLimits);
  command.add_option("--max-body", arguments->max_body, "Bytes of a request (default: 2097152)")
      .check(whole_number(1, 1 << 30))
      .type_name("N")
      .group(kLimits);
  command.add_option("--timeout", options.seconds, "Seconds for a request (default: 300)")
      .check(number(0.001, 1e6))
      .type_name("S")
      .group(kLimits);
  command
      .add_option("--grace", options.grace,
                  "Seconds that running requests have when the server stops (default: 10)")
      .check(number(0, 1e6))
      .type_name("S")
      .group(kLimits);
  command.footer(
      "The API is OpenAI's (/v1/completions, /v1/embeddings, ..) and heed's own;\n"
      "docs/serving.md and docs/openapi.json describe it.\n"
      "Example:\n"
      "  heed serve -m run --port 8080\n"
      "  curl http://127.0.0.1:8080/v1/completions -H 'Content-Type: application/json' \\\n"
      "    -d '{\"prompt\": \"Once upon\", \"max_tokens\": 20}'");
  command.callback([&run, arguments] {
    check_arguments(*arguments);
    run = [arguments] { serve(*arguments); };
  });
}

}  // namespace heed::cli
