// heed tour: the first minutes. Trains two small translators on data it makes itself, and shows
// where they look.

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>

#include "apps/cli/console/program_name.h"
#include "apps/cli/console/progress.h"
#include "apps/cli/inputs/first_tokens.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/reports/report.h"
#include "apps/cli/training/training.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/corpora/date_corpus.h"
#include "heed/corpora/phrase_corpus.h"
#include "heed/figure/figure.h"
#include "heed/generate/alignment.h"
#include "heed/generate/generator.h"
#include "heed/io/atomic_file.h"
#include "heed/metrics/exact_match.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_input.h"
#include "heed/run/task_names.h"
#include "heed/train/folder_lock.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/run_training.h"

namespace heed::cli {
namespace {

constexpr int64_t kTested = 1000;
constexpr int64_t kShown = 4;

struct TourArguments {
  std::string output = "heed-tour";
  ModelKind model = ModelKind::transformer;
  std::string only;   // one lesson
  int64_t steps = 0;  // of each lesson; 0: as many as it takes to learn it
  int64_t seed = 1;
  int threads = 0;
  bool again = false;  // train what is trained already
  bool quiet = false;
};

// One of the two lessons.
struct TourLesson {
  std::string name;  // and folder
  std::string title, story;
  int64_t pairs;  // to train on
  TrainSettings settings;
  TextPair (*pair)(CorpusPart part, uint64_t seed, int64_t index);
};

TextPair phrase_texts(CorpusPart part, uint64_t seed, int64_t index) {
  AlignedPair pair = phrase_pair(part, seed, index);
  return {std::move(pair.source), std::move(pair.target)};
}

TrainSettings lesson_settings(const TourArguments& arguments) {
  TrainSettings s;
  s.task = Task::translate;
  s.model = arguments.model;
  s.seed = arguments.seed;
  s.metric = "exact_match";
  s.patience = 0;
  s.dropout = 0.1;
  s.label_smoothing = 0;
  s.schedule = ScheduleKind::cosine;
  s.log_every = 10;
  return s;
}

TourLesson dates(const TourArguments& arguments) {
  TrainSettings s = lesson_settings(arguments);
  s.tokenizer = "char";
  s.dim = 96;
  s.ffn = 384;
  s.heads = 4;
  s.layers = 2;
  s.batch = 64;
  s.steps = 1300;
  s.warmup = 100;
  s.lr = 2e-3;
  if (arguments.model == ModelKind::transformer) s.positions = PositionKind::rotary;
  s.dropout = 0;
  s.eval_every = 500;
  return {"dates",
          "Dates, from the way people write them to ISO 8601",
          "An encoder reads the date letter by letter; a decoder writes the answer, and at\n"
          "every letter looks back at the source through cross-attention.",
          60000,
          s,
          date_pair};
}

TourLesson phrases(const TourArguments& arguments) {
  TrainSettings s = lesson_settings(arguments);
  s.tokenizer = "word";
  s.dim = 96;
  s.ffn = 384;
  s.heads = 4;
  s.enc_layers = 2;
  s.dec_layers = 1;
  s.batch = 64;
  s.steps = 2000;
  s.warmup = 100;
  s.lr = 3e-3;
  s.eval_every = 500;
  return {"phrases",
          "English noun phrases to French, where most adjectives move behind the noun",
          "Word by word, the weights of the last cross-attention show which English word\n"
          "each French word comes from.",
          60000,
          s,
          phrase_texts};
}

// Where a lesson is kept: its model and picture.
std::string folder_of(const TourArguments& arguments, const TourLesson& lesson) {
  return arguments.output + "/" + lesson.name;
}

std::string picture_in(const std::string& folder) { return folder + "/attention.svg"; }

// Source and target of "train" or "valid", in the data folder of `output`.
std::vector<std::string> data_files(const std::string& output, const TourLesson& lesson,
                                    const std::string& kind) {
  const std::string path = output + "/data/" + lesson.name + "." + kind;
  return {path + ".source", path + ".target"};
}

// Writes source and target files of the lesson's pairs.
std::vector<std::string> write_pairs(const TourArguments& arguments, const std::string& output,
                                     const TourLesson& lesson, CorpusPart part, int64_t count,
                                     const std::string& kind) {
  std::string sources, targets;
  for (int64_t i = 0; i < count; ++i) {
    const TextPair pair = lesson.pair(part, static_cast<uint64_t>(arguments.seed), i);
    sources += pair.source + "\n";
    targets += pair.target + "\n";
  }
  std::vector<std::string> files = data_files(output, lesson, kind);
  write_file(files[0], sources);
  write_file(files[1], targets);
  return files;
}

// "source  ->  answer", cut where a narrow terminal ends.
std::string pair_line(const std::string& source, const std::string& answer) {
  constexpr size_t kColumns = 80;
  std::string line = fmt::format("  {}  ->  {}", source, answer);
  size_t columns = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xc0) != 0x80;  // a character
    if (begins && columns++ == kColumns - 3) return line.substr(0, i) + "...";
  }
  return line;
}

struct Trained {
  LoadedRun run;
  std::vector<TextPair> tested;
  std::vector<std::string> answers;
};

Trained answer_unseen(const TourArguments& arguments, const TourLesson& lesson,
                      const std::string& folder) {
  Trained trained{.run = load_run(folder), .tested = {}, .answers = {}};
  const Tokenizer& tokenizer = *trained.run.tokenizer;
  const PairTokens tokens = pair_tokens(tokenizer);
  std::vector<GenerationRequest> requests;
  for (int64_t i = 0; i < kTested; ++i) {
    trained.tested.push_back(
        lesson.pair(CorpusPart::test, static_cast<uint64_t>(arguments.seed), i));
    requests.push_back(request_for(tokenizer.encode(trained.tested.back().source), tokens,
                                   PairLayout::encoder_decoder));
  }
  for (const Generation& generation :
       Generator(*trained.run.model).generate(requests, {.max_tokens = 60, .end = tokens.eos})) {
    trained.answers.push_back(answer_text(tokenizer, generation.ids));
  }
  return trained;
}

// The last cross-attention, its heads averaged: rows are the tokens of the answer and its end.
struct TourAlignment {
  Tensor weights;  // [T, S]
  TaskInput input;
};

TourAlignment align_words(const LoadedRun& run, const std::string& source,
                          const std::string& target) {
  TourAlignment result{.weights = {}, .input = task_input(run, source, target)};
  result.weights = view_attention(*run.model, result.input.batch).weights;
  return result;
}

// How many words of the answers the largest weight leads to the source word the grammar took.
Proportion true_alignments(const TourArguments& arguments, const LoadedRun& run) {
  Proportion share;
  for (int64_t i = 0; i < kTested; ++i) {
    const AlignedPair pair =
        phrase_pair(CorpusPart::test, static_cast<uint64_t>(arguments.seed), i);
    const TourAlignment found = align_words(run, pair.source, pair.target);
    const int64_t width = found.weights.dim(1);
    const std::vector<int64_t> first = first_tokens(*run.tokenizer, pair.target);
    for (size_t t = 0; t < pair.alignment.size(); ++t) {
      const float* row = found.weights.data<float>() + first[t] * width;
      const int64_t best = std::max_element(row, row + width) - row;
      ++share.total;
      share.correct += best == pair.alignment[t] ? 1 : 0;
    }
  }
  return share;
}

Figure attention_figure(const TourAlignment& alignment, const std::string& title) {
  Figure figure({.title = title, .x_label = "source", .y_label = "answer"});
  figure.heat_map(
      alignment.weights,
      {.row_labels = alignment.input.target, .column_labels = alignment.input.source, .low = 0});
  return figure;
}

// How often the alignment of an item goes backward; 0 where there is none.
int64_t turns(const TourArguments& arguments, const TourLesson& lesson, size_t item) {
  if (lesson.name != "phrases") return 0;
  const AlignedPair pair = phrase_pair(CorpusPart::test, static_cast<uint64_t>(arguments.seed),
                                       static_cast<int64_t>(item));
  int64_t count = 0;
  for (size_t t = 1; t < pair.alignment.size(); ++t) {
    count += pair.alignment[t] < pair.alignment[t - 1] ? 1 : 0;
  }
  return count;
}

// The item that shows most: of the first ones that are answered right and fit, the one with most
// words out of order, then the longest.
size_t telling_example(const TourArguments& arguments, const TourLesson& lesson,
                       const Trained& trained) {
  size_t best = 0;
  std::pair<int64_t, size_t> max_shows{-1, 0};
  for (size_t i = 0; i < 100; ++i) {
    const size_t length = trained.tested[i].source.size();
    if (trained.answers[i] != trained.tested[i].target || length > 32) continue;
    const std::pair<int64_t, size_t> shows{turns(arguments, lesson, i), length};
    if (shows <= max_shows) continue;
    max_shows = shows;
    best = i;
  }
  return best;
}

// Answers to what it has never seen, and where it looks at one of them.
void show_lesson(const TourArguments& arguments, const TourLesson& lesson,
                 const std::string& folder) {
  const Trained trained = answer_unseen(arguments, lesson, folder);
  std::vector<std::string> expected;
  for (const TextPair& pair : trained.tested) expected.push_back(pair.target);
  const Proportion right = exact_match(trained.answers, expected);
  fmt::print("\nOn {} {} it has never seen: {:.1f} % exactly right.\n", right.total, lesson.name,
             100 * right.value());
  for (int64_t i = 0; i < kShown; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool is_right = trained.answers[at] == trained.tested[at].target;
    fmt::print("{}\n", pair_line(trained.tested[at].source, trained.answers[at]));
    if (!is_right) fmt::print("      (should be {})\n", trained.tested[at].target);
  }
  const size_t example = telling_example(arguments, lesson, trained);
  const TourAlignment alignment =
      align_words(trained.run, trained.tested[example].source, trained.answers[example]);
  const std::string title = "Cross-attention: where each part of the answer looks";
  TerminalOptions terminal = stdout_terminal();
  terminal.height = static_cast<int>(alignment.input.target.size());
  fmt::print("\n{}\n", attention_figure(alignment, title).terminal(terminal));
  if (lesson.name == "phrases") {
    const Proportion share = true_alignments(arguments, trained.run);
    fmt::print("The largest weight is on the right English word for {:.1f} % of the words.\n",
               100 * share.value());
  }
  if (std::filesystem::exists(picture_in(folder))) return;
  write_file(picture_in(folder),
             attention_figure(alignment, title).svg({.width = 640, .height = 420}));
}

TrainSettings settings_of(const TourArguments& arguments, const TourLesson& lesson) {
  TrainSettings settings = lesson.settings;
  if (arguments.steps > 0) settings.steps = settings.eval_every = arguments.steps;
  return settings;
}

// A lesson comes to its place when it is learned.
bool is_learned(const TourArguments& arguments, const TourLesson& lesson) {
  const std::string folder = folder_of(arguments, lesson);
  return is_run_folder(folder) && std::filesystem::exists(folder + "/model.safetensors");
}

// Whether a tour has made the run in the folder: by the name of its data.
bool is_of_tour(const std::string& folder, const TourLesson& lesson) {
  if (!is_run_folder(folder)) return false;
  const TrainSettings saved = read_run_config(folder).settings;
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename(); };
  return saved.task == Task::translate && saved.train.size() == 2 &&
         name(saved.train[0]) == name(data_files("", lesson, "train")[0]);
}

// What stands where a lesson will be must be one, and hold nothing else.
void require_place_for(const TourArguments& arguments, const TourLesson& lesson) {
  namespace fs = std::filesystem;
  const std::string folder = folder_of(arguments, lesson);
  if (!fs::exists(fs::symlink_status(folder))) return;
  const bool is_folder = fs::is_directory(fs::symlink_status(folder));
  if (is_folder && fs::is_empty(folder)) return;
  if (!is_folder || !is_of_tour(folder, lesson)) {
    fail("{} is there already and is no lesson of the tour; -o names another folder", folder);
  }
  const std::string picture = fs::path(picture_in(folder)).filename();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool is_ours = name == picture || std::find(std::begin(kRunFiles), std::end(kRunFiles),
                                                      name) != std::end(kRunFiles);
    if (is_ours) continue;
    fail(
        "{}/{} would be lost when the lesson is trained anew; move it away, or "
        "name another folder with -o",
        folder, name);
  }
}

// What is there must be what is asked for.
void require_same_lesson(const TourArguments& arguments, const TourLesson& lesson) {
  const std::string folder = folder_of(arguments, lesson);
  const TrainSettings saved = read_run_config(folder).settings;
  const TrainSettings wanted = settings_of(arguments, lesson);
  const std::string there =
      fmt::format("--model {} --steps {} --seed {}", name_of(saved.model), saved.steps, saved.seed);
  const std::string asked = fmt::format("--model {} --steps {} --seed {}", name_of(wanted.model),
                                        wanted.steps, wanted.seed);
  if (there == asked) return;
  fail(
      "{} is trained already, with {}, not {}; --again trains it anew, -o DIR trains "
      "another",
      folder, there, asked);
}

// A hidden folder beside those of the lessons, in which one is made; goes with what is in it.
class Workshop {
 public:
  explicit Workshop(const std::string& output) : path_(output + "/.heed-tour-unfinished") {
    std::filesystem::remove_all(path_);  // of a tour that was killed
    std::filesystem::create_directories(path_ + "/data");
  }
  ~Workshop() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// From the workshop to its place, where an older model was as it had been until here; that one goes
// with the workshop. They change places at once, if the file system can.
void put_in_place(const TourArguments& arguments, const TourLesson& lesson,
                  const Workshop& workshop) {
  namespace fs = std::filesystem;
  const std::string made = workshop.path() + "/" + lesson.name;
  RunConfig config = read_run_config(made);
  config.settings.train = data_files(arguments.output, lesson, "train");
  config.settings.valid = data_files(arguments.output, lesson, "valid");
  write_run_config(made, config);

  for (const char* kind : {"train", "valid"}) {
    const auto from = data_files(workshop.path(), lesson, kind);
    const auto to = data_files(arguments.output, lesson, kind);
    for (size_t i = 0; i < to.size(); ++i) fs::rename(from[i], to[i]);
  }
  const std::string folder = folder_of(arguments, lesson);
  if (fs::exists(folder)) {
    const int exchanged =
        ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE);
    if (exchanged == 0) return;
    fs::rename(folder, workshop.path() + "/old");
  }
  fs::rename(made, folder);
}

void learn(const TourArguments& arguments, const TourLesson& lesson) {
  fmt::print("\nTraining on {} pairs:\n", lesson.pairs);
  std::fflush(stdout);
  const Workshop workshop(arguments.output);
  const std::string folder = workshop.path() + "/" + lesson.name;
  TrainSettings settings = settings_of(arguments, lesson);
  settings.train =
      write_pairs(arguments, workshop.path(), lesson, CorpusPart::train, lesson.pairs, "train");
  settings.valid = write_pairs(arguments, workshop.path(), lesson, CorpusPart::valid, 200, "valid");
  try {
    train_in_workshop(settings, folder, arguments.quiet);
  } catch (const Interrupted&) {
    if (is_learned(arguments, lesson)) {
      say("the model in {} is as it was\n", folder_of(arguments, lesson));
    }
    throw;
  }
  put_in_place(arguments, lesson, workshop);
  show_lesson(arguments, lesson, folder_of(arguments, lesson));
}

void teach(const TourArguments& arguments, const TourLesson& lesson, int number) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string folder = folder_of(arguments, lesson);
  fmt::print("\n{}. {}\n\n{}\n", number, lesson.title, lesson.story);
  for (int64_t i = 0; i < 3; ++i) {
    const TextPair pair = lesson.pair(CorpusPart::train, static_cast<uint64_t>(arguments.seed), i);
    fmt::print("{}\n", pair_line(pair.source, pair.target));
  }
  const bool learned = is_learned(arguments, lesson) && !arguments.again;
  if (learned) {
    fmt::print("\nAlready trained; --again trains it anew.\n");
    show_lesson(arguments, lesson, folder);
  } else {
    learn(arguments, lesson);
  }
  fmt::print("The model:   {}\nThe picture: {}\n", folder, picture_in(folder));
  if (learned) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  fmt::print("The time:    {}\n", duration_text(time.count()));
}

// The commands that come next, as they can be pasted.
void print_ways_on(const TourArguments& arguments) {
  const std::string& heed = program_name();
  const std::string& folder = arguments.output;
  fmt::print("\nGo on:\n");
  if (arguments.only != "phrases") {
    fmt::print("  echo 'Sunday, the 3rd of May 1997' | {} translate -m {}/dates\n", heed, folder);
  }
  if (arguments.only != "dates") {
    fmt::print("  echo 'the small red car' | {} translate -m {}/phrases\n", heed, folder);
  }
  const std::string shown = folder + (arguments.only == "dates" ? "/dates" : "/phrases");
  const char* const text =
      arguments.only == "dates" ? "Sunday, the 3rd of May 1997" : "the small red car";
  fmt::print(
      "Look inside:\n"
      "  {0} info -m {1}\n"
      "  {0} attention -m {1} -p '{2}'\n"
      "Train on your own files, whose lines belong together:\n"
      "  {0} train translate --train FILE.source FILE.target -o my-model\n"
      "  {0} train lm --train TEXT.txt -o my-language-model\n",
      heed, shown, text);
}

// What will be done, before it is begun.
void announce(int64_t lessons, int64_t to_train) {
  if (to_train == 0) {
    fmt::print("{} trained already; heed shows where {}.\n",
               lessons == 1 ? "This small model is" : "These small models are",
               lessons == 1 ? "it looks" : "they look");
  } else if (to_train == 1) {
    fmt::print("heed trains a small model now, in under a minute, and shows where it looks.\n");
  } else {
    fmt::print(
        "heed trains two small models now, in under a minute each, and shows where\n"
        "they look.\n");
  }
}

void tour(const TourArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  std::filesystem::create_directories(arguments.output + "/data");
  const FolderLock lock(arguments.output);
  std::vector<TourLesson> lessons;
  int64_t to_train = 0;
  for (const TourLesson& lesson : {dates(arguments), phrases(arguments)}) {
    if (!arguments.only.empty() && arguments.only != lesson.name) continue;
    lessons.push_back(lesson);
    if (arguments.again || !is_learned(arguments, lesson) ||
        !is_of_tour(folder_of(arguments, lesson), lesson)) {
      require_place_for(arguments, lesson);
      ++to_train;
    } else {
      require_same_lesson(arguments, lesson);
    }
  }
  announce(static_cast<int64_t>(lessons.size()), to_train);
  int number = 0;
  for (const TourLesson& lesson : lessons) teach(arguments, lesson, ++number);
  print_ways_on(arguments);
}

}  // namespace

void add_tour_command(CLI::App& app, Run& run) {
  Command command(app, "tour", "Train two small translators and see where they look");
  auto arguments = std::make_shared<TourArguments>();
  command.add_option("-o,--output", arguments->output, "The folder (default: heed-tour)")
      .type_name("DIR");
  command
      .add_option(
          "--model", [arguments](const std::string& name) { read_name(name, arguments->model); },
          "transformer (default), or rnn-attention: Bahdanau's")
      .check(one_of({"transformer", "rnn-attention"}))
      .type_name("NAME");
  command.add_option("--only", arguments->only, "One lesson: dates or phrases")
      .check(one_of({"dates", "phrases"}))
      .type_name("NAME");
  command
      .add_option("--steps", arguments->steps,
                  "Steps of training per lesson (default: enough to learn it)")
      .check(whole_number(1, 1 << 30))
      .type_name("N");
  command.add_option("-s,--seed", arguments->seed, "Of data and models (default: 1)")
      .check(whole_number(0, int64_t{1} << 40))
      .type_name("N");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--again", arguments->again,
                   "Train models that are trained already; the old ones stay until then");
  command.add_flag("--quiet", arguments->quiet, "No progress while training");
  command.footer("Example:\n  heed tour --model rnn-attention -o bahdanau");
  command.callback([&run, arguments] { run = [arguments] { tour(*arguments); }; });
}

}  // namespace heed::cli
