// heed demo and the table of requirements say the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/demo_run.h"

namespace heed::demo_requirements_test {
namespace {

// Requirement numbers of "R1, R3, R21-R25".
std::set<int> numbers_in(const std::string& text) {
  std::set<int> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    part.erase(0, part.find('R') + 1);
    const size_t dash = part.find('-');
    const int first = std::stoi(part);
    const int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 2));
    for (int number = first; number <= last; ++number) numbers.insert(number);
  }
  return numbers;
}

// R109: every requirement of the chapters has a function and a command, a demo says which it
// answers to as the table does, and every demo is on a page of the textbook. (scripts/requirements
// --check, which is a test too, finds the functions in the headers.)
TEST(CliDemo, TheTableAndTheDemosAgree) {
  std::map<std::string, std::set<int>> answered;
  for (const auto& each : nlohmann::json::parse(run_heed({"demo", "--list", "--json"}).out)) {
    answered[each["name"].get<std::string>()] = numbers_in(each["requirements"].get<std::string>());
  }
  const std::string docs = HEED_TEST_DATA "/../../docs/textbook";
  std::ifstream table(docs + "/requirements.tsv");
  std::map<std::string, std::set<int>> in_table;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) fields.push_back(cell);
    ASSERT_GE(fields.size(), 4u) << line;
    const int number = std::stoi(fields[0]);
    if (number <= 57 || (number >= 75 && number <= 83)) {
      EXPECT_NE(fields[2], "-") << "no function: " << line;
      EXPECT_NE(fields[3], "-") << "no command: " << line;
    }
    std::istringstream commands(fields[3]);
    for (std::string command; std::getline(commands, command, ';');) {
      const size_t at = command.find("heed demo ");
      if (at != std::string::npos) in_table[command.substr(at + 10)].insert(number);
    }
  }
  std::string pages_text;
  for (const auto& entry : std::filesystem::directory_iterator(docs)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".md") && name != "requirements.md")
      pages_text += text_in(entry.path().string());
  }
  for (const auto& [name, numbers] : answered) {
    EXPECT_EQ(numbers, in_table[name]) << name;
    EXPECT_NE(pages_text.find("heed demo " + name), std::string::npos) << name << " is on no page";
  }
}

// Every requirement of the chapters A to F, I, K and L is somewhere in the list.
TEST(CliDemo, TheListNamesEveryRequirement) {
  const std::string list = run_heed({"demo", "--list"}).out;
  std::set<int> named;
  for (size_t at = list.find('('); at != std::string::npos; at = list.find('(', at + 1)) {
    const std::string inside = list.substr(at + 1, list.find(')', at) - at - 1);
    if (inside.starts_with("R")) named.merge(numbers_in(inside));
  }
  for (int number = 1; number <= 112; ++number) {
    const bool is_ours = number <= 57 || (number >= 75 && number <= 83) || number >= 98;
    EXPECT_TRUE(!is_ours || named.contains(number)) << "R" << number;
  }
}

}  // namespace
}  // namespace heed::demo_requirements_test
