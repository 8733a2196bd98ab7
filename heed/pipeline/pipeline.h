// A trained model behind one door: text in, answers out.
//
//   const heed::Pipeline model = heed::load("run");
//   model.generate("Once upon", {.sampling = {.temperature = 0.8, .top_p = 0.9}}).text
//   model.translate("the red car", {.beam = {.width = 4}}).text
//   model.classify("what a film").label
//
// Each function wants a model that was trained for it, and says so otherwise. Many texts at once
// are faster than one after the other; the answer to a text does not depend on the others. A
// Pipeline is const and may be shared by threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/generate/alignment.h"
#include "heed/pipeline/answers.h"
#include "heed/pipeline/embed_options.h"
#include "heed/pipeline/generate_text_options.h"
#include "heed/run/run_folder.h"
#include "heed/text/words.h"

namespace heed {

class HEED_API Pipeline {
 public:
  explicit Pipeline(LoadedRun run);

  const LoadedRun& run() const { return *run_; }
  const Tokenizer& tokenizer() const;
  Task task() const { return run_->config.settings.task; }
  const std::vector<std::string>& labels() const { return run_->config.labels; }
  int64_t context() const;  // tokens of a sequence that the model was made for; 0: any number

  // The continuation of a prompt, by a language model. An empty prompt stands for the beginning of
  // a text; one that is longer than the context is an Error.
  std::vector<GeneratedText> generate(std::span<const std::string> prompts,
                                      const GenerateTextOptions& options = {}) const;
  GeneratedText generate(const std::string& prompt, const GenerateTextOptions& options = {}) const;

  // The next answer of a conversation, whose last message is the user's, by a model with a chat
  // template (run().config.chat). If it is longer than the context, its oldest turns are left out.
  GeneratedText chat(std::span<const ChatMessage> messages,
                     const GenerateTextOptions& options = {}) const;

  // The answer to a text: its translation or summary. An empty text has an empty answer.
  std::vector<GeneratedText> translate(std::span<const std::string> texts,
                                       const GenerateTextOptions& options = {}) const;
  GeneratedText translate(const std::string& text, const GenerateTextOptions& options = {}) const;

  std::vector<ClassifiedText> classify(std::span<const std::string> texts) const;
  ClassifiedText classify(const std::string& text) const;

  // The words of a text (words.h) with their tags.
  std::vector<std::vector<TaggedWord>> tag(std::span<const std::string> texts,
                                           WordEdges edges = WordEdges::punctuation) const;
  std::vector<TaggedWord> tag(const std::string& text,
                              WordEdges edges = WordEdges::punctuation) const;

  // How likely a language model finds a text, given its first token, or all of it given the token
  // that the model wants before every text. A text longer than the context is scored in consecutive
  // windows.
  std::vector<ScoredText> score(std::span<const std::string> texts) const;
  // How likely each target is, its end included, given its source.
  std::vector<ScoredText> score(std::span<const std::string> sources,
                                std::span<const std::string> targets) const;

  // Hidden states of each text, [C] or, without pooling, [T, C]; with `layers` [L, C] or [L, T, C].
  std::vector<Tensor> embed(std::span<const std::string> texts,
                            const EmbedOptions& options = {}) const;
  Tensor embed(const std::string& text, const EmbedOptions& options = {}) const;
  int64_t blocks() const;                   // layers of the stack that embed() looks at
  std::vector<int64_t> all_layers() const;  // for EmbedOptions: the embedding, then each layer

  // Where the model looks. `target` is the answer to look at; if empty, the model writes it. Of
  // texts that are too long for the model, their beginning.
  AttentionMap attention(const std::string& text, const std::string& target = {},
                         const AttentionChoice& choice = {}) const;

  // Where each token of a target, and then its end, looks in the source, [T + 1, S]; unless chosen,
  // by the mean of the heads of the last layer that sees both. Of one stack the source is what
  // stands before the separator.
  AttentionMap alignment(const std::string& text, const std::string& target = {},
                         const AttentionChoice& choice = {}) const;
  bool has_alignment() const;  // not of a model without attention

 private:
  std::shared_ptr<const LoadedRun> run_;
};

// The folder of a run.
HEED_API Pipeline load(const std::string& path);

}  // namespace heed
