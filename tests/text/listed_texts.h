// Texts with the ids that a tokenizer must give: VOCABULARY.inp, where a line of its own follows
// each text, and VOCABULARY.out with a line of ids for each.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heed {

struct ListedTexts {
  explicit ListedTexts(const std::string& vocabulary) {
    std::ostringstream all;
    all << std::ifstream(vocabulary + ".inp", std::ios::binary).rdbuf();
    const std::string text = all.str(), line = "\n__ggml_vocab_test__\n";
    size_t begin = 0;
    for (size_t end; (end = text.find(line, begin)) != std::string::npos;
         begin = end + line.size()) {
      texts.push_back(text.substr(begin, end - begin));
    }
    if (begin < text.size()) texts.push_back(text.substr(begin));
    std::ifstream lines(vocabulary + ".out");
    for (std::string numbers; std::getline(lines, numbers);) {
      std::istringstream in(numbers);
      std::vector<int32_t>& one = ids.emplace_back();
      for (int32_t id; in >> id;) one.push_back(id);
    }
  }
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> ids;
};

}  // namespace heed
