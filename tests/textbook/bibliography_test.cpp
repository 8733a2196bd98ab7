// docs/textbook/bibliography.md: whoever is referred to is in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace heed::bibliography_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(HEED_TEST_DATA) / ".." / "..";

// "- A. Author, B. Author. Title. Place YEAR." and the lines that go on with it, in one line.
std::vector<std::string> entries() {
  std::ifstream file(kRoot / "docs/textbook/bibliography.md");
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("- ")) {
      result.push_back(line.substr(2));
    } else if (line.starts_with("  ") && !result.empty()) {
      result.back() += line.substr(1);
    }
  }
  return result;
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

// An entry whose authors, before the first ". " that follows more than an initial, have the names.
bool is_listed(const std::vector<std::string>& all, const std::vector<std::string>& names,
               const std::string& year) {
  static const std::regex kAuthors(R"(^.*?[a-z]{2}\. )");
  return std::any_of(all.begin(), all.end(), [&](const std::string& entry) {
    std::smatch authors;
    if (!std::regex_search(entry, authors, kAuthors) || !has_word(entry, year)) return false;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.empty() || has_word(authors.str(), name);
    });
  });
}

// The text of a page, or the comments of a source file.
std::string prose(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (path.extension() != ".md") {
      const size_t comment = line.find("//");
      if (comment == std::string::npos) continue;
      line = line.substr(comment + 2);
    }
    text += line + " ";
  }
  return std::regex_replace(text, std::regex(" +"), " ");
}

std::vector<fs::path> readable_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"docs/textbook", "heed", "apps/cli/demos"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string extension = entry.path().extension();
      if (entry.path().filename() == "bibliography.md") continue;
      if (extension == ".md" || extension == ".h" || extension == ".cpp") {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

// R111: the seven works that the notes are built on.
TEST(Bibliography, HasTheWorksOfTheNotes) {
  const std::vector<std::string> all = entries();
  EXPECT_TRUE(is_listed(all, {"Vaswani"}, "2017"));
  EXPECT_TRUE(is_listed(all, {"Xu"}, "2015"));
  EXPECT_TRUE(is_listed(all, {"Bahdanau", "Cho", "Bengio"}, "2015"));
  EXPECT_TRUE(is_listed(all, {"Luong", "Pham", "Manning"}, "2015"));
  EXPECT_TRUE(is_listed(all, {"Nadaraya"}, "1964"));
  EXPECT_TRUE(is_listed(all, {"Watson"}, "1964"));
  EXPECT_TRUE(is_listed(all, {"Mack", "Silverman"}, "1982"));
  EXPECT_FALSE(is_listed(all, {"Watson"}, "1965"));
}

// R111: "Name 2020", "Name et al. 2020", "Name and Name (2020)" in any page or comment.
TEST(Bibliography, HasEveryReference) {
  static const std::regex kReference(
      R"(([A-Z][a-z]+)(?: et al\.| and others| (?:and|&) ([A-Z][A-Za-z]+))?,? \(?((?:19|20)[0-9]{2})\b)");
  static const std::regex kDate(
      "January|February|March|April|May|June|July|August|September|October|November|December|"
      "[A-Z][a-z]+day");
  const std::vector<std::string> all = entries();
  int64_t found = 0;
  for (const fs::path& path : readable_files()) {
    const std::string text = prose(path);
    for (std::sregex_iterator at(text.begin(), text.end(), kReference), end; at != end; ++at) {
      if (std::regex_match((*at)[1].str(), kDate)) continue;
      ++found;
      EXPECT_TRUE(is_listed(all, {(*at)[1], (*at)[2]}, (*at)[3])) << path << ": " << at->str();
    }
  }
  EXPECT_GE(found, 40);
}

}  // namespace
}  // namespace heed::bibliography_test
