// Pictures to sentences: cross-attention from words to patches (Xu et al. 2015).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/trained_run.h"
#include "apps/cli/options/option_checks.h"
#include "heed/corpora/picture_corpus.h"
#include "heed/generate/alignment.h"
#include "heed/generate/generator.h"
#include "heed/io/atomic_file.h"
#include "heed/io/npy.h"
#include "heed/run/run_folder.h"
#include "heed/train/pair_corpus.h"

namespace heed::cli {
namespace {

constexpr int64_t kPatch = 8, kAcross = kPictureSize / kPatch;
constexpr int64_t kPatches = kAcross * kAcross;
constexpr int64_t kBatch = 64, kMaxTrained = 12000, kTested = 500;

struct CaptionsArguments {
  int64_t steps = 1900;
  int64_t show = 0;
  uint64_t seed = 1;
};

void add_captions_options(Command& command, CaptionsArguments& arguments) {
  command.add_option("--steps", arguments.steps, "Steps of training (default 1900)")
      .check(whole_number(1, 1'000'000))
      .type_name("N");
  command.add_option("--show", arguments.show, "Which unseen picture to draw (default 0)")
      .check(whole_number(0, kTested - 1))
      .type_name("N");
  add_seed(command, arguments.seed);
}

// Pictures to train on; no more than there are turns.
int64_t trained_pictures(const CaptionsArguments& arguments) {
  return std::min(kMaxTrained, kBatch * arguments.steps);
}

// Writes FOLDER/NAME.npy with its lengths, and FOLDER/NAME.txt.
void write_pictures(const std::string& folder, const std::string& name, CorpusPart part,
                    uint64_t seed, int64_t count) {
  const int64_t width = 3 * kPatch * kPatch;
  Tensor rows = Tensor::empty({count * kPatches, width}, DType::f32);
  std::string sentences;
  for (int64_t i = 0; i < count; ++i) {
    const Picture picture = draw_picture(part, seed, i);
    rows.slice(0, i * kPatches, (i + 1) * kPatches)
        .copy_from(picture_patches(picture.pixels, kPatch));
    sentences += picture.sentence + "\n";
  }
  const std::vector<int64_t> lengths(static_cast<size_t>(count), kPatches);
  save_npy(folder + "/" + name + ".npy", rows);
  save_npy(folder + "/" + name + ".lengths.npy", Tensor::from(lengths, {count}));
  write_file(folder + "/" + name + ".txt", sentences);
}

TrainSettings caption_recipe(const CaptionsArguments& arguments) {
  TrainSettings s = small_translator(arguments.steps, arguments.seed);
  s.dim = 96;
  s.ffn = 192;
  s.heads = 4;
  // One layer each: with more of them a patch knows of the others, and a word may look at any.
  s.enc_layers = 1;
  s.dec_layers = 1;
  s.positions = PositionKind::learned;
  s.batch = kBatch;
  s.warmup = std::min<int64_t>(100, arguments.steps);
  s.lr = 1e-3;
  return s;
}

LoadedRun trained_captions(const CaptionsArguments& arguments) {
  const int64_t count = trained_pictures(arguments);
  return load_run(
      trained_run({.name = "captions",
                   .data = fmt::format("1 {} {}", kMaxTrained, kPatch),
                   .settings = caption_recipe(arguments),
                   .what = fmt::format("on {} pictures", count),
                   .write = [&](const std::string& data, TrainSettings& settings) {
                     write_pictures(data, "train", CorpusPart::train, arguments.seed, count);
                     write_pictures(data, "valid", CorpusPart::train, arguments.seed + 1, 100);
                     settings.train = {data + "/train.txt"};
                     settings.valid = {data + "/valid.txt"};
                     settings.source_vectors = data + "/train.npy";
                     settings.valid_vectors = data + "/valid.npy";
                   }}));
}

// A picture, what the model wrote about it, and where it looked at each word.
struct Caption {
  Picture picture;
  std::vector<std::string> words = {};
  Tensor weights = {};  // [words + 1, patches], the last row for the end
  bool is_right = false;
};

std::string one_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<Caption> describe(const LoadedRun& run, uint64_t seed) {
  const PairTokens tokens = pair_tokens(*run.tokenizer);
  std::vector<Caption> captions;
  std::vector<GenerationRequest> requests;
  for (int64_t i = 0; i < kTested; ++i) {
    captions.push_back({.picture = draw_picture(CorpusPart::test, seed, i)});
    requests.push_back({.source_vectors = picture_patches(captions.back().picture.pixels, kPatch),
                        .prompt = {tokens.bos}});
  }
  const std::vector<Generation> generated =
      Generator(*run.model).generate(requests, {.max_tokens = 20, .end = tokens.eos});
  for (size_t i = 0; i < captions.size(); ++i) {
    std::vector<int32_t> read = {tokens.bos};
    read.insert(read.end(), generated[i].ids.begin(), generated[i].ids.end());
    const auto count = static_cast<int64_t>(read.size());
    Batch batch;
    batch.source = requests[i].source_vectors;
    batch.source_rows = Rows::single(kPatches);
    batch.target = Tensor::from(read, {count});
    batch.target_rows = Rows::single(count);
    Caption& caption = captions[i];
    caption.weights = view_attention(*run.model, batch).weights;
    for (const int32_t id : generated[i].ids) caption.words.push_back(run.tokenizer->token(id));
    caption.is_right = one_line(caption.words) == caption.picture.sentence;
  }
  return captions;
}

bool is_shape(const std::string& word) {
  return word == "circle" || word == "square" || word == "triangle";
}

// Whether the patch has pixels of the shape (1 or 2).
bool touches(const Picture& picture, int64_t patch, int shape) {
  const int64_t top = patch / kAcross * kPatch, left = patch % kAcross * kPatch;
  for (int64_t y = top; y < top + kPatch; ++y) {
    for (int64_t x = left; x < left + kPatch; ++x) {
      if (picture.shapes[y * kPictureSize + x] == shape) return true;
    }
  }
  return false;
}

struct Looks {
  int64_t words = 0, right = 0;
  double share = 0;  // of a patch taken at random that touches the shape
};

Looks looks_of(const std::vector<Caption>& captions) {
  Looks looks;
  for (const Caption& caption : captions) {
    if (!caption.is_right) continue;
    int shape = 0;
    for (size_t t = 0; t < caption.words.size(); ++t) {
      if (!is_shape(caption.words[t])) continue;
      ++shape;
      const float* row = caption.weights.data<float>() + static_cast<int64_t>(t) * kPatches;
      const int64_t best = std::max_element(row, row + kPatches) - row;
      ++looks.words;
      looks.right += touches(caption.picture, best, shape) ? 1 : 0;
      int64_t touching = 0;
      for (int64_t p = 0; p < kPatches; ++p) touching += touches(caption.picture, p, shape) ? 1 : 0;
      looks.share += static_cast<double>(touching) / kPatches;
    }
  }
  return looks;
}

// A panel per word: the picture, the darker the less the word looks there; a frame around the patch
// with the largest weight.
std::string overlay(const Caption& caption) {
  constexpr double kPixel = 5, kSide = kPixel * kPictureSize, kGap = 16, kTop = 54;
  const auto panels = static_cast<double>(caption.words.size());
  const double columns = std::min(4.0, panels);
  const double lines = std::ceil(panels / columns);
  const double width = kGap + columns * (kSide + kGap);
  const double height = kTop + lines * (kSide + kGap + 22);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 "
      "0 "
      "{0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n<text x=\"{2}\" y=\"30\" font-size=\"17\" fill=\"#111111\">{3}</text>\n",
      width, height, kGap, one_line(caption.words));
  svg += "<defs><g id=\"picture\" shape-rendering=\"crispEdges\">\n";
  const float* pixel = caption.picture.pixels.data<float>();
  for (int64_t y = 0; y < kPictureSize; ++y) {
    for (int64_t x = 0; x < kPictureSize; ++x, pixel += 3) {
      const auto level = [&](int c) { return static_cast<int>(std::lround(255 * pixel[c])); };
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:02x}{:02x}{:02x}\"/>\n",
          kPixel * static_cast<double>(x), kPixel * static_cast<double>(y), kPixel, kPixel,
          level(0), level(1), level(2));
    }
  }
  svg += "</g></defs>\n";
  const double patch = kPixel * kPatch;
  for (size_t t = 0; t < caption.words.size(); ++t) {
    const size_t lines_before = t / static_cast<size_t>(columns);
    const auto column = static_cast<double>(t % static_cast<size_t>(columns));
    const auto line = static_cast<double>(lines_before);
    const float* row = caption.weights.data<float>() + static_cast<int64_t>(t) * kPatches;
    const int64_t best = std::max_element(row, row + kPatches) - row, best_row = best / kAcross;
    svg += fmt::format(
        "<g transform=\"translate({} {})\"><text x=\"0\" y=\"-5\" font-size=\"14\" "
        "fill=\"#111111\">{} <tspan fill=\"#666666\">{:.2f}</tspan></text><use "
        "href=\"#picture\"/>\n",
        kGap + column * (kSide + kGap), kTop + 14 + line * (kSide + kGap + 22), caption.words[t],
        row[best]);
    for (int64_t p = 0; p < kPatches; ++p) {
      const int64_t rows_before = p / kAcross;
      const double left = patch * static_cast<double>(p % kAcross);
      const double top = patch * static_cast<double>(rows_before);
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#000000\" "
          "fill-opacity=\"{:.3f}\"/>\n",
          left, top, patch, patch, 0.75 * (1 - static_cast<double>(row[p] / row[best])));
    }
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#e69f00\" "
        "stroke-width=\"3\"/></g>\n",
        patch * static_cast<double>(best % kAcross), patch * static_cast<double>(best_row), patch,
        patch);
  }
  return svg + "</svg>\n";
}

void show_captions_demo(const CaptionsArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "V_words = Attention(Q_words, K_patches, V_patches)\n"
      "16 patches of 8 x 8 pixels");
  const LoadedRun run = trained_captions(arguments);
  const std::vector<Caption> captions = describe(run, arguments.seed);
  const auto right = std::count_if(captions.begin(), captions.end(),
                                   [](const Caption& caption) { return caption.is_right; });
  const Looks looks = looks_of(captions);
  lesson.say(fmt::format(
      "An encoder reads the patches of a picture, a decoder writes the sentence. These {} pictures "
      "show combinations of shapes, colors and places that were never trained.",
      kTested));
  lesson.number("exact_percent", "sentences exactly right, %",
                100.0 * static_cast<double>(right) / kTested, 4);
  lesson.number("looks_percent", "shape words that look most at their shape, %",
                looks.words == 0
                    ? 0
                    : 100.0 * static_cast<double>(looks.right) / static_cast<double>(looks.words),
                4);
  lesson.number("chance_percent", "the same if the patch were drawn, %",
                looks.words == 0 ? 0 : 100.0 * looks.share / static_cast<double>(looks.words), 4);
  lesson.number("shape_words", "shape words counted, of right sentences",
                static_cast<double>(looks.words));
  const Caption& shown = captions[arguments.show];
  lesson.say(fmt::format("Unseen picture {}: \"{}\". The model writes \"{}\".", arguments.show,
                         shown.picture.sentence, one_line(shown.words)));
  lesson.picture("", overlay(shown));
  std::vector<Figure> panels;
  for (size_t t = 0; t < shown.words.size() && panels.size() < 2; ++t) {
    if (!is_shape(shown.words[t])) continue;
    const auto at = static_cast<int64_t>(t);
    Figure figure({.title = fmt::format("Where \"{}\" looks", shown.words[t]),
                   .x_label = "patch, across",
                   .y_label = "patch, down"});
    figure.heat_map(shown.weights.slice(0, at, at + 1).clone().reshape({kAcross, kAcross}),
                    {.low = 0, .values = true});
    panels.push_back(figure);
  }
  if (!panels.empty()) lesson.figures("weights", "Weights of patches", panels, 2);
}

}  // namespace

Demo captions_demo() {
  Demo demo{"captions",
            "The attention layer",
            "Pictures to sentences: words look at their shapes",
            "R50",
            "--show 3",
            with_options<CaptionsArguments>(add_captions_options, show_captions_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli
