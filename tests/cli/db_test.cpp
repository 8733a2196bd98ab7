// heed db as a user runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/io/npy.h"
#include "tests/cli/program.h"

namespace heed::db_test {
namespace {

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path) << text;
  return path;
}

void expect_failure(const std::vector<std::string>& arguments, const std::string& message) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

// R1, R8: the dictionary of the notes with texts as keys.
TEST(CliDb, TextsAsKeys) {
  const std::string pairs = file_with("fruit.jsonl",
                                      "{\"key\": \"apple\", \"value\": 8}\n"
                                      "{\"key\": \"apricot\", \"value\": 4}\n\n"
                                      "{\"key\": \"orange\", \"value\": 3}\n");
  const std::string db = temporary("fruit.heed");
  ASSERT_EQ(run_heed({"db", "create", db, pairs}).code, 0);
  expect_near(run_json({"db", "query", db, "--name", "apple"})["value"], {8});
  const auto page = run_json({"db", "query", db, "--text", "orangicot", "--top", "2"});
  EXPECT_NE(page["names"][0], "apple");
  EXPECT_GT(page["value"][0][0].get<double>(), 3);
  EXPECT_LT(page["value"][0][0].get<double>(), 4.5);
  expect_failure({"db", "query", db, "--name", "orangicot"}, "no entry 'orangicot'");
  expect_failure({"db", "create", db, pairs}, "exists");
  const auto info = run_json({"db", "info", db});
  EXPECT_EQ(info["entries"], 3);
  EXPECT_EQ(info["names"], true);
}

// What weighs most is shown with its key and value, and counted from 1 as everywhere.
TEST(CliDb, NamesEntriesByKeyAndValue) {
  const std::string pairs = file_with("fruit.csv",
                                      "sweet,round,price\n"
                                      "1,1,8\n0.9,0.8,4\n0.5,1,3\n0.2,0.1,1\n");
  const std::string db = temporary("fruits.heed");
  ASSERT_EQ(run_heed({"db", "create", db, pairs, "--key", "sweet,round", "--value", "price"}).code,
            0);
  const std::vector<std::string> ask{"db",      "query",    db,      "--q", "1,0;0,0",
                                     "--score", "gaussian", "--top", "2"};
  const Outcome outcome = run_heed(ask);
  EXPECT_NE(outcome.out.find("query 1: 3.89303\n"
                             "  weight    entry  key         value\n"
                             "  0.279308  2      (0.9, 0.8)  4\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("query 2: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("4      (0.2, 0.1)  1\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("query 0"), std::string::npos) << outcome.out;
  const auto page = run_json(ask);
  EXPECT_EQ(page["entries"][0][0], 2);
  expect_near(page["keys"][0][0], {0.9, 0.8});
  expect_near(page["values"][0][0], {4});
  expect_near(page["keys"][1][0], {0.2, 0.1});
  EXPECT_FALSE(page.contains("names"));
}

// Keys that are texts are their names; the vectors behind them say nothing.
TEST(CliDb, NamesTexts) {
  const std::string db = temporary("texts.heed");
  const std::string pairs = file_with("texts.jsonl",
                                      "{\"key\": \"apple\", \"value\": [8, 1]}\n"
                                      "{\"key\": \"orange\", \"value\": [3, 2]}\n");
  ASSERT_EQ(run_heed({"db", "create", db, pairs}).code, 0);
  const std::vector<std::string> ask{"db", "query", db, "--text", "orangicot", "--top", "1"};
  const Outcome outcome = run_heed(ask);
  EXPECT_NE(outcome.out.find("  weight    entry  name    value\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("  2      orange  (3, 2)\n"), std::string::npos) << outcome.out;
  const auto page = run_json(ask);
  EXPECT_EQ(page["names"][0], "orange");
  EXPECT_FALSE(page.contains("keys"));
  // Entries that were appended later, with wide keys: what does not fit is left out.
  const std::string wide = temporary("wide.heed");
  const std::string row = "0.123456,1.234567,2.345678,3.456789,4.567891,5.678912,6.789123,7.891234";
  ASSERT_EQ(run_heed({"db", "create", wide, "--keys", row, "--values", row}).code, 0);
  ASSERT_EQ(run_heed({"db", "add", wide, "--keys", "0,0,0,0,0,0,0,0", "--values", row}).code, 0);
  const Outcome lines = run_heed({"db", "query", wide, "--q", row});
  EXPECT_NE(lines.out.find("(0.123456, 1.23457, "), std::string::npos) << lines.out;
  EXPECT_NE(lines.out.find(", ..)"), std::string::npos) << lines.out;
  std::istringstream all(lines.out);
  for (std::string line; std::getline(all, line);) EXPECT_LE(line.size(), 80u) << line;
}

// Many words that have nothing to do with the query do not outweigh the one that has.
TEST(CliDb, UnrelatedTextsWeighLittle) {
  std::string pairs;
  for (int i = 0; i < 1000; ++i) {  // syllables
    std::string word;
    for (int k = 0, n = i; k < 3; ++k, n /= 10)
      word += std::string("bdfgklmprs").substr(n % 10, 1) + "aeiou"[(i + k) % 5];
    pairs += fmt::format("{{\"key\": \"{}\", \"value\": 0}}\n", word);
  }
  pairs += "{\"key\": \"station\", \"value\": 1}\n";
  const std::string db = temporary("words.heed");
  ASSERT_EQ(run_heed({"db", "create", db, file_with("words.jsonl", pairs)}).code, 0);
  for (const char* text : {"station", "stations", "statoin"}) {
    const auto page = run_json({"db", "query", db, "--text", text, "--top", "1"});
    EXPECT_EQ(page["names"][0], "station") << text;
    EXPECT_GT(page["value"][0][0].get<double>(), 0.95) << text;
  }
}

// The bound that is printed is never below the one that was computed.
TEST(CliDb, CertifiedErrorsAreRoundedUp) {
  std::string keys, values;
  for (int i = 0; i < 400; ++i) {
    keys += fmt::format("{}{},{}", i > 0 ? ";" : "", i % 20, i % 7 * 0.1);
    values += fmt::format("{}{}", i > 0 ? ";" : "", i % 13);
  }
  const std::string db = temporary("certified.heed");
  ASSERT_EQ(
      run_heed({"db", "create", db, "--keys", keys, "--values", values, "--cells", "20"}).code, 0);
  for (const char* at : {"3.1,0.2", "7.7,0.4", "12.3,0.1", "18.9,0.5"}) {
    std::vector<std::string> ask{"db",      "query",       db,         "--q",
                                 at,        "--score",     "gaussian", "--normalizer",
                                 "softmax", "--max-error", "5%"};
    const std::string text = run_heed(ask).out;
    const double error = run_json(ask)["error"][0];
    ASSERT_GT(error, 0) << text;
    const size_t found = text.find("at most ");
    ASSERT_NE(found, std::string::npos) << text;
    const double printed = std::stod(text.substr(found + 8));
    EXPECT_GE(printed, error) << text;
    EXPECT_LE(printed, 1.011 * error) << text;
  }
}

TEST(CliDb, QueriesWithoutAnAnswer) {
  const std::string db = temporary("unanswered.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;7"}).code, 0);
  expect_failure({"db", "query", db, "--q", "1,nan"}, "query 1 has a number that is not finite");
  expect_failure({"db", "query", db, "--q", "1,0;inf,0"}, "query 2 has a number");
  for (const char* top : {"0", "2"}) {
    expect_failure(
        {"db", "query", db, "--q", "1,0;9,9", "--score", "boxcar", "--width", "0.1", "--top", top},
        "no key is in reach of query 2; use a larger --width");
  }
  expect_failure({"db", "query", db, "--text", "apple"}, "are vectors of width 2, not texts");
}

TEST(CliDb, ArraysAndCsv) {
  const std::string db = temporary("plane.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;7"}).code, 0);
  const std::string more = file_with("more.csv", "a,b,c\n1,1,9\n");
  ASSERT_EQ(run_heed({"db", "add", db, more, "--key", "a,b", "--value", "c"}).code, 0);
  EXPECT_EQ(run_json({"db", "info", db})["parts"], 2);
  expect_near(run_json({"db", "query", db, "--q", "1,1", "--normalizer", "one-hot", "--score",
                        "gaussian"})["value"],
              {{9}});
  expect_near(run_json({"db", "query", db, "--q", "1,1", "--score", "constant"})["value"], {{7}});
  const std::string y = temporary("db_y.npy");
  const std::string w = temporary("db_w.npy");
  EXPECT_EQ(run_heed({"db", "query", db, "--q", "1,0;0,1", "-o", y, "--weights", w}).code, 0);
  EXPECT_EQ(load_npy(y).text(), "float32 [2, 1]");
  EXPECT_EQ(load_npy(w).text(), "float32 [2, 3]");
  const Outcome text = run_heed({"db", "query", db, "--q", "1,1", "--max-error", "5%"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("every key was read"), std::string::npos) << text.out;
}

TEST(CliDb, BadInputLosesNothing) {
  const std::string db = temporary("kept.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;7"}).code, 0);
  expect_failure({"db", "add", db, "--keys", "1,2,3", "--values", "5"}, "keys [m, 2]");
  expect_failure({"db", "add", db, "--keys", "1,2", "--values", "5;6"}, "one value per key");
  expect_failure({"db", "add", db, "--keys", "nan,2", "--values", "5"}, "not finite");
  expect_failure({"db", "add", db, file_with("bad.jsonl", "{\"key\": [1,2]}\n")}, "line 1");
  expect_failure({"db", "add", db, file_with("bad2.jsonl", "{\"key\":[1,2],\"value\":1}\nx\n")},
                 "line 2");
  expect_failure({"db", "add", db, temporary("none.csv"), "--key", "a", "--value", "b"},
                 "cannot read");
  expect_failure({"db", "create", db, "--keys", "nan,1", "--values", "5", "--force"}, "not finite");
  EXPECT_EQ(run_json({"db", "info", db})["entries"], 2);
  EXPECT_EQ(run_heed({"db", "query", db, "--q", "1,2,3"}).code, 1);
  expect_failure({"db", "query", file_with("text.heed", "hello"), "--q", "1"}, "not a database");
  EXPECT_EQ(run_heed({"db"}).code, 2);
  EXPECT_EQ(run_heed({"db", "query", db}).code, 2);
  EXPECT_EQ(run_heed({"db", "qery", db}).code, 2);
}

// --force replaces a database, not whatever has the name: a device would be gone for every program.
TEST(CliDb, ForceReplacesNothingButDatabases) {
  const std::string table = file_with("precious.csv", "a,b\n1,2\n");
  expect_failure({"db", "create", table, "--keys", "1", "--values", "2", "--force"},
                 "is not a database of heed, so --force does not replace it");
  expect_failure({"db", "create", table, table, "--key", "a", "--value", "b", "--force"},
                 "is not a database");
  std::ifstream kept(table);
  std::string line;
  EXPECT_TRUE(std::getline(kept, line) && line == "a,b");
  const std::string folder = temporary("a_folder");
  std::filesystem::create_directories(folder);
  expect_failure({"db", "create", folder, "--keys", "1", "--values", "2", "--force"},
                 "is not a database");
  expect_failure({"db", "create", "/dev/null", "--keys", "1", "--values", "2", "--force"},
                 "is not a database");
  ASSERT_TRUE(std::filesystem::is_character_file("/dev/null"));
  // Through a link the database behind it is replaced, and the link stays.
  const std::string db = temporary("linked.heed"), link = temporary("link.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1", "--values", "2"}).code, 0);
  std::filesystem::remove(link);
  std::filesystem::create_symlink(db, link);
  ASSERT_EQ(run_heed({"db", "create", link, "--keys", "1;3", "--values", "2;4", "--force"}).code,
            0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(run_json({"db", "info", db})["entries"], 2);
}

// Messages speak of the files and options that the user named.
TEST(CliDb, MessagesNameWhatWasTyped) {
  const std::string db = temporary("named.heed");
  expect_failure({"db", "create", db, "--keys", "1,0;nan,1", "--values", "5;7"},
                 "--keys: row 2 has a number that is not finite");
  expect_failure({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;inf"},
                 "--values: row 2 has a number that is not finite");
  const std::string nowhere = temporary("no_folder") + "/x.heed";
  const Outcome outcome = run_heed({"db", "create", nowhere, "--keys", "1", "--values", "2"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find(nowhere + ": cannot write"), std::string::npos) << outcome.err;
}

// A database that was copied in part is told from a file that never was one.
TEST(CliDb, CutOffInItsHead) {
  const std::string db = temporary("whole.heed"), part = temporary("part.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1", "--values", "2", "--force"}).code, 0);
  for (const uintmax_t bytes : {uintmax_t{20}, uintmax_t{4000}}) {
    std::filesystem::copy_file(db, part, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(part, bytes);
    expect_failure({"db", "info", part}, fmt::format("the file is cut off: {} bytes", bytes));
    expect_failure({"db", "add", part, "--keys", "1", "--values", "2"}, "the file is cut off");
  }
}

// A disk that is full: what was there stays, and no half of the new part takes the last room.
TEST(CliDb, NoRoomToAdd) {
  const std::string db = temporary("room.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;7"}).code, 0);
  std::string many = "a,b,c\n";
  for (int i = 0; i < 4000; ++i) many += fmt::format("{},{},{}\n", i, i % 7, i);
  const std::string pairs = file_with("many.csv", many);
  const auto bytes = std::filesystem::file_size(db);
  const std::string line =
      fmt::format("trap '' XFSZ; ulimit -f 40; '{}' db add {} {} --key a,b --value c 2> {}",
                  HEED_PROGRAM, db, pairs, temporary("room.err"));
  EXPECT_NE(std::system(line.c_str()), 0);
  std::ifstream err(temporary("room.err"));
  std::string message;
  std::getline(err, message);
  EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
  EXPECT_EQ(std::filesystem::file_size(db), bytes);
  EXPECT_EQ(run_json({"db", "info", db})["entries"], 2);
}

// Results are not written over what they are made from.
TEST(CliDb, ResultsDoNotReplaceQueries) {
  const std::string db = temporary("asked.heed");
  ASSERT_EQ(run_heed({"db", "create", db, "--keys", "1,0;0,1", "--values", "5;7"}).code, 0);
  const std::string queries = file_with("queries.csv", "1,0\n");
  expect_failure({"db", "query", db, "--q", queries, "-o", queries}, "would replace");
  expect_failure({"db", "query", db, "--q", queries, "--weights", queries}, "would replace");
}

TEST(CliDb, PairsInLatin1) {
  const std::string pairs = file_with("latin.csv", "name,v\ncaf\xe9,1\n");
  const std::string db = temporary("latin.heed");
  expect_failure({"db", "create", db, pairs, "--name", "name", "--value", "v"},
                 "--encoding latin1");
  ASSERT_EQ(run_heed({"db", "create", db, pairs, "--name", "name", "--value", "v", "--encoding",
                      "latin1"})
                .code,
            0);
  expect_near(run_json({"db", "query", db, "--name", "caf\u00e9"})["value"], {1});
}

}  // namespace
}  // namespace heed::db_test
