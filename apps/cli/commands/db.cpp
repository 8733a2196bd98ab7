// heed db: databases of keys and values in a file.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/inputs/db_pairs.h"
#include "apps/cli/inputs/score_options.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/overwriting.h"
#include "apps/cli/reports/db_answer.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/database/database.h"
#include "heed/database/text_key.h"
#include "heed/io/array.h"

namespace heed::cli {
namespace {

// Of the similarity of texts, which is 1 at most: one of 0.5 weighs as much as three million that
// have nothing in common with the query.
constexpr double kTextScale = 30;

struct Adding {
  std::string database;
  PairArguments pairs;
  int64_t cells = -1;
  bool force = false;
};

// About as many cells as there are keys in each, if there are enough to make it worthwhile.
int64_t cell_count(const Adding& adding, int64_t entries) {
  if (adding.cells >= 0) return adding.cells;
  if (entries < 20000) return 0;
  return static_cast<int64_t>(2 * std::sqrt(static_cast<double>(entries)));
}

void tell(const Adding& adding, const Pairs& pairs) {
  const int64_t cells = cell_count(adding, pairs.keys.dim(0));
  const Database database = Database::open(adding.database);
  say("{}: {} entries{}, {} in all\n", adding.database, pairs.keys.dim(0),
      cells > 0 ? fmt::format(" in {} cells", cells) : "", database.size());
}

// The file to make: what is there may be a database, which --force replaces, and nothing else. A
// link stays one.
std::string target_of(const Adding& adding) {
  const std::string& path = adding.database;
  if (!std::filesystem::exists(path)) return path;
  check(Database::is_database(path),
        "{} is not a database of heed, so --force does not replace it; give another name", path);
  check(adding.force, "{} exists; heed db add adds to it, --force replaces it", path);
  return std::filesystem::canonical(path).string();
}

void create(const Adding& adding) {
  const std::string target = target_of(adding);
  const Pairs pairs = load_pairs(adding.pairs);  // before anything is replaced
  // Under another name until it is whole, so that an error leaves the old one.
  const std::string half = target + ".new";
  try {
    Database::create(half, {.key_width = pairs.keys.dim(1),
                            .value_width = pairs.values.dim(1),
                            .has_names = !pairs.names.empty()});
    Database::append(half, pairs.keys, pairs.values, pairs.names,
                     {.cells = cell_count(adding, pairs.keys.dim(0))});
    std::filesystem::rename(half, target);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(half, ignored);
    const std::string text = error.what();
    fail("{}{}", text.starts_with(half) ? adding.database : "",
         text.starts_with(half) ? text.substr(half.size()) : text);
  }
  tell(adding, pairs);
}

void add(const Adding& adding) {
  Database::open(adding.database);  // says what is wrong before the pairs are read
  const Pairs pairs = load_pairs(adding.pairs);
  Database::append(adding.database, pairs.keys, pairs.values, pairs.names,
                   {.cells = cell_count(adding, pairs.keys.dim(0))});
  tell(adding, pairs);
}

struct Asking {
  std::string database;
  std::string q;
  std::string text;
  std::string name;
  ScoreArguments score{.score = "scaled-dot"};
  std::string normalizer;
  int64_t top = 10;
  std::string max_error;
  std::string output;
  std::string weights;
  bool json = false;
  int threads = 0;
};

Normalizer query_normalizer(const Asking& asking) {
  if (asking.normalizer.empty()) {
    return is_kernel(asking.score.score) ? Normalizer::sum : Normalizer::softmax;
  }
  if (asking.normalizer == "sum") return Normalizer::sum;
  if (asking.normalizer == "none") return Normalizer::none;
  return asking.normalizer == "one-hot" ? Normalizer::one_hot : Normalizer::softmax;
}

// "0.5", or "1%" of the range of the values.
double max_error(const Asking& asking, const Database& database) {
  if (asking.max_error.empty()) return 0;
  const bool is_percent = asking.max_error.back() == '%';
  const std::string number =
      is_percent ? asking.max_error.substr(0, asking.max_error.size() - 1) : asking.max_error;
  const std::vector<double> value = number_list("--max-error", number);
  if (value.size() != 1 || !(value[0] >= 0)) {
    wrong_usage("--max-error takes a number that is not negative, or a percentage as in 1%");
  }
  return is_percent ? value[0] / 100 * database.value_range() : value[0];
}

// Three significant digits that are not below the number: a bound stays one.
std::string rounded_up(double number) {
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 2);
  double up = std::ceil(number / unit) * unit;
  std::string text = fmt::format("{:.3g}", up);
  while (std::stod(text) < number) {
    up += unit;
    text = fmt::format("{:.3g}", up);
  }
  return text;
}

void print_value(const Tensor& value) {
  constexpr int64_t kMax = 8;
  print_result("{}{}\n", numbers_text(value, kMax),
               value.size() > kMax ? fmt::format(" ({} numbers)", value.size()) : "");
}

void print_answer(const Asking& asking, const Database& database, const DatabaseAnswer& answer) {
  constexpr int64_t kShown = 20;
  const int width = stdout_terminal().width;
  const int64_t N = answer.value.dim(0);
  for (int64_t row = 0; row < std::min(N, kShown); ++row) {
    if (N > 1) print_result("query {}: ", row + 1);
    print_value(answer.value.slice(0, row, row + 1).contiguous());
    if (answer.top_entries.defined()) {
      print_result("{}", named_entries(database, answer, row, width));
    }
    if (!asking.max_error.empty()) {
      const double error = std::as_const(answer.error).data<double>()[row];
      print_result("  {} (certified, up to the rounding of float32)\n",
                   error == 0 ? "exact" : "at most " + rounded_up(error) + " from exact");
    }
  }
  if (N > kShown) print_result("{} of {} queries are shown; -o writes them all\n", kShown, N);
  if (!asking.max_error.empty()) {
    const auto all = static_cast<double>(N * database.size());
    const auto read = static_cast<double>(answer.keys_read);
    print_result("{}\n", read == all
                             ? std::string("every key was read")
                             : fmt::format("{:.2f} % of the keys were read; which weigh most is "
                                           "known without --max-error",
                                           100 * read / all));
  }
}

void require_text_keys(const Database& database) {
  check(has_text_keys(database),
        "--text: the keys of this database are vectors of width {}, not texts; --q asks for one",
        database.shape().key_width);
}

// A mean of nothing is not an answer.
void require_reach(const DatabaseAnswer& answer) {
  check(answer.unreached.empty(), "no key is in reach of query {}; use a larger --width",
        answer.unreached.empty() ? 0 : answer.unreached.front() + 1);
}

void query(const Asking& asking) {
  if (asking.threads > 0) set_threads(asking.threads);
  refuse_overwriting("-o", asking.output, {asking.q, asking.database});
  refuse_overwriting("--weights", asking.weights, {asking.q, asking.database});
  const Database database = Database::open(asking.database);
  if (!asking.name.empty()) {
    const Tensor value = database.at(asking.name);
    if (asking.json) {
      print_result("{}\n", nlohmann::ordered_json{{"value", to_json(value)}}.dump());
    } else {
      print_value(value);
    }
    return;
  }
  ScoreArguments score = asking.score;
  Tensor q;
  if (!asking.text.empty()) {
    require_text_keys(database);
    q = text_key(asking.text, database.shape().key_width).reshape({1, database.shape().key_width});
    if (score.score == "scaled-dot" && !score.scale) score.scale = kTextScale;
  } else {
    q = load_array(asking.q).to(DType::f32);
    if (q.rank() == 1) q = q.reshape({1, q.dim(0)});
  }
  DatabaseQuery options;
  options.score = make_score(score, DType::f32);
  options.normalizer = query_normalizer(asking);
  options.max_error = max_error(asking, database);
  options.top = options.max_error > 0 ? 0 : std::min(asking.top, database.size());
  const DatabaseAnswer answer = database.query(q, options);
  require_reach(answer);
  if (!asking.output.empty()) save_and_tell(asking.output, answer.value);
  if (!asking.weights.empty()) save_and_tell(asking.weights, database.weights(q, options));
  if (asking.json) {
    nlohmann::ordered_json page;
    page["value"] = to_json(answer.value);
    if (answer.top_entries.defined()) add_named_entries(database, answer, page);
    page["error"] = to_json(answer.error);
    page["keys_read"] = answer.keys_read;
    print_result("{}\n", page.dump());
  } else if (asking.output.empty()) {
    print_answer(asking, database, answer);
  }
}

void info(const std::string& path, bool json) {
  const Database database = Database::open(path);
  nlohmann::ordered_json page;
  page["entries"] = database.size();
  page["key_width"] = database.shape().key_width;
  page["value_width"] = database.shape().value_width;
  page["names"] = database.shape().has_names;
  page["parts"] = database.parts();
  page["cells"] = database.cells();
  page["bytes"] = std::filesystem::file_size(path);
  if (json) {
    print_result("{}\n", page.dump());
    return;
  }
  for (const auto& [key, value] : page.items()) print_result("{:<12} {}\n", key, value.dump());
}

void add_pair_options(Command& command, Adding& adding) {
  command.add_option("database", adding.database, "The database").type_name("FILE");
  command.add_option("pairs", adding.pairs.file, "Pairs: a .csv or .jsonl file").type_name("PAIRS");
  command.add_option("--key", adding.pairs.key_columns, "Columns of a CSV file that are the key")
      .type_name("NAMES");
  command.add_option("--value", adding.pairs.value_columns, "Columns that are the value")
      .type_name("NAMES");
  command
      .add_option("--name", adding.pairs.name_column,
                  "Column with the name of an entry; without --key it is the key as well")
      .type_name("NAME");
  command.add_option("--keys", adding.pairs.keys, "Keys as an array [m, D]").type_name("ARRAY");
  command.add_option("--values", adding.pairs.values, "Values as an array [m, Dv]")
      .type_name("ARRAY");
  command
      .add_option("--encoding", adding.pairs.encoding,
                  "Of the file of pairs: utf-8 (default) or latin1")
      .check(one_of({"utf-8", "latin1"}))
      .type_name("NAME");
  command
      .add_option("--cells", adding.cells,
                  "Cells for --max-error (default: 2 sqrt(m) from 20000 entries on, else none)")
      .type_name("N")
      .check(whole_number(0, 1 << 20));
}

}  // namespace

void add_db_command(CLI::App& app, Run& run) {
  Command command(app, "db", "Databases of keys and values in a file");
  const char* const kGroup = "Commands";

  Command make = command.add_command("create", "Make a database from pairs", kGroup);
  auto creating = std::make_shared<Adding>();
  add_pair_options(make, *creating);
  make.add_flag("--force", creating->force, "Replace a database that exists");
  make.footer(
      "A line of a .jsonl file is {\"key\": [1, 2], \"value\": 3} or, with texts as\n"
      "keys, {\"key\": \"apple\", \"value\": 8}.\n"
      "Example:\n  heed db create small.heed --keys '1,0;0,1' --values '5;7' --force");
  make.callback([&run, make, creating] {
    require_option(make, "database");
    run = [creating] { create(*creating); };
  });

  Command more = command.add_command("add", "Add pairs to a database", kGroup);
  auto adding = std::make_shared<Adding>();
  add_pair_options(more, *adding);
  more.footer(
      "Whoever is killed while adding leaves the database as it was.\n"
      "Example:\n  heed db add small.heed --keys '1,1' --values 9");
  more.callback([&run, more, adding] {
    require_option(more, "database");
    run = [adding] { add(*adding); };
  });

  Command ask = command.add_command("query", "Ask a database", kGroup);
  auto asking = std::make_shared<Asking>();
  ask.add_option("database", asking->database, "The database").type_name("FILE");
  ask.add_option("--q", asking->q, "Queries, one per row: .npy, .csv or typed").type_name("ARRAY");
  ask.add_option("--text", asking->text, "A text as query, for keys that are texts")
      .type_name("TEXT")
      .may_be_empty();
  ask.add_option("--name", asking->name, "Exact lookup of an entry by its name").type_name("NAME");
  add_score_options(ask, asking->score);
  ask.add_option("--normalizer", asking->normalizer,
                 "softmax, sum, none or one-hot (default: softmax; sum for the kernels)")
      .check(one_of({"softmax", "sum", "none", "one-hot"}))
      .type_name("NAME")
      .group("Score");
  ask.add_option("--top", asking->top,
                 "Show so many entries, those with the largest weights (default 10; none with "
                 "--max-error)")
      .type_name("N")
      .check(whole_number(0, 10000))
      .group("Results");
  ask.add_option("--max-error", asking->max_error,
                 "Leave out what changes the output by less: a number, or as in 1% of the range of "
                 "the values")
      .type_name("E")
      .group("Results");
  ask.add_option("-o,--output", asking->output, "Write the values here")
      .type_name("FILE")
      .group("Results");
  ask.add_option("--weights", asking->weights, "Write all weights, [N, m]")
      .type_name("FILE")
      .group("Results");
  ask.add_flag("--json", asking->json, "Print the answer as JSON").group("Results");
  ask.add_option("-t,--threads", asking->threads, "Threads (default: all cores)")
      .type_name("N")
      .check(whole_number(1, 1024))
      .group("Results");
  ask.footer(
      "Queries and entries are counted from 1, entries in the order in which they are\n"
      "stored: that of the pairs, unless there are cells.\n"
      "Example:\n  heed db query small.heed --q 1,0.5 --score gaussian --top 3");
  ask.callback([&run, ask, asking] {
    require_option(ask, "database");
    const int given = (asking->q.empty() ? 0 : 1) + (asking->text.empty() ? 0 : 1) +
                      (asking->name.empty() ? 0 : 1);
    if (given != 1) wrong_usage("give one of --q, --text and --name");
    check_score_options(asking->score);
    run = [asking] { query(*asking); };
  });

  Command look = command.add_command("info", "What is in a database", kGroup);
  struct InfoArguments {
    std::string database;
    bool json = false;
  };
  auto arguments = std::make_shared<InfoArguments>();
  look.add_option("database", arguments->database, "The database").type_name("FILE");
  look.add_flag("--json", arguments->json, "Print it as JSON");
  look.footer("Example:\n  heed db info small.heed");
  look.callback([&run, look, arguments] {
    require_option(look, "database");
    run = [arguments] { info(arguments->database, arguments->json); };
  });

  command.footer(
      "heed db COMMAND --help says more.\n"
      "Example:\n  heed db create small.heed --keys '1,0;0,1' --values '5;7' --force");
  command.callback([&run] {
    if (!run) wrong_usage("db needs a command: create, add, query or info");
  });
}

}  // namespace heed::cli
