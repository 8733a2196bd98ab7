#include "apps/cli/commands/model_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/cli/commands/attention_page.h"
#include "apps/cli/console/result.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/attention_selection.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_input.h"
#include "heed/textbook/head_statistics.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMapsInTerminal = 4;

// A model that has read a text, and the maps to show.
struct Looked {
  const AttentionRecorder& recorder;
  const std::vector<SelectedMap>& maps;
  int64_t top;
};

struct WeightedKey {
  int64_t key;
  float weight;
};

// The keys of a row with the largest weights, largest first; of equal ones the first.
std::vector<WeightedKey> top_of_row(const Tensor& weights, int64_t row, int64_t top) {
  const int64_t S = weights.dim(1);
  const float* const w = weights.data<float>() + row * S;
  std::vector<int64_t> order(static_cast<size_t>(S));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return w[a] > w[b]; });
  std::vector<WeightedKey> found;
  for (int64_t i = 0; i < std::min(top, S); ++i) {
    found.push_back({order[i], w[order[i]]});
  }
  return found;
}

Figure map_picture(const SelectedMap& map, const Tensor& weights) {
  Figure figure({.title = map.title(), .x_label = "looks at", .y_label = "token"});
  figure.heat_map(weights, {.row_labels = map.queries, .column_labels = map.keys, .low = 0});
  return figure;
}

// Small multiples, a row of the heads of each layer if all are shown.
std::string svg_of(const Looked& looked) {
  if (looked.maps.size() == 1) {
    const SelectedMap& map = looked.maps.front();
    return map_picture(map, map.weights(looked.recorder)).svg({.width = 640, .height = 480});
  }
  const auto heads =
      std::count_if(looked.maps.begin(), looked.maps.end(),
                    [&](const SelectedMap& map) { return map.layer == looked.maps.front().layer; });
  const int columns = heads > 1 ? static_cast<int>(std::min<ptrdiff_t>(heads, 4)) : 2;
  FigureGrid grid({.columns = columns});
  for (const SelectedMap& map : looked.maps)
    grid.add(map_picture(map, map.weights(looked.recorder)));
  return grid.svg({.width = 480, .height = 400});
}

Json map_json(const SelectedMap& map, const Looked& looked) {
  const Tensor weights = map.weights(looked.recorder);
  Json page{{"layer", map.layer},
            {"head", map.head},
            {"heads", looked.recorder.heads(map.layer)},
            {"queries", map.queries},
            {"keys", map.keys}};
  if (looked.top == 0) {
    page["weights"] = to_json(weights);
    return page;
  }
  Json rows = Json::array();
  for (int64_t t = 0; t < weights.dim(0); ++t) {
    Json row = Json::array();
    for (const WeightedKey& one : top_of_row(weights, t, looked.top)) {
      row.push_back({{"key", one.key}, {"weight", one.weight}});
    }
    rows.push_back(std::move(row));
  }
  page["top"] = std::move(rows);
  return page;
}

// The layers of the maps, each once.
std::vector<const SelectedMap*> one_per_layer(const Looked& looked) {
  std::vector<const SelectedMap*> layers;
  for (const SelectedMap& map : looked.maps) {
    if (layers.empty() || layers.back()->layer != map.layer) layers.push_back(&map);
  }
  return layers;
}

Json attention_summary_json(const Looked& looked) {
  Json summary = Json::array();
  for (const SelectedMap* one : one_per_layer(looked)) {
    for (int64_t head = 0; head < looked.recorder.heads(one->layer); ++head) {
      const HeadStatistics s = head_statistics(looked.recorder.weights(one->layer, {.head = head}));
      Json row{{"layer", one->layer}, {"head", head}, {"entropy", s.entropy}};
      if (!one->is_cross()) {
        row["mean_distance"] = s.mean_distance;
        row["share_on_self"] = s.share_on_self;
      }
      summary.push_back(std::move(row));
    }
  }
  return summary;
}

// One map stands by itself, several are a list.
std::string json_of(const Looked& looked) {
  Json page;
  if (looked.maps.size() == 1) {
    page = map_json(looked.maps.front(), looked);
  } else {
    page["maps"] = Json::array();
    for (const SelectedMap& map : looked.maps) page["maps"].push_back(map_json(map, looked));
  }
  page["layers"] = looked.recorder.names();
  page["summary"] = attention_summary_json(looked);
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// [T, S], or with the maps as first axis.
Tensor array_of(const Looked& looked) {
  std::vector<Tensor> all;
  for (const SelectedMap& map : looked.maps) {
    all.push_back(map.weights(looked.recorder));
    if (all.back().shape() != all.front().shape()) {
      fail(
          "attention: {} is [{}, {}], {} is [{}, {}]: no one array holds both; choose with --layer "
          "or --kind, or write .json",
          looked.maps.front().layer, all.front().dim(0), all.front().dim(1), map.layer,
          all.back().dim(0), all.back().dim(1));
    }
  }
  if (all.size() == 1) return all.front();
  Tensor stacked = Tensor::empty(
      {static_cast<int64_t>(all.size()), all.front().dim(0), all.front().dim(1)}, DType::f32);
  for (size_t i = 0; i < all.size(); ++i) {
    stacked.select(0, static_cast<int64_t>(i)).copy_from(all[i]);
  }
  return stacked;
}

void print_top(const SelectedMap& map, const Looked& looked) {
  const Tensor weights = map.weights(looked.recorder);
  print_result("{}\n", map.title());
  for (int64_t t = 0; t < weights.dim(0); ++t) {
    std::string line = "  " + map.queries[t] + ":";
    for (const WeightedKey& one : top_of_row(weights, t, looked.top)) {
      line += fmt::format("  {} {:.4f}", map.keys[one.key], one.weight);
    }
    print_result("{}\n", line);
  }
  print_result("\n");
}

void print_summary(const Looked& looked) {
  const std::vector<const SelectedMap*> layers = one_per_layer(looked);
  size_t width = 5;
  bool has_self = false;
  for (const SelectedMap* one : layers) {
    width = std::max(width, one->layer.size());
    has_self = has_self || !one->is_cross();
  }
  print_result("{:<{}}  head  entropy{}\n", "layer", width,
               has_self ? "  distance  on itself" : "");
  for (const SelectedMap* one : layers) {
    for (int64_t head = 0; head < looked.recorder.heads(one->layer); ++head) {
      const HeadStatistics s = head_statistics(looked.recorder.weights(one->layer, {.head = head}));
      print_result("{:<{}}  {:>4}  {:>7.3f}", one->layer, width, head, s.entropy);
      if (!one->is_cross()) print_result("  {:>8.2f}  {:>9.3f}", s.mean_distance, s.share_on_self);
      print_result("\n");
    }
  }
}

void print_maps(const Looked& looked) {
  if (looked.top > 0) {
    for (const SelectedMap& map : looked.maps) print_top(map, looked);
  } else if (looked.maps.size() <= kMapsInTerminal) {
    for (const SelectedMap& map : looked.maps) {
      TerminalOptions terminal = stdout_terminal();
      terminal.height = static_cast<int>(map.queries.size());
      fmt::print("{}\n", map_picture(map, map.weights(looked.recorder)).terminal(terminal));
    }
  } else {
    print_result("{} maps: -o map.svg draws them, -o map.html shows them in the browser\n\n",
                 looked.maps.size());
  }
  print_summary(looked);
  std::string line = "layers:";
  for (const std::string& name : looked.recorder.names()) {
    if (line.size() + 1 + name.size() > 80) {
      print_result("{}\n", line);
      line = "       ";
    }
    line += " " + name;
  }
  print_result("{}\n", line);
}

void write_and_tell(const std::string& path, const std::string& contents) {
  write_file(path, contents);
  say("wrote {}\n", path);
}

std::string page_of(const LoadedRun& run, const TaskInput& input,
                    const ModelAttentionArguments& arguments, const Looked& looked) {
  const std::filesystem::path folder = std::filesystem::absolute(arguments.model) / "";
  const bool is_named = !arguments.layer.empty() && arguments.layer != "all";
  return attention_page(run, input,
                        {.model = folder.parent_path().filename().string(),
                         .text = arguments.text,
                         .layer = is_named ? looked.maps.front().layer : ""});
}

}  // namespace

void show_model_attention(const ModelAttentionArguments& arguments) {
  const Pipeline pipeline = load(arguments.model);
  const LoadedRun& run = pipeline.run();
  const TaskInput input = task_input(run, arguments.text, arguments.target);
  if (input.is_cut) tell_cut(pipeline, 1);
  const NoGrad no_grad;
  AttentionRecorder recorder;
  run.model->features(input.batch, {.observer = &recorder});
  const std::vector<SelectedMap> maps = select_maps(
      recorder, input, {.kind = arguments.kind, .layer = arguments.layer, .head = arguments.head});
  const Looked looked{recorder, maps, arguments.top};
  const std::string& file = arguments.output;
  if (file.ends_with(".html")) {
    write_and_tell(file, page_of(run, input, arguments, looked));
  } else if (file.ends_with(".svg")) {
    write_and_tell(file, svg_of(looked));
  } else if (file.ends_with(".json")) {
    write_and_tell(file, json_of(looked) + "\n");
  } else if (!file.empty()) {
    save_and_tell(file, array_of(looked));
  }
  if (!arguments.weights.empty()) save_and_tell(arguments.weights, array_of(looked));
  if (arguments.json) {
    print_result("{}\n", json_of(looked));
  } else if (file.empty() && arguments.weights.empty()) {
    print_maps(looked);
  }
}

}  // namespace heed::cli
