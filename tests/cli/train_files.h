// Small data and small models for tests of heed train.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heed {

// Files of words drawn at random; the same at every call.
std::vector<std::string> pair_files(int64_t lines = 60);  // source, and the same words backwards
std::string text_file(int64_t lines = 120);
std::string labeled_file(int64_t lines = 60);  // label<TAB>text
std::string tagged_file(int64_t lines = 60);   // CoNLL

// The data of a task, as --train and --data take it.
std::vector<std::string> files_for(const std::string& task);

// A file with this text in the folder of the test run.
std::string file_with(const std::string& name, const std::string& text);
std::string file_text(const std::string& path);

// Of model.safetensors in the folder of a run.
size_t model_hash(const std::string& folder);

// heed train TASK --train .. -o DIR with a model of a few thousand parameters, and `more`.
std::vector<std::string> train_arguments(const std::string& task, const std::string& folder,
                                         const std::vector<std::string>& more = {});

// Runs that command, expects the files of a run, and returns its folder.
std::string trained_run(const std::string& task, const std::vector<std::string>& more = {});
nlohmann::json config_of(const std::string& folder);
// heed eval of a run.
nlohmann::json evaluated(const std::string& folder, const std::vector<std::string>& data);

}  // namespace heed
