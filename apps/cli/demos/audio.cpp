// Sound to text: words look at frames, of another number and without a common clock.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/trained_run.h"
#include "apps/cli/options/option_checks.h"
#include "heed/corpora/tone_corpus.h"
#include "heed/generate/alignment.h"
#include "heed/generate/generator.h"
#include "heed/io/atomic_file.h"
#include "heed/io/npy.h"
#include "heed/run/run_folder.h"
#include "heed/train/pair_corpus.h"

namespace heed::cli {
namespace {

constexpr int64_t kMaxRecordings = 8000, kHeard = 300;

struct AudioArguments {
  int64_t steps = 1500;
  int64_t show = 0;
  uint64_t seed = 1;
};

void add_audio_options(Command& command, AudioArguments& arguments) {
  command.add_option("--steps", arguments.steps, "Steps of training (default 1500)")
      .check(whole_number(1, 1'000'000))
      .type_name("N");
  command.add_option("--show", arguments.show, "Which unseen recording to draw (default 0)")
      .check(whole_number(0, kHeard - 1))
      .type_name("N");
  add_seed(command, arguments.seed);
}

// Writes BASE.npy with its lengths, and BASE.txt.
void write_recordings(const std::string& base, uint64_t seed, int64_t count) {
  std::vector<float> frames;
  std::vector<int64_t> lengths;
  std::string texts;
  for (int64_t i = 0; i < count; ++i) {
    const ToneRecording recording = record_tones(CorpusPart::train, seed, i);
    const float* first = recording.frames.data<float>();
    frames.insert(frames.end(), first, first + recording.frames.size());
    lengths.push_back(recording.frames.dim(0));
    texts += recording.text + "\n";
  }
  save_npy(base + ".npy",
           Tensor::from(frames, {static_cast<int64_t>(frames.size()) / kToneBands, kToneBands}));
  save_npy(base + ".lengths.npy", Tensor::from(lengths, {count}));
  write_file(base + ".txt", texts);
}

LoadedRun trained_audio(const AudioArguments& arguments) {
  TrainSettings recipe = small_translator(arguments.steps, arguments.seed);
  recipe.dim = 48;
  recipe.ffn = 96;
  recipe.heads = 4;
  recipe.enc_layers = 2;
  recipe.dec_layers = 1;
  recipe.positions = PositionKind::rotary;
  recipe.lr = 3e-3;
  const int64_t count = std::min(kMaxRecordings, recipe.batch * arguments.steps);
  return load_run(trained_run({.name = "audio",
                               .data = fmt::format("1 {}", kMaxRecordings),
                               .settings = recipe,
                               .what = fmt::format("on {} recordings", count),
                               .write = [&](const std::string& data, TrainSettings& settings) {
                                 write_recordings(data + "/train", arguments.seed, count);
                                 write_recordings(data + "/valid", arguments.seed + 1, 100);
                                 settings.train = {data + "/train.txt"};
                                 settings.valid = {data + "/valid.txt"};
                                 settings.source_vectors = data + "/train.npy";
                                 settings.valid_vectors = data + "/valid.npy";
                               }}));
}

// A recording, what the model wrote, and which frames it looked at for each word.
struct Transcript {
  ToneRecording recording;
  std::vector<std::string> words = {};
  Tensor weights = {};  // [words + 1, frames], the last row for the end
  bool is_right = false;
};

std::string spaced_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The decoder reads the beginning of the text and what is written so far: the text, one place
// later.
std::vector<Transcript> transcribe(const LoadedRun& run, uint64_t seed) {
  const PairTokens tokens = pair_tokens(*run.tokenizer);
  std::vector<Transcript> transcripts;
  std::vector<GenerationRequest> requests;
  for (int64_t i = 0; i < kHeard; ++i) {
    transcripts.push_back({.recording = record_tones(CorpusPart::test, seed, i)});
    requests.push_back(
        {.source_vectors = transcripts.back().recording.frames, .prompt = {tokens.bos}});
  }
  const std::vector<Generation> generated =
      Generator(*run.model).generate(requests, {.max_tokens = 12, .end = tokens.eos});
  for (size_t i = 0; i < transcripts.size(); ++i) {
    Transcript& transcript = transcripts[i];
    std::vector<int32_t> read = {tokens.bos};
    read.insert(read.end(), generated[i].ids.begin(), generated[i].ids.end());
    const auto count = static_cast<int64_t>(read.size());
    Batch batch;
    batch.source = transcript.recording.frames;
    batch.source_rows = Rows::single(transcript.recording.frames.dim(0));
    batch.target = Tensor::from(read, {count});
    batch.target_rows = Rows::single(count);
    transcript.weights = view_attention(*run.model, batch).weights;
    for (const int32_t id : generated[i].ids) transcript.words.push_back(run.tokenizer->token(id));
    transcript.is_right = spaced_words(transcript.words) == transcript.recording.text;
  }
  return transcripts;
}

struct Hits {
  double words = 0, largest = 0;  // right words, and those whose largest weight is on their tone
  double weight = 0, share = 0;   // sums: weight on its tone, and the tone's share of the frames
};

Hits hits_of(const std::vector<Transcript>& transcripts) {
  Hits hits;
  for (const Transcript& transcript : transcripts) {
    if (!transcript.is_right) continue;
    const std::vector<int64_t>& tones = transcript.recording.tones;
    const auto frames = static_cast<int64_t>(tones.size());
    for (size_t w = 0; w < transcript.words.size(); ++w) {
      const float* row = transcript.weights.data<float>() + static_cast<int64_t>(w) * frames;
      const auto best = static_cast<size_t>(std::max_element(row, row + frames) - row);
      const auto own = static_cast<int64_t>(w) + 1;
      ++hits.words;
      hits.largest += tones[best] == own ? 1 : 0;
      for (size_t f = 0; f < tones.size(); ++f) {
        if (tones[f] != own) continue;
        hits.weight += static_cast<double>(row[f]);
        hits.share += 1 / static_cast<double>(frames);
      }
    }
  }
  return hits;
}

void show_audio_demo(const AudioArguments& arguments, Lesson& lesson) {
  lesson.formula("V_text = Attention(Q_text, K_audio, V_audio)    L_text words, L_audio frames");
  const LoadedRun run = trained_audio(arguments);
  const std::vector<Transcript> transcripts = transcribe(run, arguments.seed);
  double right = 0, words = 0, frames = 0;
  for (const Transcript& transcript : transcripts) {
    right += transcript.is_right ? 1 : 0;
    words += static_cast<double>(transcript.words.size());
    frames += static_cast<double>(transcript.recording.tones.size());
  }
  const Hits hits = hits_of(transcripts);
  const double counted = std::max(1.0, hits.words);
  lesson.say(fmt::format(
      "An encoder reads frames of sound, numbers without words; a decoder writes the names of the "
      "tones, and reads what it has written, shifted by one. Tones and silences have different "
      "lengths, so no frame belongs to a word by its place. None of the texts of these {} "
      "recordings was trained.",
      kHeard));
  lesson.number("exact_percent", "texts exactly right, %", 100 * right / kHeard, 4);
  lesson.number("mean_frames", "frames of a recording, mean", frames / kHeard, 4);
  lesson.number("mean_words", "words written, mean", words / kHeard, 4);
  lesson.number("looks_percent", "words that look most at their own tone, %",
                100 * hits.largest / counted, 4);
  lesson.number("weight_percent", "weight on the own tone, mean, %", 100 * hits.weight / counted,
                4);
  lesson.number("chance_percent", "the same if all frames weighed alike, %",
                100 * hits.share / counted, 4);
  const Transcript& shown = transcripts[arguments.show];
  lesson.say(fmt::format("Unseen recording {}: \"{}\". The model writes \"{}\".", arguments.show,
                         shown.recording.text, spaced_words(shown.words)));
  std::vector<std::string> of_words = shown.words;
  of_words.emplace_back("(end)");
  std::vector<std::string> of_frames;
  for (const int64_t tone : shown.recording.tones) {
    of_frames.push_back(tone == 0 ? "-" : std::to_string(tone));
  }
  Figure sound({.title = "The recording: energy by frequency",
                .x_label = "frame, with the number of its tone",
                .y_label = "band"});
  Tensor bands = Tensor::empty({kToneBands, shown.recording.frames.dim(0)}, DType::f64);
  for (int64_t f = 0; f < bands.dim(1); ++f) {
    for (int64_t b = 0; b < kToneBands; ++b) {  // high ones on top
      bands.data<double>()[(kToneBands - 1 - b) * bands.dim(1) + f] =
          static_cast<double>(shown.recording.frames.data<float>()[f * kToneBands + b]);
    }
  }
  std::vector<std::string> of_bands;
  for (int64_t b = kToneBands - 1; b >= 0; --b)
    of_bands.push_back(fmt::format("{} Hz", 480 + 40 * b));
  sound.heat_map(bands, {.row_labels = of_bands, .column_labels = of_frames});
  Figure weights({.title = "Where each word looks",
                  .x_label = "frame, with the number of its tone",
                  .y_label = "word"});
  weights.heat_map(shown.weights, {.row_labels = of_words, .column_labels = of_frames, .low = 0});
  lesson.figures("", "Tones and the words that look at them", {sound, weights}, 1);
}

}  // namespace

Demo audio_demo() {
  Demo demo{"audio",
            "The attention layer",
            "Tones to text: words look at their sounds",
            "R50, R51",
            "--show 3",
            with_options<AudioArguments>(add_audio_options, show_audio_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli
