#include "heed/pipeline/pipeline.h"
#include "heed/run/task_names.h"
#include "heed/run/text_ids.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>

#include "heed/base/error.h"
#include "heed/models/transformer.h"
#include "heed/pipeline/prepared_generation.h"
#include "heed/text/token_label.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/prepare_run.h"
#include "tests/pipeline/small_runs.h"

namespace heed::pipeline_test {
namespace {

std::string folder(const std::string& name) {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("heed_pipeline_" + std::to_string(::getpid()));
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder made;
  return made.path / name;
}

Pipeline small_pipeline(const SmallRun& small) {
  return load(write_small_run(folder(name_of(small)), small));
}

const std::vector<std::string> kTexts = {"the small red car", "Anna", "a blue house, and a tree",
                                         "once upon a time"};

TEST(Pipeline, GeneratesWhatFollows) {
  for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned}) {
    const Pipeline model = small_pipeline({.positions = positions});
    const auto together = model.generate(kTexts, {.max_tokens = 9});
    for (size_t i = 0; i < kTexts.size(); ++i) {
      const GeneratedText alone = model.generate(kTexts[i], {.max_tokens = 9});
      EXPECT_EQ(alone.text, together[i].text);
      EXPECT_EQ(alone.generation.log_probabilities, together[i].generation.log_probabilities);
      // The prompt and what follows are one text.
      std::vector<int32_t> all = model.tokenizer().encode(kTexts[i]);
      all.insert(all.end(), alone.generation.ids.begin(), alone.generation.ids.end());
      EXPECT_EQ(kTexts[i] + alone.text, model.tokenizer().decode(all));
    }
  }
}

TEST(Pipeline, SamplesAreAFunctionOfSeedAndNumber) {
  const Pipeline model = small_pipeline({});
  const GenerateTextOptions options{.max_tokens = 20, .sampling = {.temperature = 1, .seed = 7}};
  const auto together = model.generate(kTexts, options);
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_EQ(model.generate(kTexts[i], options).text, together[i].text);
  }
  GenerateTextOptions other = options;
  other.sample = 1;
  EXPECT_NE(model.generate(kTexts[0], other).text, together[0].text);
}

TEST(Pipeline, TextIsToldAsItIsWritten) {
  const Pipeline model = small_pipeline({});
  std::vector<std::string> told(kTexts.size());
  const auto generated = model.generate(kTexts, {.max_tokens = 30,
                                                 .sampling = {.temperature = 1.5},
                                                 .on_text = [&](size_t i, std::string_view more) {
                                                   told[i] += more;
                                                   return true;
                                                 }});
  for (size_t i = 0; i < kTexts.size(); ++i) EXPECT_EQ(told[i], generated[i].text);
}

TEST(Pipeline, StopStrings) {
  const Pipeline model = small_pipeline({});
  const std::string whole = model.generate("the", {.max_tokens = 30}).text;
  ASSERT_GT(whole.size(), 8u);
  const std::string stop = whole.substr(5, 3);
  const std::string expected = whole.substr(0, whole.find(stop));
  std::string told;
  const GeneratedText cut = model.generate("the", {.max_tokens = 30,
                                                   .stop = {"no such text", stop},
                                                   .on_text = [&](size_t, std::string_view more) {
                                                     told += more;
                                                     return true;
                                                   }});
  EXPECT_EQ(cut.text, expected);
  EXPECT_EQ(told, expected);
  EXPECT_EQ(cut.generation.ending, Ending::stopped);
}

// A hypothesis is finished where its text has the stop string: what comes after it has no score.
TEST(Pipeline, StopStringsOfABeam) {
  const Pipeline model = small_pipeline({});
  const GenerateTextOptions options{.max_tokens = 30,
                                    .beam = {.width = 4, .n_best = 4, .length_penalty = 0},
                                    .stop = {"a", "e", "o"}};
  const auto has_stop = [](const std::string& text) {
    return text.find_first_of("aeo") != std::string::npos;
  };
  const GeneratedText generated = model.generate("the", options);
  std::vector<Generation> all = generated.generation.others;
  all.push_back(generated.generation);
  int64_t stopped = 0;
  for (const Generation& one : all) {
    const std::string text = model.tokenizer().decode(one.ids);
    EXPECT_EQ(has_stop(text), one.ending == Ending::stopped) << text;
    EXPECT_FALSE(has_stop(model.tokenizer().decode(std::span(one.ids).first(one.ids.size() - 1))))
        << text;
    EXPECT_EQ(one.log_probabilities.size(), one.ids.size() + (one.ended() ? 1 : 0));
    stopped += one.ending == Ending::stopped ? 1 : 0;
  }
  EXPECT_GT(stopped, 0);
}

// Different tokens may be the same text, here that before a stop string.
TEST(Pipeline, NBestTextsAreUnique) {
  const Pipeline model = small_pipeline({});
  const GenerateTextOptions options{
      .max_tokens = 1, .beam = {.width = 200, .n_best = 100}, .stop = {"a", "e", "o"}};
  const GeneratedText generated = model.generate("the", options);
  std::set<std::string> seen = {generated.text};
  for (const std::string& other : generated.others) EXPECT_TRUE(seen.insert(other).second) << other;
  EXPECT_LE(seen.size(), 100u);
  EXPECT_GT(seen.size(), 1u);
  ASSERT_EQ(generated.generation.others.size(), generated.others.size());
  double before = generated.generation.score;
  for (const Generation& other : generated.generation.others) {
    EXPECT_LE(other.score, before);
    before = other.score;
  }
  // Some of the hypotheses behind them do have the same text.
  const PreparedGeneration prepared = prepare_generation(model, "the", options);
  const Generation all =
      Generator(*model.run().model)
          .generate(std::span(&prepared.request, 1), generate_options(options, prepared.end))[0];
  std::set<std::string> texts;
  for (const Generation& one : all.others) {
    texts.insert(decoded_text(model, prepared, one.ids, options.stop));
  }
  EXPECT_LT(texts.size(), all.others.size());
  EXPECT_EQ(generated.prompt_tokens, static_cast<int64_t>(prepared.request.prompt.size()));
}

TEST(Pipeline, EmptyAndLongPrompts) {
  for (const PositionKind positions : {PositionKind::sinusoidal, PositionKind::learned}) {
    const Pipeline model =
        small_pipeline({.tokenizer = TokenizerKind::byte, .positions = positions});
    EXPECT_EQ(model.context(), kSmallContext);
    EXPECT_EQ(model.generate("", {.max_tokens = 5}).generation.ids.size(), 5u);
    EXPECT_EQ(
        model.generate(std::string(kSmallContext, 'a'), {.max_tokens = 1}).generation.ids.size(),
        1u);
    EXPECT_THROW(model.generate(std::string(kSmallContext + 1, 'a')), Error);
    EXPECT_EQ(model.generate("\xff\xfe", {.max_tokens = 2}).generation.ids.size(), 2u);
  }
}

TEST(Pipeline, TranslatesWithEveryKindOfModel) {
  for (const char* kind : {"transformer", "decoder", "prefix", "rnn-attention"}) {
    SCOPED_TRACE(kind);
    const Pipeline model =
        small_pipeline({.task = Task::translate, .model = named<ModelKind>(kind)});
    for (const BeamOptions& beam : {BeamOptions{}, BeamOptions{.width = 3, .n_best = 2}}) {
      const auto together = model.translate(kTexts, {.max_tokens = 12, .beam = beam});
      for (size_t i = 0; i < kTexts.size(); ++i) {
        const GeneratedText alone = model.translate(kTexts[i], {.max_tokens = 12, .beam = beam});
        EXPECT_EQ(alone.text, together[i].text);
        EXPECT_EQ(alone.generation.score, together[i].generation.score);
        EXPECT_EQ(static_cast<int64_t>(alone.others.size()), beam.n_best - 1);
      }
    }
    EXPECT_EQ(model.translate("").text, "");
    EXPECT_TRUE(model.translate(std::string(400, 'x'), {.max_tokens = 2}).cut);
    EXPECT_FALSE(model.translate("a", {.max_tokens = 2}).cut);
  }
}

// The limit of an answer depends on its own text.
TEST(Pipeline, AnswersDoNotDependOnCompany) {
  const Pipeline model = small_pipeline({.task = Task::translate});
  const auto together = model.translate(kTexts);
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_EQ(model.translate(kTexts[i]).generation.ids, together[i].generation.ids);
  }
}

TEST(Pipeline, AnswersBeginAsWanted) {
  const Pipeline model = small_pipeline({.task = Task::translate});
  EXPECT_TRUE(
      model.translate("Anna", {.max_tokens = 12, .begin = "the old"}).text.starts_with("the old"));
}

TEST(Pipeline, ScoresAreThoseOfWriting) {
  for (const char* kind : {"transformer", "decoder", "prefix", "rnn-attention"}) {
    const Pipeline model =
        small_pipeline({.task = Task::translate, .model = named<ModelKind>(kind)});
    const std::vector<std::string> targets = {"a tree", "", "the sea and the town", "car"};
    const auto scores = model.score(kTexts, targets);
    for (size_t i = 0; i < kTexts.size(); ++i) {
      // Written token by token, forced.
      GenerationRequest request =
          request_for(model.tokenizer().encode(kTexts[i], SpecialNames::are_text),
                      pair_tokens(model.tokenizer()), pair_layout(model.run().config.settings));
      request.forced = model.tokenizer().encode(targets[i], SpecialNames::are_text);
      const int32_t eos = *model.tokenizer().specials().eos;
      request.forced.push_back(eos);
      const Generation forced =
          Generator(*model.run().model).generate(std::span(&request, 1), {.end = eos})[0];
      EXPECT_EQ(scores[i].log_probabilities, forced.log_probabilities);
      EXPECT_EQ(scores[i].log_probability, forced.log_probability);
    }
  }
}

TEST(Pipeline, ScoresOfTexts) {
  const Pipeline model = small_pipeline({.tokenizer = TokenizerKind::byte});
  const std::vector<std::string> texts = {"the sea", "x", "", std::string(kSmallContext + 9, 'b')};
  const auto scores = model.score(texts);
  EXPECT_EQ(scores[0].log_probabilities.size(), 6u);
  EXPECT_EQ(scores[1].log_probabilities.size(), 0u);
  EXPECT_EQ(scores[2].log_probability, 0);
  EXPECT_EQ(scores[3].log_probabilities.size(), static_cast<size_t>(kSmallContext) + 8);
  GenerationRequest request{.prompt = model.tokenizer().encode("t"),
                            .forced = model.tokenizer().encode("he sea"),
                            .max_tokens = 6};
  const Generation forced = Generator(*model.run().model).generate(std::span(&request, 1))[0];
  EXPECT_EQ(scores[0].log_probabilities, forced.log_probabilities);
}

TEST(Pipeline, Classifies) {
  for (const char* pool : {"mean", "cls", "cls-end"}) {
    const Pipeline model = small_pipeline(
        {.task = Task::classify, .pool = named<Pooling>(pool), .labels = {"bad", "fair", "good"}});
    std::vector<std::string> texts = kTexts;
    texts.emplace_back("");
    texts.emplace_back(1000, 'x');
    const auto together = model.classify(texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      const ClassifiedText alone = model.classify(texts[i]);
      EXPECT_EQ(alone.label, together[i].label);
      EXPECT_EQ(alone.probabilities, together[i].probabilities);
      EXPECT_NEAR(std::accumulate(alone.probabilities.begin(), alone.probabilities.end(), 0.0), 1,
                  1e-6);
      EXPECT_EQ(alone.cut, i == 5);
    }
  }
}

TEST(Pipeline, Tags) {
  const Pipeline model = small_pipeline({.task = Task::tag, .labels = {"NOUN", "PROPN", "PUNCT"}});
  std::vector<std::string> texts = {"Anna sees Berlin.", "", "the old town"};
  std::string longest;
  for (int i = 0; i < 60; ++i) longest += "Berlin ";
  texts.push_back(longest);
  const auto together = model.tag(texts);
  ASSERT_EQ(together[0].size(), 4u);
  EXPECT_EQ(together[0][2].word, "Berlin");
  EXPECT_EQ(texts[0].substr(together[0][2].begin, 6), "Berlin");
  EXPECT_EQ(together[0][3].word, ".");
  EXPECT_TRUE(together[1].empty());
  EXPECT_EQ(together[3].size(), 60u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = model.tag(texts[i]);
    ASSERT_EQ(alone.size(), together[i].size());
    for (size_t w = 0; w < alone.size(); ++w) {
      EXPECT_EQ(alone[w].tag, together[i][w].tag);
      EXPECT_FALSE(alone[w].tag.empty());
    }
  }
}

TEST(Pipeline, Embeds) {
  const Pipeline model =
      small_pipeline({.task = Task::classify, .pool = Pooling::cls, .labels = {"bad", "good"}});
  EXPECT_EQ(model.blocks(), 2);
  const auto tokens = static_cast<int64_t>(model.tokenizer().encode(kTexts[0]).size()) + 1;
  const Tensor rows = model.embed(kTexts[0], {.pool = EmbedPool::none});
  EXPECT_EQ(rows.shape(), Shape({tokens, 16}));
  const Tensor first = model.embed(kTexts[0], {.pool = EmbedPool::cls});
  EXPECT_EQ(std::memcmp(first.data<float>(), rows.data<float>(), 16 * sizeof(float)), 0);
  const Tensor all =
      model.embed(kTexts[0], {.layers = {kEmbeddingLayer, 0, 1}, .pool = EmbedPool::none});
  EXPECT_EQ(all.shape(), Shape({3, tokens, 16}));
  EXPECT_EQ(model.embed(kTexts[0], {.layers = {1}}).shape(), Shape({1, 16}));
  EXPECT_EQ(model.all_layers(), (std::vector<int64_t>{kEmbeddingLayer, 0, 1}));
  const auto together = model.embed(kTexts);
  for (size_t i = 0; i < kTexts.size(); ++i) {
    const Tensor alone = model.embed(kTexts[i]);
    EXPECT_EQ(std::memcmp(alone.data<float>(), together[i].data<float>(), 16 * sizeof(float)), 0);
  }
  EXPECT_THROW(model.embed(kTexts[0], {.layers = {2}}), Error);
  EXPECT_THROW(model.embed(kTexts[0], {.layers = {-2}}), Error);
  const Pipeline lm = small_pipeline({});
  EXPECT_EQ(lm.embed("the sea").shape(), Shape({16}));
  EXPECT_THROW(lm.embed("the sea", {.pool = EmbedPool::cls}), Error);
  EXPECT_EQ(
      small_pipeline({.task = Task::translate, .model = ModelKind::prefix}).embed("a").shape(),
      Shape({16}));
  const Pipeline recurrent =
      small_pipeline({.task = Task::translate, .model = ModelKind::rnn_attention});
  EXPECT_EQ(recurrent.embed("a").shape(), Shape({32}));
  EXPECT_THROW(recurrent.embed("a", {.layers = {1}}), Error);
}

TEST(Pipeline, ShowsWhereTheModelLooks) {
  const Pipeline model = small_pipeline({.task = Task::translate});
  const AttentionMap map = model.attention("the red car", "a tree");
  EXPECT_EQ(map.layer, "decoder.1.cross");
  EXPECT_EQ(map.weights.dim(0), static_cast<int64_t>(map.queries.size()));
  EXPECT_EQ(map.weights.dim(1), static_cast<int64_t>(map.keys.size()));
}

// Rows of the target with its end, columns of the source.
TEST(Pipeline, AlignsAnswersWithTheirSource) {
  const std::string text = "the red car", target = "a tree";
  for (const char* kind : {"transformer", "decoder", "prefix", "rnn-attention"}) {
    SCOPED_TRACE(kind);
    const Pipeline model =
        small_pipeline({.task = Task::translate, .model = named<ModelKind>(kind)});
    const AttentionMap map = model.alignment(text, target), whole = model.attention(text, target);
    const auto labels = [&](const std::string& of) {
      std::vector<std::string> all;
      for (const int32_t id : model.tokenizer().encode(of)) {
        all.push_back(token_label(model.tokenizer(), id));
      }
      return all;
    };
    std::vector<std::string> source = labels(text), generated = labels(target);
    generated.emplace_back("<|eos|>");
    const bool is_one_stack = whole.keys == whole.queries;
    const auto first = is_one_stack ? static_cast<int64_t>(source.size()) : 0;
    if (!is_one_stack) source.emplace_back("<|eos|>");
    EXPECT_EQ(map.keys, source);
    EXPECT_EQ(map.queries, generated);
    const auto T = static_cast<int64_t>(generated.size()), S = static_cast<int64_t>(source.size());
    ASSERT_EQ(map.weights.shape(), Shape({T, S}));
    for (int64_t t = 0; t < T; ++t) {
      for (int64_t s = 0; s < S; ++s) {
        EXPECT_EQ(map.weights.data<float>()[t * S + s],
                  whole.weights.data<float>()[(first + t) * whole.weights.dim(1) + s]);
      }
    }
  }
  const Pipeline plain = small_pipeline({.task = Task::translate, .model = ModelKind::rnn});
  EXPECT_FALSE(plain.has_alignment());
  EXPECT_THROW(plain.alignment(text, target), Error);
  EXPECT_THROW(small_pipeline({}).alignment(text, target), Error);
}

// The states that are shown are of the tokens that the model reads when it does its work.
TEST(Pipeline, LooksAtWhatItReads) {
  const std::string text = "Anna sees Berlin.";
  const auto rows = [&](const Pipeline& model) {
    return model.embed(text, {.pool = EmbedPool::none}).dim(0);
  };
  const Pipeline tagger = small_pipeline({.task = Task::tag, .labels = {"NOUN", "PROPN", "PUNCT"}});
  std::vector<std::string> labels;
  for (const char* word : {"Anna", "sees", "Berlin", "."}) {
    for (const int32_t id : word_ids(tagger.tokenizer(), word)) {
      labels.push_back(token_label(tagger.tokenizer(), id));
    }
  }
  EXPECT_EQ(tagger.attention(text).keys, labels);
  EXPECT_EQ(rows(tagger), static_cast<int64_t>(labels.size()));
  for (const char* kind : {"transformer", "rnn-attention"}) {
    const Pipeline translator =
        small_pipeline({.task = Task::translate, .model = named<ModelKind>(kind)});
    EXPECT_EQ(rows(translator),
              static_cast<int64_t>(translator.attention(text, "a tree").keys.size()));
  }
  for (const char* kind : {"decoder", "prefix"}) {  // with the separator
    const Pipeline translator =
        small_pipeline({.task = Task::translate, .model = named<ModelKind>(kind)});
    EXPECT_EQ(rows(translator),
              static_cast<int64_t>(translator.alignment(text, "a tree").keys.size()) + 1);
  }
}

TEST(Pipeline, SaysWhatAModelIsNotFor) {
  const Pipeline lm = small_pipeline({});
  EXPECT_THROW(lm.translate("a"), Error);
  EXPECT_THROW(lm.classify("a"), Error);
  EXPECT_THROW(lm.tag("a"), Error);
  EXPECT_THROW(lm.score(kTexts, kTexts), Error);
  const Pipeline translator = small_pipeline({.task = Task::translate});
  EXPECT_THROW(translator.generate("a"), Error);
  EXPECT_THROW(translator.score(kTexts), Error);
  EXPECT_THROW(translator.score(kTexts, std::span(kTexts).first(2)), Error);
  EXPECT_THROW(load(folder("nothing")), Error);
}

// A run whose first table holds a NaN in every row.
Pipeline damaged_pipeline(const SmallRun& small) {
  const std::string path = write_small_run(folder("damaged_" + name_of(small)), small);
  std::vector<NamedTensor> weights;
  const auto stored = stored_weights(path);
  const auto model = make_model(read_run_config(path).model, {});
  for (const NamedParameter& parameter : model->parameters().list()) {
    weights.push_back({parameter.name, stored(parameter.name).clone()});
  }
  Tensor& table = weights.front().tensor;
  for (int64_t row = 0; row < table.dim(0); ++row) {
    table.data<float>()[row * table.dim(1)] = std::nanf("");
  }
  export_model(path, weights, 1);
  return load(path);
}

TEST(Pipeline, DamagedWeightsAreNoticed) {
  const auto complaint = [](const auto& use) -> std::string {
    try {
      use();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const Pipeline generator = damaged_pipeline({}),
                 tagger = damaged_pipeline({.task = Task::tag, .labels = {"A", "B"}});
  for (const std::string& text : {complaint([&] { generator.generate(kTexts, {}); }),
                                  complaint([&] { generator.embed(kTexts); }),
                                  complaint([&] { (void)generator.attention(kTexts[0], "", {}); }),
                                  complaint([&] { tagger.tag(kTexts); })}) {
    EXPECT_NE(text.find("not finite; its weights may be damaged"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace heed::pipeline_test
