// POST /api/translate: answers to texts, with their n best and where the model looked.

#include "apps/server/api_error.h"
#include "apps/server/fields.h"
#include "apps/server/generation_json.h"
#include "apps/server/route.h"
#include "heed/run/task_input.h"
#include "heed/run/task_names.h"

namespace heed::server {
namespace {

// The texts of "text" or "texts".
std::vector<std::string> texts_of(Fields& fields) {
  if (fields.has("text") == fields.has("texts")) {
    fields.refuse("text", "expected a text here, or a list of texts in \"texts\"");
  }
  return fields.has("text") ? std::vector<std::string>{fields.text("text")}
                            : fields.texts("texts", 256);
}

// What is translated. One stack reads a separator after it.
std::span<const int32_t> source_of(const GenerationRequest& request) {
  const std::span<const int32_t> prompt(request.prompt);
  return request.source.empty() ? prompt.first(prompt.size() - 1) : request.source;
}

Json alignment_json(const Pipeline& pipeline, const std::string& text, const std::string& generated,
                    const AttentionChoice& choice) {
  const AttentionMap map = pipeline.alignment(text, generated, choice);
  return {{"layer", map.layer}, {"head", choice.head}, {"weights", tensor_json(map.weights)}};
}

}  // namespace

HttpAnswer post_translate(Service& service, const Call& call) {
  Fields fields(call.body);
  const ServedModel& model = service.model(fields.text("model", ""));
  const Pipeline& pipeline = model.pipeline;
  if (!is_pair_task(pipeline.task())) {
    throw ApiError(
        400,
        "this is a model for " + std::string(name_of(pipeline.task())) + "; it does not translate",
        "model");
  }
  const std::vector<std::string> texts = texts_of(fields);
  GenerateTextOptions options;
  options.beam.width = fields.integer("beam", 1, {1, 16});
  options.beam.n_best = fields.integer("n_best", 1, {1, options.beam.width});
  options.beam.length_penalty = fields.number("length_penalty", 1, {-10, 10});
  options.max_tokens = fields.integer("max_tokens", 0, {0, service.options().max_tokens});
  options.begin = fields.text("begin", "");
  options.alternatives = fields.integer("alternatives", 0, {0, 100});
  const bool is_aligned = fields.flag("alignment", false), has_tree = fields.flag("tree", false);
  const AttentionChoice choice{.layer = fields.text("layer", ""),
                               .head = fields.integer("head", -1, {-1, 1 << 16})};
  fields.reject_unknown_fields();

  std::vector<PreparedGeneration> prepared_texts;
  GenerationEvents events(service, call.http);
  for (const std::string& text : texts) {
    prepared_texts.push_back(prepare_generation(pipeline, text, options));
    events.start(model, prepared_texts.back(), options, {.beams = has_tree});
  }
  std::vector<Json> pages(texts.size(), Json::object()), trees(texts.size(), Json::array());
  while (const auto one = events.next()) {
    if (one->kind == GenerationEvent::Kind::beam) {
      trees[one->text].push_back(beam_step_json(pipeline.tokenizer(), one->beam));
      continue;
    }
    const PreparedGeneration& prepared = prepared_texts[one->text];
    const GeneratedText& generated = one->generated;
    Json page = generation_json(generated.text, generated.generation);
    page["cut"] = prepared.cut;
    page["source"] = tokens_json(pipeline.tokenizer(), source_of(prepared.request));
    page["tokens"] =
        generated_tokens_json(pipeline.tokenizer(), generated.generation, prepared.end);
    page["others"] = others_json(pipeline.tokenizer(), generated, prepared.end);
    pages[one->text] = page;
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    if (has_tree) pages[i]["tree"] = trees[i];
    const std::string generated = pages[i]["text"];
    if (!is_aligned || generated.empty()) continue;
    service.compute(call.http, [&] {
      pages[i]["alignment"] = alignment_json(pipeline, texts[i], generated, choice);
    });
  }
  return json_answer({{"translations", pages}});
}

HttpAnswer post_classify(Service& service, const Call& call) {
  Fields fields(call.body);
  const Pipeline& pipeline = service.model(fields.text("model", "")).pipeline;
  const std::vector<std::string> texts = texts_of(fields);
  fields.reject_unknown_fields();
  std::vector<ClassifiedText> answers;
  service.compute(call.http, [&] { answers = pipeline.classify(texts); });
  Json results = Json::array();
  for (const ClassifiedText& one : answers) {
    Json probabilities = Json::object();
    for (size_t i = 0; i < one.probabilities.size(); ++i) {
      probabilities[pipeline.labels()[i]] = one.probabilities[i];
    }
    results.push_back({{"label", one.label}, {"probabilities", probabilities}, {"cut", one.cut}});
  }
  return json_answer({{"results", results}});
}

HttpAnswer post_tag(Service& service, const Call& call) {
  Fields fields(call.body);
  const Pipeline& pipeline = service.model(fields.text("model", "")).pipeline;
  const std::vector<std::string> texts = texts_of(fields);
  fields.reject_unknown_fields();
  std::vector<std::vector<TaggedWord>> answers;
  service.compute(call.http, [&] { answers = pipeline.tag(texts); });
  Json results = Json::array();
  for (const auto& one : answers) {
    Json words = Json::array();
    for (const TaggedWord& word : one) {
      words.push_back(
          {{"word", word.word}, {"tag", word.tag}, {"begin", word.begin}, {"end", word.end}});
    }
    results.push_back({{"words", words}});
  }
  return json_answer({{"results", results}});
}

}  // namespace heed::server
