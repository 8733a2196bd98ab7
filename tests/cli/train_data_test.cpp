// How heed train reads its data: formats, columns, encodings, validation data, and what it says.

#include <gtest/gtest.h>

#include <cstdlib>

#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::train_data_test {
namespace {

using Words = std::vector<std::string>;

// 20 records, the first in the first row; eval reads its data in the same way.
TEST(TrainData, CsvWithoutAHeader) {
  std::string rows;
  for (int i = 0; i < 10; ++i) rows += "1,\"a good, red car\"\n2,\"the old dog\"\n";
  const std::string file = file_with("no-header.csv", rows), folder = temporary("no-header");
  const Words model{"--dim", "16", "--heads", "2", "--layers", "1", "--steps", "2", "-t", "1"};
  Words arguments{"train", "classify", "--train", file, "-o", folder};
  arguments.insert(arguments.end(), model.begin(), model.end());
  const Outcome refused = run_heed(arguments);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("add --no-header"), std::string::npos) << refused.err;
  arguments.emplace_back("--no-header");
  const Outcome outcome = run_heed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(config_of(folder)["labels"], (Words{"1", "2"}));
  EXPECT_EQ(config_of(folder)["settings"]["format"], "csv-no-header");
  EXPECT_EQ(evaluated(folder, {file})["tokens"], 20);
}

// The word in the second column and the tag in the one before the last; eval reads its data in the
// same way.
TEST(TrainData, ColumnsOfTaggedFiles) {
  std::string rows;
  for (int i = 0; i < 10; ++i) rows += "1 the DET x\n2 dog NOUN x\n3 sleeps VERB y\n\n";
  const std::string file = file_with("columns.conll", rows), folder = temporary("columns");
  const Outcome outcome =
      run_heed({"train",          "tag", "--train",      file, "--valid", file, "-o",      folder,
                "--token-column", "2",   "--tag-column", "-2", "--dim",   "16", "--heads", "2",
                "--layers",       "1",   "--steps",      "2",  "-t",      "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(config_of(folder)["labels"], (Words{"DET", "NOUN", "VERB"}));
  EXPECT_EQ(config_of(folder)["settings"]["token-column"], 2);
  EXPECT_EQ(config_of(folder)["settings"]["tag-column"], -2);
  const auto page = evaluated(folder, {file});
  EXPECT_EQ(page["tokens"], 30);
  EXPECT_EQ(run_json({"info", folder})["validations"][0]["valid"]["loss"], page["loss"]);
  EXPECT_EQ(run_heed({"tag", "-m", folder, "-p", "the dog"}).out.substr(0, 4), "the\t");
}

// Words whose tag training did not have, and words that were cut off, are wrong answers.
TEST(TrainData, WordsThatNoAnswerIsRightFor) {
  std::string rows, other;
  for (int i = 0; i < 10; ++i) {
    rows += "the O\nAnna B-NAME\nsleeps O\n\n";
    other += "the O\nAnna B-NAME\nsleeps B-NEW\n\n";
  }
  const std::string file = file_with("known.conll", rows), new_tags = file_with("new.conll", other);
  const auto trained = [&](const std::string& folder, const std::string& max_length) {
    const Outcome outcome = run_heed(
        {"train",       "tag",  "--train", file,   "--valid",      file,       "-o",       folder,
         "--tokenizer", "word", "--dim",   "16",   "--heads",      "2",        "--layers", "1",
         "--steps",     "60",   "--lr",    "0.01", "--max-length", max_length, "-t",       "1"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return folder;
  };
  const std::string whole = trained(temporary("whole-tags"), "9");
  EXPECT_EQ(evaluated(whole, {file})["accuracy"], 100);
  EXPECT_EQ(evaluated(whole, {file})["f1"], 100);
  EXPECT_NEAR(evaluated(whole, {new_tags})["accuracy"], 200.0 / 3, 1e-9);
  EXPECT_NEAR(evaluated(whole, {new_tags})["f1"], 200.0 / 3, 1e-9);  // all found, half expected
  // Tags of another scheme, also with a type of this one.
  std::string no_entities;
  for (int i = 0; i < 10; ++i) no_entities += "the O\nAnna B-NAME\nsleeps VERB\nAnna NAME\n\n";
  const auto strange = evaluated(whole, {file_with("strange.conll", no_entities)});
  EXPECT_EQ(strange["accuracy"], 50);
  EXPECT_NEAR(strange["f1"], 40, 1e-9);  // two found, one of them right, three expected
  const std::string cut = trained(temporary("cut-tags"), "2");
  EXPECT_NEAR(evaluated(cut, {file})["accuracy"], 200.0 / 3, 1e-9);
  EXPECT_EQ(evaluated(cut, {file})["f1"], 100);
}

TEST(TrainData, TheFormatAndBothNamesOfAnEncoding) {
  const std::string folder = trained_run("tag", {"--format", "conll", "--encoding", "utf8"});
  EXPECT_EQ(config_of(folder)["settings"]["encoding"], "utf-8");
  EXPECT_EQ(config_of(folder)["settings"]["format"], "conll");
}

TEST(TrainData, TheFormatOfLabels) {
  std::string rows;
  for (int i = 0; i < 5; ++i) rows += "x,good,a car\ny,bad,the dog\n";
  const std::string file = file_with("table.txt", "id,sort,words\n" + rows);
  const std::string folder = temporary("table");
  const Outcome outcome = run_heed(
      {"train",          "classify", "--train", file,   "--format", "csv", "--text-column", "words",
       "--label-column", "sort",     "-o",      folder, "--dim",    "16",  "--heads",       "2",
       "--layers",       "1",        "--steps", "1",    "-t",       "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(config_of(folder)["labels"], (Words{"bad", "good"}));
  EXPECT_EQ(config_of(folder)["settings"]["format"], "csv");
  for (const char* format : {"tsv", "conll"}) {
    const Outcome wrong = run_heed({"train", "classify", "--train", file, "--format", format, "-o",
                                    temporary("wrong-format"), "--quiet"});
    EXPECT_EQ(wrong.code, 1) << format;
    EXPECT_NE(wrong.err.find(file), std::string::npos) << wrong.err;
  }
}

// A file is read as in training, whatever its name, unless eval is given another format.
TEST(TrainData, EvalReadsTheFormatOfTheRun) {
  std::string rows;
  for (int i = 0; i < 10; ++i) rows += "good,a car\nbad,the dog\n";
  const std::string file = file_with("eval-table.txt", "label,text\n" + rows);
  const std::string folder = temporary("eval-table");
  const Outcome outcome =
      run_heed({"train", "classify", "--train", file, "--format", "csv", "-o", folder, "--dim",
                "16", "--heads", "2", "--layers", "1", "--steps", "1", "-t", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("the first line is a header: text from 'text', label from 'label'\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(evaluated(folder, {file})["tokens"], 20);
  const std::string tabs = file_with("eval-tabs.txt", "good\ta car\nbad\tcaf\xe9\n");
  const auto page = run_json(
      {"eval", "-m", folder, "-t", "1", "--data", tabs, "--format", "tsv", "--encoding", "latin1"});
  EXPECT_EQ(page["tokens"], 2);
}

// Not even a part of a pipe is lost.
TEST(TrainData, EvalOfAPipe) {
  const std::string out = temporary("pipe-out"), err = temporary("pipe-err");
  const auto piped = [&](const std::string& task, const std::string& more) {
    const std::string command = "cat '" + files_for(task)[0] + "' | '" HEED_PROGRAM "' eval -m '" +
                                trained_run(task) + "' -t 1 --json --data /dev/stdin " + more +
                                " > '" + out + "' 2> '" + err + "'";
    return std::system(command.c_str());
  };
  for (const std::string task : {"classify", "tag"}) {
    EXPECT_NE(piped(task, ""), 0);
    EXPECT_NE(file_text(err).find("is a pipe, but its format is found by reading"),
              std::string::npos)
        << file_text(err);
    EXPECT_EQ(piped(task, task == "tag" ? "--format conll" : "--format tsv"), 0) << file_text(err);
    EXPECT_EQ(nlohmann::json::parse(file_text(out))["tokens"],
              evaluated(trained_run(task), files_for(task))["tokens"]);
  }
  EXPECT_EQ(piped("lm", ""), 0) << file_text(err);
}

TEST(TrainData, EvalOfLabelsThatAreAllUnknown) {
  const std::string folder = trained_run("classify");
  const Outcome outcome = run_heed(
      {"eval", "-m", folder, "-t", "1", "--data", file_with("unknown.tsv", "a\tdog\nb\tcat\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("the model knows the labels cat, dog, neither"), std::string::npos)
      << outcome.err;
}

// What is reported of texts that were cut is true in training and in eval.
TEST(TrainData, TextsThatWereCut) {
  const std::string folder = trained_run("classify", {"--max-length", "3"});
  const Outcome outcome = run_heed({"eval", "-m", folder, "-t", "1", "--data", labeled_file()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("longer than 3 tokens (--max-length in training) and cut\n"),
            std::string::npos)
      << outcome.err;
}

TEST(TrainData, ValidationDataOfItsOwn) {
  const Words files = pair_files(20);
  const std::string folder = trained_run("translate", {"--valid", files[0], files[1]});
  EXPECT_EQ(config_of(folder)["settings"]["valid"], files);
  const auto info = run_json({"info", "-m", folder});
  const auto page = evaluated(folder, files);
  EXPECT_EQ(info["validations"][0]["valid"]["loss"], page["loss"]);
  EXPECT_EQ(info["validations"][0]["valid"]["bleu"], page["bleu"]);
}

// How the data is read is said where it may not be what was meant, in lines that fit a terminal.
TEST(TrainData, SaysHowItReadsTheData) {
  const auto notes = [](const Words& more) {
    Words arguments{"train",   "-o", temporary("notes"), "--overwrite", "--dim",   "16",
                    "--heads", "2",  "--layers",         "1",           "--steps", "1",
                    "-t",      "1"};
    arguments.insert(arguments.begin() + 1, more.begin(), more.end());
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(outcome.err);
    for (std::string line; std::getline(lines, line) && !line.starts_with("model:");) {
      EXPECT_LE(line.size(), 80u) << line;
    }
    return outcome.err;
  };
  const auto expect = [](const std::string& err, const std::string& text) {
    EXPECT_NE(err.find(text), std::string::npos) << text << " in " << err;
  };
  const std::string labels = file_with("spaces.txt", "good a car\nbad the dog\ngood a tree\n");
  expect(notes({"classify", "--train", labels}),
         "there are no tabs: the first word of each line is taken as its label\n");
  expect(notes({"classify", "--train", labels}),
         "no --valid: 1 text of the training data is held out for validation\n");
  expect(notes({"lm", "--train", text_file(2000), "--tokenizer", "char", "--context", "8"}),
         " tokens of the training data are held out\n");
  std::string line;
  while (line.size() < (3 << 19)) line += "the old dog sees a tree ";
  expect(notes({"lm", "--train", file_with("long-line.txt", "one\n" + line + "\n"), "--tokenizer",
                "char", "--context", "8"}),
         "1 very long line, read in pieces: line 2\n");
}

// The texts of JSON lines, not their braces, wherever a language model reads text.
TEST(TrainData, JsonLines) {
  std::string plain, json;
  for (int i = 0; i < 60; ++i) {
    const std::string text = "the old dog sees tree number " + std::to_string(i * i);
    plain += text + "\n";
    json += R"({"id": )" + std::to_string(i) + R"(, "text": ")" + text + "\"}\n";
  }
  const std::string file = file_with("records.txt", json);  // told by its contents
  const std::string same = file_with("plain.txt", plain);
  const std::string note = "JSON lines: 60 texts from the field \"text\"";

  const std::string folder = temporary("of-json");
  const Words small{"--dim", "16", "--heads", "2", "--layers", "1", "--steps", "1", "-t", "1"};
  const auto train = [&](const Words& files) {
    Words arguments{"train", "lm", "-o", folder, "--overwrite", "--tokenizer", "char", "--train"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), small.begin(), small.end());
    return run_heed(arguments);
  };
  const Outcome outcome = train({file, "--valid", file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(note + "\n"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_heed_with("{", {"encode", "-m", folder}).out,
            run_heed_with("}", {"encode", "-m", folder}).out)
      << "braces are unknown to it";
  EXPECT_EQ(run_heed({"eval", "-m", folder, "--data", file}).code, 0);

  const auto of_json = run_json({"vocab", file, "-o", temporary("json-vocab"), "--type", "char"});
  const auto of_plain = run_json({"vocab", same, "-o", temporary("plain-vocab"), "--type", "char"});
  EXPECT_EQ(of_json["size"], of_plain["size"]);
  EXPECT_EQ(of_json["bytes_per_token"], of_plain["bytes_per_token"]);

  const auto checked = run_json({"check", file});
  EXPECT_EQ(checked["task"], "lm");
  EXPECT_EQ(checked["train"]["notes"][0], file + ": " + note);
  EXPECT_EQ(checked["train"]["lengths"], run_json({"check", same})["train"]["lengths"]);

  const std::string other = file_with("other.jsonl", "{\"body\": \"the old dog\"}\n");
  const std::string refusal =
      "these are JSON lines without the field \"text\" to learn from; they have \"body\"";
  for (const Words& files : {Words{other}, Words{file, "--valid", other}}) {
    const Outcome refused = train(files);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find(other + ": " + refusal), std::string::npos) << refused.err;
  }
  EXPECT_NE(run_heed({"vocab", other, "-o", temporary("json-vocab")}).err.find(refusal),
            std::string::npos);
  const Outcome faulty = run_heed({"check", other, "--json"});
  EXPECT_EQ(faulty.code, 1);
  EXPECT_NE(faulty.out.find("these are JSON lines"), std::string::npos) << faulty.out;

  const std::string broken = file_with("broken.jsonl", json + "{\"text\": \"the\n");
  EXPECT_NE(train({broken}).err.find(broken + ":61: this is not JSON"), std::string::npos);
}

// Paragraphs are no defect of a text.
TEST(TrainData, EmptyLinesOfATextAreNotTold) {
  Words arguments = train_arguments("lm", temporary("paragraphs"));
  arguments[3] =
      file_with("paragraphs.txt", file_text(text_file()) + "\n\n" + file_text(text_file()));
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err.find("empty line"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace heed::train_data_test
