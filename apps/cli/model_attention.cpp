#include "apps/cli/model_attention.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/attention_page.h"
#include "apps/cli/report.h"
#include "heed/base/error.h"
#include "heed/generate/alignment.h"
#include "heed/io/atomic_file.h"
#include "heed/train/run_folder.h"
#include "heed/train/task_input.h"

namespace heed::cli {
namespace {

// The weights of a layer with the tokens they belong to.
struct Labeled {
  const Tensor& weights;
  const std::vector<std::string>& queries;
  const std::vector<std::string>& keys;
};

Labeled with_tokens(const AttentionView& view, const TaskInput& input) {
  if (view.is_cross) return {view.weights, input.target, input.source};
  const std::vector<std::string>& own = view.is_encoder ? input.source : input.target;
  return {view.weights, own, own};
}

Figure picture(const Labeled& labeled, const std::string& title) {
  Figure figure({.title = title, .x_label = "looks at", .y_label = "token"});
  figure.heat_map(labeled.weights,
                  {.row_labels = labeled.queries, .column_labels = labeled.keys, .low = 0});
  return figure;
}

void write_page(const LoadedRun& run, const TaskInput& input,
                const ModelAttentionArguments& arguments) {
  const std::filesystem::path folder = std::filesystem::absolute(arguments.model) / "";
  write_file(arguments.page, attention_page(run, input,
                                            {.model = folder.parent_path().filename().string(),
                                             .text = arguments.text,
                                             .layer = arguments.layer}));
  fmt::print(stderr, "wrote {}\n", arguments.page);
}

}  // namespace

void show_model_attention(const ModelAttentionArguments& arguments) {
  const LoadedRun run = load_run(arguments.model);
  const TaskInput input = task_input(run, arguments.text, arguments.target);
  if (!arguments.page.empty()) {
    write_page(run, input, arguments);
    if (!arguments.json && arguments.svg.empty() && arguments.output.empty()) return;
  }
  const AttentionView view =
      view_attention(*run.model, input.batch, {.layer = arguments.layer, .head = arguments.head});
  const Labeled labeled = with_tokens(view, input);
  const std::string title =
      fmt::format("{}, {}", view.layer,
                  arguments.head < 0 ? "mean of heads" : fmt::format("head {}", arguments.head));
  if (!arguments.output.empty()) save_and_tell(arguments.output, view.weights);
  if (!arguments.svg.empty()) {
    write_file(arguments.svg, picture(labeled, title).svg({.width = 640, .height = 480}));
    fmt::print(stderr, "wrote {}\n", arguments.svg);
  }
  if (arguments.json) {
    const nlohmann::ordered_json page{{"layer", view.layer},
                                      {"head", arguments.head},
                                      {"layers", view.layers},
                                      {"heads", view.heads},
                                      {"queries", labeled.queries},
                                      {"keys", labeled.keys},
                                      {"weights", to_json(view.weights)}};
    fmt::print("{}\n", page.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  TerminalOptions terminal = stdout_terminal();
  terminal.height = static_cast<int>(labeled.queries.size());
  fmt::print("{}\n", picture(labeled, title).terminal(terminal));
  std::string layers;
  for (const std::string& name : view.layers) layers += (layers.empty() ? "" : ", ") + name;
  fmt::print("layers: {}\nheads: 0 to {}\n", layers, view.heads - 1);
}

}  // namespace heed::cli
