// Reads goldens.txt; make_goldens.py, which has written it, says what is in it.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace heed {

// The fields of the lines that begin with `kind`, without it.
inline std::vector<std::vector<std::string>> golden_lines(const std::string& kind) {
  const std::string path = HEED_TEST_DATA "/goldens.txt";
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot open");
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(kind + "\t", 0) != 0) continue;
    lines.emplace_back();
    line += '\t';  // getline would not see an empty field at the end
    std::istringstream fields(line.substr(kind.size() + 1));
    for (std::string field; std::getline(fields, field, '\t');) lines.back().push_back(field);
  }
  return lines;
}

struct GoldenCorpus {
  std::vector<std::string> hypotheses, first;           // first: the first reference of each
  std::vector<std::vector<std::string>> references[3];  // with this many references; [0] is empty
};

inline GoldenCorpus golden_corpus() {
  GoldenCorpus corpus;
  for (const std::vector<std::string>& line : golden_lines("sentence")) {
    corpus.hypotheses.push_back(line.at(0));
    corpus.first.push_back(line.at(1));
    corpus.references[1].push_back({line.at(1)});
    corpus.references[2].push_back({line.at(1), line.at(2)});
  }
  return corpus;
}

}  // namespace heed
