// What the commands have in common that pass texts through a model: lines of files or of stdin in,
// results out.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/options/command_line.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {

struct ModelFilter {
  std::string model;  // folder of a run
  std::vector<std::string> files;
  std::string text;  // -p: one text instead of lines
  bool has_text = false;
  int threads = 0;
  bool json = false;
};

// FILES, -m, -p, -t and --json. `prompt` is the help of -p.
void add_filter_options(Command& command, ModelFilter& filter, const std::string& prompt);

// To be called when the options are known: raises a UsageError.
void check_filter(const Command& command, ModelFilter& filter);

Pipeline open_model(const ModelFilter& filter);

// Calls use(texts) with the text of -p, or with some lines at a time until all had their turn;
// lines do not wait for others that were not written yet. What use() prints goes out line by line.
// Lines that are not UTF-8 are counted, and told on stderr at the end.
// `mistake` says what is wrong with a text, or nothing: an Error then names its line, after those
// before it had their turn.
void for_each_group(const ModelFilter& filter,
                    const std::function<void(std::span<const std::string> texts)>& use,
                    const std::function<std::string(const std::string& text)>& mistake = {});

// Says on stderr that some texts were longer than the model was trained with.
void tell_cut(const Pipeline& pipeline, int64_t count);

// One line on stdout. Bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::ordered_json& page);

}  // namespace heed::cli
