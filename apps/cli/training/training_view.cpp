#include "apps/cli/training/training_view.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

#include "apps/message.h"
#include "apps/server/server.h"
#include "apps/web/page.h"

namespace heed::cli {
namespace {

constexpr double kGrace = 1;  // seconds for answers on their way when the training ends

// Threads that are started while it exists leave SIGINT and SIGTERM to the others.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

TrainingView::TrainingView(const std::string& folder, int port) {
  const BlockedSignals blocked;
  server::ServerOptions options{.runs = folder, .trains = true, .port = port, .grace = kGrace};
  options.page = page_html();
  server_ = std::make_unique<server::Server>(options);
  const int bound = server_->bind();
  say("the run is shown at http://{}:{}/#train\n", options.host, bound);
  thread_ = std::thread([this] { server_->serve(); });
}

TrainingView::~TrainingView() {
  server_->stop();
  thread_.join();
}

}  // namespace heed::cli
