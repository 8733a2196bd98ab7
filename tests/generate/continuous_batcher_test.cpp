#include "heed/generate/continuous_batcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <thread>

#include "heed/base/error.h"
#include "heed/generate/generator.h"
#include "heed/generate/inference_worker.h"
#include "heed/models/transformer.h"

namespace heed {
namespace {

constexpr int64_t kVocabulary = 23;

TransformerConfig small(TransformerKind kind) {
  return {.kind = kind,
          .vocabulary = kVocabulary,
          .encoder_layers = kind == TransformerKind::encoder_decoder ? 1 : 0,
          .decoder_layers = 2,
          .width = 16,
          .hidden = 24,
          .heads = 4,
          .context = 64};
}

// Requests that differ in everything: lengths, options, seeds, beams.
std::vector<GenerationTask> different_tasks(bool has_source) {
  std::vector<GenerationTask> tasks;
  for (int i = 0; i < 12; ++i) {
    GenerationTask task;
    for (int t = 0; t < 1 + i % 5; ++t) task.request.prompt.push_back((7 * i + t) % kVocabulary);
    if (has_source) task.request.source.assign(static_cast<size_t>(2 + i % 4), 1 + i);
    task.request.id = static_cast<uint64_t>(i);
    task.options = {.max_tokens = 3 + i, .end = 2, .alternatives = i % 3};
    if (i % 3 == 1) task.options.sampling = {.temperature = 1, .top_p = 0.9, .seed = 5};
    if (i % 3 == 2) task.options.beam = {.width = 3, .n_best = 2};
    tasks.push_back(task);
  }
  return tasks;
}

void expect_same(const Generation& a, const Generation& b) {
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.log_probabilities, b.log_probabilities);  // the same bits
  EXPECT_EQ(a.ending, b.ending);
  ASSERT_EQ(a.others.size(), b.others.size());
  for (size_t i = 0; i < a.others.size(); ++i) EXPECT_EQ(a.others[i].ids, b.others[i].ids);
}

// Those that join later and those with other options do not matter.
TEST(ContinuousBatcher, SameBitsAsAlone) {
  for (const auto kind :
       {TransformerKind::decoder, TransformerKind::encoder_decoder, TransformerKind::prefix}) {
    const Transformer model(small(kind), {.seed = 4});
    const std::vector<GenerationTask> tasks =
        different_tasks(kind == TransformerKind::encoder_decoder);
    std::vector<Generation> together(tasks.size());
    ContinuousBatcher batcher(model, {.sequences = 7});
    for (size_t i = 0; i < tasks.size(); ++i) {
      GenerationTask task = tasks[i];
      task.done = [&together, i](Generation one) { together[i] = std::move(one); };
      batcher.add(std::move(task));
      if (i % 2 == 1) batcher.step();
    }
    while (batcher.step()) {
    }
    EXPECT_EQ(batcher.live() + batcher.waiting(), 0);
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Generation alone =
          Generator(model).generate(std::span(&tasks[i].request, 1), tasks[i].options).front();
      expect_same(together[i], alone);
    }
  }
}

TEST(ContinuousBatcher, CanceledOnesLeave) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 4});
  ContinuousBatcher batcher(model, {.sequences = 2});
  std::vector<Generation> results(3);
  std::vector<std::stop_source> cancel(3);
  for (size_t i = 0; i < 3; ++i) {
    batcher.add({.request = {.prompt = {3}},
                 .options = {.max_tokens = 10, .cancel = cancel[i].get_token()},
                 .done = [&, i](Generation one) { results[i] = std::move(one); }});
  }
  batcher.step();
  EXPECT_EQ(batcher.live(), 2);
  cancel[0].request_stop();
  cancel[2].request_stop();
  while (batcher.step()) {
  }
  EXPECT_EQ(results[0].ending, Ending::canceled);
  EXPECT_LT(results[0].ids.size(), 10u);
  EXPECT_EQ(results[2].ending, Ending::canceled);
  EXPECT_TRUE(results[2].ids.empty());
  EXPECT_EQ(results[1].ids.size(), 10u);
}

TEST(ContinuousBatcher, OneMistakeFailsOneRequest) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 4});
  ContinuousBatcher batcher(model);
  int failed = 0, done = 0;
  for (int i = 0; i < 4; ++i) {
    GenerationTask task{.request = {.prompt = {3}},
                        .options = {.max_tokens = 5},
                        .done = [&](const Generation&) { ++done; },
                        .failed = [&](const std::exception_ptr&) { ++failed; }};
    if (i == 1) task.request.forced = {kVocabulary};
    if (i == 2) task.options.attention = AttentionChoice{.layer = "nowhere"};
    batcher.add(std::move(task));
  }
  while (batcher.step()) {
  }
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(done, 2);
  EXPECT_THROW(batcher.add({.request = {}}), Error);
}

TEST(ContinuousBatcher, AttentionOfEveryToken) {
  const Transformer model(small(TransformerKind::encoder_decoder), {.seed = 4});
  GenerationRequest request{.source = {4, 5, 6}, .prompt = {1}};
  std::vector<Tensor> rows;
  GenerateOptions options{.max_tokens = 4, .attention = AttentionChoice{}};
  options.on_token = [&](const GeneratedToken& token) {
    rows.push_back(token.attention);
    return true;
  };
  const Generation generated = Generator(model).generate(std::span(&request, 1), options).front();
  ASSERT_EQ(rows.size(), 4u);
  Batch batch;
  batch.source = Tensor::from(request.source, {3});
  batch.source_rows = Rows::single(3);
  std::vector<int32_t> read = request.prompt;
  read.insert(read.end(), generated.ids.begin(), generated.ids.end());
  batch.target = Tensor::from(read, {static_cast<int64_t>(read.size())});
  batch.target_rows = Rows::single(static_cast<int64_t>(read.size()));
  const Tensor whole = view_attention(model, batch).weights;  // [5, 3]
  for (int64_t t = 0; t < 4; ++t) {
    ASSERT_EQ(rows[t].size(), 3);
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(rows[t].data<float>()[j], whole.data<float>()[t * 3 + j]);
    }
  }
}

// Every result is a path of the tree, and what lives is extended.
TEST(ContinuousBatcher, TreeOfABeam) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 4});
  GenerationRequest request{.prompt = {1, 2, 3}};
  std::vector<BeamStep> steps;
  GenerateOptions options{.max_tokens = 6, .end = 2, .beam = {.width = 3, .n_best = 3}};
  options.on_beam = [&](const BeamStep& step) { steps.push_back(step); };
  Generation best = Generator(model).generate(std::span(&request, 1), options).front();
  std::map<int64_t, BeamNode> nodes;
  for (size_t s = 0; s < steps.size(); ++s) {
    EXPECT_EQ(steps[s].step, static_cast<int64_t>(s));
    int live = 0;
    for (const BeamNode& node : steps[s].nodes) {
      nodes[node.id] = node;
      live += node.state == BeamState::live ? 1 : 0;
      if (s > 0) {
        EXPECT_EQ(nodes.at(node.parent).state, BeamState::live);
        EXPECT_EQ(node.total, nodes.at(node.parent).total + node.log_probability);
      } else {
        EXPECT_EQ(node.parent, -1);
      }
    }
    EXPECT_EQ(live, 3);
  }
  best.others.push_back(best);
  for (const Generation& one : best.others) {
    int found = 0;
    for (const auto& [id, node] : nodes) {
      if (node.total != one.log_probability) continue;
      std::vector<int32_t> ids;
      for (int64_t at = id; at >= 0; at = nodes.at(at).parent) ids.push_back(nodes.at(at).token);
      std::reverse(ids.begin(), ids.end());
      if (one.ended()) ids.pop_back();
      found += ids == one.ids ? 1 : 0;
    }
    EXPECT_EQ(found, 1);
  }
}

TEST(InferenceWorker, ManyThreadsAsk) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 4});
  const std::vector<GenerationTask> tasks = different_tasks(false);
  std::vector<Generation> results(tasks.size());
  std::atomic<int> jobs = 0;
  {
    InferenceWorker worker({&model}, {.queue = 100, .sequences = 4, .threads = 1});
    std::vector<std::thread> askers;
    for (size_t i = 0; i < tasks.size(); ++i) {
      askers.emplace_back([&, i] {
        GenerationTask task = tasks[i];
        task.done = [&results, i](Generation one) { results[i] = std::move(one); };
        EXPECT_TRUE(worker.generate(0, std::move(task)));
        EXPECT_TRUE(worker.run([&] { ++jobs; }));
      });
    }
    for (std::thread& asker : askers) asker.join();
    worker.stop();
    EXPECT_FALSE(worker.run([] {}));
    EXPECT_EQ(worker.counts().running + worker.counts().queued, 0);
  }
  EXPECT_EQ(jobs, static_cast<int>(tasks.size()));
  for (size_t i = 0; i < tasks.size(); ++i) {
    expect_same(results[i],
                Generator(model).generate(std::span(&tasks[i].request, 1), tasks[i].options)[0]);
  }
}

TEST(InferenceWorker, AFullQueueRefuses) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 4});
  std::promise<void> go, begun;
  InferenceWorker worker({&model}, {.queue = 2, .threads = 1});
  EXPECT_TRUE(worker.run([&] {
    begun.set_value();
    go.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(worker.run([] {}));
  EXPECT_TRUE(worker.generate(0, {.request = {.prompt = {1}}, .options = {.max_tokens = 2}}));
  EXPECT_FALSE(worker.run([] {}));
  EXPECT_FALSE(worker.generate(0, {.request = {.prompt = {1}}}));
  EXPECT_EQ(worker.counts().queued, 2);
  go.set_value();
  worker.stop();
}

}  // namespace
}  // namespace heed
