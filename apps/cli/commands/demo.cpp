// heed demo: the examples, exercises and figures of the textbook, as calculators.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "heed/figure/label.h"

namespace heed::cli {
namespace {

void print_list(const std::vector<Demo>& demos, bool json) {
  if (json) {
    auto page = nlohmann::ordered_json::array();
    for (const Demo& demo : demos) {
      page.push_back({{"name", demo.name},
                      {"group", demo.group},
                      {"about", demo.about},
                      {"requirements", demo.requirements},
                      {"trains", demo.trains}});
    }
    fmt::print("{}\n", page.dump());
    return;
  }
  std::string group;
  for (const Demo& demo : demos) {
    if (demo.group != group) fmt::print("{}{}\n", group.empty() ? "" : "\n", demo.group);
    group = demo.group;
    fmt::print("  {:<19} {} ({})\n", demo.name, demo.about, demo.requirements);
  }
  fmt::print(
      "\nheed demo NAME runs one; with --help it shows its inputs, with -o DIR it writes\n"
      "its pictures as SVG. R1 to R112 are the rows of docs/textbook/requirements.md.\n"
      "Not demos: heed embed (R98), heed attention (R108), the view Walk of heed serve\n"
      "(R107); references, examples, bibliography and errata in docs/textbook\n"
      "(R109-R112).\n");
}

void add_one(Command& parent, const Demo& demo, Run& run) {
  Command command = parent.add_command(demo.name, demo.about, demo.group);
  auto output = std::make_shared<LessonOutput>();
  const std::function<void(Lesson&)> show = demo.prepare(command);
  command.add_flag("--json", output->json, "Print the numbers as JSON").group("Results");
  command.add_option("-o,--output", output->folder, "Write the pictures into this folder")
      .type_name("DIR")
      .group("Results");
  command.footer(fmt::format("Example:\n  heed demo {}{}{}", demo.name,
                             demo.example.empty() ? "" : " ", demo.example));
  command.callback([&run, output, show, demo] {
    run = [output, show, demo] {
      Lesson lesson(*output, demo.name, demo.about, demo.requirements);
      show(lesson);
      lesson.finish();
    };
  });
}

}  // namespace

void add_demo_command(CLI::App& app, Run& run) {
  Command command(app, "demo", "The textbook's examples, with your numbers in them");
  struct Listing {
    bool list = false;
    bool json = false;
  };
  auto arguments = std::make_shared<Listing>();
  command.add_flag("-l,--list", arguments->list, "List the demos by chapter (the default)");
  command.add_flag("--json", arguments->json, "The list as JSON");
  const auto demos = std::make_shared<std::vector<Demo>>(all_demos());
  for (const Demo& demo : *demos) add_one(command, demo, run);
  command.footer(
      "heed demo NAME --help says more about a demo. The models that some of them train\n"
      "are kept in ~/.cache/heed, or in $XDG_CACHE_HOME/heed if that is set, 1 to 5 MB\n"
      "each; to remove them all: rm -r ~/.cache/heed\n"
      "Example:\n  heed demo fuzzy-dictionary --similarity 0,20,30");
  command.callback([&run, arguments, demos] {
    if (run) return;  // a demo was chosen
    run = [arguments, demos] { print_list(*demos, arguments->json); };
  });
}

}  // namespace heed::cli
