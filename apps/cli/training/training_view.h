// heed train --view: the page beside a training run, for as long as it goes on.
#pragma once

#include <memory>
#include <string>
#include <thread>

namespace heed::server {
class Server;
}

namespace heed::cli {

// Listens on 127.0.0.1 and says so on stderr; an Error if the port cannot be had. It reads the
// files of the run in the folder and nothing of the training itself.
class TrainingView {
 public:
  TrainingView(const std::string& folder, int port);
  ~TrainingView();
  TrainingView(const TrainingView&) = delete;
  TrainingView& operator=(const TrainingView&) = delete;

 private:
  std::unique_ptr<server::Server> server_;
  std::thread thread_;
};

}  // namespace heed::cli
