#include "heed/metrics/entity_f1.h"

#include <string_view>

#include "heed/base/fail.h"

namespace heed {
namespace {

struct Tag {
  char prefix = 'O';
  std::string_view type;
};

Tag parse(std::string_view tag) {
  const std::string_view prefix = tag.substr(0, tag.find('-'));
  check(prefix.size() == 1 && std::string_view("BIESO").find(prefix) != std::string_view::npos &&
            (prefix != "O" || tag == "O"),
        "entities: tag '{}' is none of O, B-TYPE, I-TYPE, E-TYPE, S-TYPE", tag);
  return {prefix[0], tag.size() > 1 ? tag.substr(2) : std::string_view()};
}

bool begins(const Tag& tag, const Tag& before) {
  return tag.prefix == 'B' || tag.prefix == 'S' || before.prefix == 'O' || before.prefix == 'E' ||
         before.prefix == 'S' || before.type != tag.type;
}

void count(EntityScore& score, std::span<const Entity> found, std::span<const Entity> expected) {
  for (const Entity& entity : found) ++score.types[entity.type].found;
  for (const Entity& entity : expected) ++score.types[entity.type].expected;
  size_t j = 0;  // both are in order, and neither overlaps itself
  for (const Entity& entity : found) {
    while (j < expected.size() && expected[j].begin < entity.begin) ++j;
    if (j < expected.size() && expected[j] == entity) ++score.types[entity.type].correct;
  }
}

}  // namespace

std::vector<Entity> entities(std::span<const std::string> tags) {
  std::vector<Entity> all;
  Tag before;
  for (size_t i = 0; i < tags.size(); ++i) {
    const Tag tag = parse(tags[i]);
    const auto at = static_cast<int64_t>(i);
    if (tag.prefix != 'O') {
      if (begins(tag, before)) all.push_back({std::string(tag.type), at, at});
      all.back().end = at + 1;
    }
    before = tag;
  }
  return all;
}

EntityScore entity_f1(std::span<const std::vector<std::string>> predicted,
                      std::span<const std::vector<std::string>> expected) {
  check(predicted.size() == expected.size(),
        "entity_f1: {} predicted sentences, but {} expected ones; there must be as many",
        predicted.size(), expected.size());
  EntityScore score;
  for (size_t i = 0; i < predicted.size(); ++i) {
    check(predicted[i].size() == expected[i].size(),
          "entity_f1: sentence {} has {} predicted tags, but {} expected ones", i + 1,
          predicted[i].size(), expected[i].size());
    for (size_t j = 0; j < predicted[i].size(); ++j) {
      score.tags.correct += predicted[i][j] == expected[i][j] ? 1 : 0;
      ++score.tags.total;
    }
    count(score, entities(predicted[i]), entities(expected[i]));
  }
  for (const auto& [type, counts] : score.types) {
    score.all.correct += counts.correct;
    score.all.found += counts.found;
    score.all.expected += counts.expected;
  }
  return score;
}

}  // namespace heed
