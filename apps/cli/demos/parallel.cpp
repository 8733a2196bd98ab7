// One after the other, or all at once: recurrence, convolution and attention against threads.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/textbook/layer_costs.h"

namespace heed::cli {
namespace {

constexpr int64_t kMaxThreads = 1024, kLongest = 8192;
constexpr const char* kLayers[] = {"recurrence", "convolution", "self-attention"};
constexpr size_t kCount = std::size(kLayers);

struct ParallelArguments {
  std::string lengths = "64,256,1024,2048";
  int64_t width = 256;
  int64_t threads = 0;
};

void add_parallel_options(Command& command, ParallelArguments& arguments) {
  command.add_option("--lengths", arguments.lengths, "Rows (default 64,256,1024,2048)")
      .type_name("L,L..");
  command.add_option("--d", arguments.width, "Width of the rows (default 256)")
      .check(whole_number(1, 4096))
      .type_name("N");
  command.add_option("--threads", arguments.threads, "Compared with one (default: one per core)")
      .check(whole_number(1, kMaxThreads))
      .type_name("N");
}

// Restores the number of threads.
class Threads {
 public:
  explicit Threads(int64_t count) : before_(threads()) { set_threads(static_cast<int>(count)); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Milliseconds of each layer of kLayers.
std::vector<double> times(int64_t length, int64_t width, int64_t threads) {
  const Threads scope(threads);
  const LayerSizes sizes{
      .length = length, .width = width, .key_width = width, .value_width = width, .kernel = 5};
  // The dense layer, which grows with the square of the length, is not needed here.
  const auto largest = static_cast<double>(std::max(5 * width * width, length * width));
  const std::vector<LayerCost> costs = layer_costs(sizes, {.measure = true, .largest = largest});
  std::vector<double> result;
  for (const char* layer : kLayers) {
    const auto found = std::find_if(costs.begin(), costs.end(),
                                    [&](const LayerCost& cost) { return cost.name == layer; });
    result.push_back(found == costs.end() ? NAN : found->seconds * 1e3);
  }
  return result;
}

void show_parallel_demo(const ParallelArguments& arguments, Lesson& lesson) {
  const std::vector<int64_t> lengths = whole_list("--lengths", arguments.lengths);
  for (const int64_t length : lengths) {
    if (length < 1 || length > kLongest) {
      fail("--lengths: from 1 to {}, got {}", kLongest, length);
    }
  }
  const int64_t many = arguments.threads > 0 ? arguments.threads : threads();
  lesson.formula(
      "recurrence     h_t = f(x_t W + h_{t-1} U)       L steps, each after the last\n"
      "convolution    y_t = sum_k x_{t+k} W_k          all t at once\n"
      "attention      Y = softmax(Q K^T / sqrt(D)) V   all t at once");
  std::vector<double> one, more, speedups, x;
  std::vector<std::vector<double>> per_row(kCount);
  std::vector<std::string> rows;
  for (const int64_t length : lengths) {
    const std::vector<double> alone = times(length, arguments.width, 1);
    const std::vector<double> together = many > 1 ? times(length, arguments.width, many) : alone;
    one.insert(one.end(), alone.begin(), alone.end());
    more.insert(more.end(), together.begin(), together.end());
    for (size_t i = 0; i < kCount; ++i) {
      speedups.push_back(alone[i] / together[i]);
      per_row[i].push_back(1e3 * together[i] / static_cast<double>(length));
    }
    rows.push_back(fmt::format("L = {}", length));
    x.push_back(static_cast<double>(length));
  }
  const auto n = static_cast<int64_t>(lengths.size()), layers = static_cast<int64_t>(kCount);
  const Labels labels{rows, {std::begin(kLayers), std::end(kLayers)}};
  lesson.number("threads", "threads", static_cast<double>(many));
  lesson.table("one_thread_ms", "Milliseconds of a forward pass, one thread",
               Tensor::from(one, {n, layers}), labels, 4);
  if (many > 1) {
    lesson.table("threads_ms", fmt::format("Milliseconds, {} threads", many),
                 Tensor::from(more, {n, layers}), labels, 4);
    lesson.table("speedup", fmt::format("How many times faster with {} threads", many),
                 Tensor::from(speedups, {n, layers}), labels, 3);
    lesson.say(
        "The numbers are of this machine and this moment. The more threads there are, the further "
        "a "
        "recurrence falls behind: its steps wait for each other, whatever the machine.");
  } else {
    lesson.say(
        "The numbers are of this machine and this moment. With one thread there is nothing to "
        "compare: --threads 2 or more shows which layers gain from others.");
  }
  Figure figure({.title = many > 1 ? fmt::format("Time per row, {} threads", many)
                                   : std::string("Time per row, one thread"),
                 .x_label = "length L",
                 .y_label = "microseconds",
                 .log_x = true,
                 .log_y = true});
  for (size_t i = 0; i < kCount; ++i) {
    figure.line(numbers(x), numbers(per_row[i]), {.label = kLayers[i]});
  }
  lesson.figure("", figure);
}

}  // namespace

Demo parallel_demo() {
  return {"parallel",
          "Complexity",
          "Three kinds of layers against threads and length",
          "R63",
          "--lengths 128,512 --d 64",
          with_options<ParallelArguments>(add_parallel_options, show_parallel_demo)};
}

}  // namespace heed::cli
