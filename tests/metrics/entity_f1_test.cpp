#include "heed/metrics/entity_f1.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heed/base/error.h"
#include "tests/metrics/goldens.h"

namespace heed {
namespace {

using Tags = std::vector<std::string>;
using Sentences = std::vector<Tags>;

Tags split(const std::string& text) {
  std::istringstream words(text);
  Tags tags;
  for (std::string tag; words >> tag;) tags.push_back(tag);
  return tags;
}

using Entities = std::vector<Entity>;

TEST(EntityF1, Schemes) {
  const Entities two{{"PER", 0, 2}, {"PER", 2, 3}};
  EXPECT_EQ(entities(split("I-PER I-PER B-PER O")), two);  // IOB1
  EXPECT_EQ(entities(split("B-PER I-PER B-PER O")), two);  // IOB2
  EXPECT_EQ(entities(split("B-PER E-PER S-PER O")), two);  // IOBES
  EXPECT_EQ(entities(split("B-A I-B")), (Entities{{"A", 0, 1}, {"B", 1, 2}}));
  EXPECT_EQ(entities(split("O I-A-B I-A-B")), (Entities{{"A-B", 1, 3}}));
  EXPECT_EQ(entities(split("S-A I-A E-A E-A")), (Entities{{"A", 0, 1}, {"A", 1, 3}, {"A", 3, 4}}));
  EXPECT_EQ(entities({}), Entities{});
}

// The example in the documentation of seqeval, which agrees with conlleval: F1 is 0.5.
TEST(EntityF1, ExampleOfSeqeval) {
  const Sentences expected{split("O O O B-MISC I-MISC I-MISC O"), split("B-PER I-PER O")};
  const Sentences predicted{split("O O B-MISC I-MISC I-MISC I-MISC O"), split("B-PER I-PER O")};
  const EntityScore score = entity_f1(predicted, expected);
  EXPECT_DOUBLE_EQ(score.all.scores().f1, 0.5);
  EXPECT_EQ(score.types.at("MISC").scores().f1, 0);
  EXPECT_EQ(score.types.at("PER").scores().f1, 1);
  EXPECT_DOUBLE_EQ(score.tags.value(), 0.8);
}

TEST(EntityF1, EntitiesEndWithTheSentence) {
  const EntityScore score =
      entity_f1(Sentences{split("B-A"), split("I-A")}, Sentences{split("B-A"), split("I-A")});
  EXPECT_EQ(score.all.correct, 2);
}

TEST(EntityF1, Goldens) {
  for (const Tags& line : golden_lines("entities")) {
    const EntityScore score = entity_f1(Sentences{split(line.at(1))}, Sentences{split(line.at(0))});
    EXPECT_EQ(score.all.correct, std::stoll(line.at(2))) << line[0] << " / " << line[1];
    EXPECT_EQ(score.all.found, std::stoll(line.at(3)));
    EXPECT_EQ(score.all.expected, std::stoll(line.at(4)));
  }
}

TEST(EntityF1, WhatDoesNotFit) {
  EXPECT_THROW(entity_f1(Sentences{{"O"}}, Sentences{}), Error);
  EXPECT_THROW(entity_f1(Sentences{{"O"}}, Sentences{{"O", "O"}}), Error);
  for (const char* tag : {"", "PER", "X-PER", "O-PER", "-PER", "BI-PER"}) {
    EXPECT_THROW(entities(Tags{tag}), Error) << tag;
  }
  EXPECT_EQ(entity_f1(Sentences{}, Sentences{}).all.scores().f1, 0);
}

}  // namespace
}  // namespace heed
