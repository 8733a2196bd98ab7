// Trains a translator on two files of lines that belong together, then translates with it.
//
//   train SOURCE TARGET FOLDER TEXT
//
// Interrupted with Ctrl-C and started again, it goes on where it stopped, to the same bits.
#include <heed/heed.h>

#include <csignal>
#include <iostream>

namespace {

volatile std::sig_atomic_t stopped = 0;

class Progress : public heed::RunEvents {
 public:
  void noted(const std::string& text) override { std::cout << text << "\n"; }
  void stepped(const heed::StepReport& report) override {
    if (report.step % 20 == 0)
      std::cout << "step " << report.step << ", loss " << report.loss << "\n";
  }
  bool stop_requested() override { return stopped != 0; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: train SOURCE TARGET FOLDER TEXT\n";
    return 2;
  }
  const std::string folder = argv[3];
  std::signal(SIGINT, [](int) { stopped = 1; });
  try {
    heed::TrainSettings settings;
    settings.task = heed::Task::translate;
    settings.train = {argv[1], argv[2]};
    settings.preset = heed::Preset::tiny;
    settings.steps = 300;
    Progress progress;
    const heed::RunResult result = heed::train(settings, folder, progress, {.resume = true});
    if (result.end == heed::RunEnd::interrupted) {
      std::cout << "stopped after step " << result.step << "; start it again to go on\n";
      return 130;
    }
    std::cout << heed::load(folder).translate(argv[4]).text << "\n";
  } catch (const heed::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
