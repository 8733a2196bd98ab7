#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/program.h"

namespace heed::vocab_test {
namespace {

const std::string kText =
    "The cat sat on the mat, the dog didn't.\n"
    "Ein Hund läuft über die Straße.\n"
    "\n"
    "the cat the mat the dog  two blanks";

std::string text_file(const std::string& name = "vocab_text.txt", const std::string& text = kText) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A shell line with $heed and $dir in it; returns the exit code.
int shell(const std::string& line) {
  const std::string all = "heed='" HEED_PROGRAM "'; dir='" + temporary("") + "'; " + line;
  const int status = std::system(all.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string trained(const std::string& type, const std::string& size) {
  const std::string folder = temporary("vocab_" + type);
  std::vector<std::string> arguments{"vocab", text_file(), "-o", folder, "--type", type};
  if (!size.empty()) arguments.insert(arguments.end(), {"--vocab-size", size});
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return folder;
}

TEST(CliVocab, EveryTypeGoesThereAndBack) {
  const std::pair<const char*, const char*> types[] = {
      {"byte", ""}, {"char", ""}, {"word", ""}, {"bpe", "280"}, {"spm", "330"}, {"spm-bpe", "330"}};
  for (const auto& [type, size] : types) {
    trained(type, size);
    const std::string name = type;
    ASSERT_EQ(shell("cat $dir/vocab_text.txt | $heed encode -m $dir/vocab_" + name +
                    " > $dir/ids.txt && $heed decode -m $dir/vocab_" + name +
                    " $dir/ids.txt > $dir/back.txt"),
              0);
    std::string expected = kText + "\n";
    if (name == "word") expected.erase(expected.find("  "), 1);  // one space is all it keeps
    EXPECT_EQ(contents(temporary("back.txt")), expected) << type;
    const std::string ids = contents(temporary("ids.txt"));
    EXPECT_EQ(std::count(ids.begin(), ids.end(), '\n'), 4);
    EXPECT_EQ(ids.find_first_not_of("0123456789 \n"), std::string::npos);
  }
}

TEST(CliVocab, Reports) {
  const std::string folder = temporary("vocab_report");
  const auto page =
      run_json({"vocab", text_file(), "-o", folder, "--type", "char", "--vocab-size", "12"});
  EXPECT_EQ(page["type"], "char");
  EXPECT_EQ(page["size"], 12);
  EXPECT_EQ(page["file"], folder + "/tokenizer.json");
  EXPECT_GT(page["coverage"].get<double>(), 0.3);
  EXPECT_LT(page["coverage"].get<double>(), 0.9);
  EXPECT_GT(page["tokens_per_word"].get<double>(), 3);
  const Outcome printed = run_heed({"vocab", text_file(), "-o", folder, "--type", "byte"});
  EXPECT_NE(printed.out.find("size              260 tokens\n"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("coverage          100.00 %"), std::string::npos) << printed.out;
  EXPECT_EQ(printed.err, "wrote " + folder + "/tokenizer.json\n");
  const Outcome many =
      run_heed({"vocab", text_file(), "-o", folder, "--type", "bpe", "--vocab-size", "5000"});
  EXPECT_NE(many.err.find("fewer than the 5000 asked for"), std::string::npos) << many.err;
}

TEST(CliVocab, AFolderHasOneTokenizer) {
  const std::string folder = temporary("vocab_one");
  for (const char* type : {"byte", "spm", "char"}) {
    run_heed({"vocab", text_file(), "-o", folder, "--type", type, "--vocab-size", "330"});
    EXPECT_EQ(std::filesystem::exists(folder + "/spm.model"), type == std::string("spm"));
    EXPECT_EQ(std::filesystem::exists(folder + "/tokenizer.json"), type != std::string("spm"));
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.exists();
  EXPECT_EQ(files, 1u);
}

TEST(CliVocab, SeveralFilesAndStdin) {
  text_file();
  EXPECT_EQ(shell("cat $dir/vocab_text.txt | $heed vocab - $dir/vocab_text.txt -o $dir/vocab_stdin "
                  "--vocab-size 300 > /dev/null 2>&1"),
            0);
  EXPECT_EQ(run_heed({"encode", "-m", temporary("vocab_stdin/tokenizer.json"), "-p", "the"}).code,
            0);
}

TEST(CliVocab, BytesThatAreNotUtf8) {
  const std::string bad = text_file("vocab_bad.txt", "good\nb\xff d\n");
  for (const char* type : {"char", "word", "bpe", "spm", "spm-bpe"}) {
    const Outcome outcome = run_heed({"vocab", bad, "-o", temporary("vocab_bad"), "--type", type});
    EXPECT_EQ(outcome.code, 1) << type;
    EXPECT_NE(outcome.err.find(bad + ": line 2: 0xFF is not UTF-8"), std::string::npos)
        << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(temporary("vocab_bad")));
  EXPECT_EQ(run_heed({"vocab", bad, "-o", temporary("vocab_bad"), "--type", "byte"}).code, 0);
}

TEST(CliVocab, Mistakes) {
  const std::string file = text_file();
  EXPECT_EQ(run_heed({"vocab", "-o", temporary("x")}).code, 2);
  EXPECT_EQ(run_heed({"vocab", file}).code, 2);
  EXPECT_EQ(run_heed({"vocab", file, "-o", temporary("x"), "--vocab-size", "0"}).code, 2);
  const Outcome type = run_heed({"vocab", file, "-o", temporary("x"), "--type", "bep"});
  EXPECT_EQ(type.code, 2);
  EXPECT_NE(type.err.find("did you mean 'bpe'?"), std::string::npos) << type.err;
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"vocab", temporary("none.txt"), "-o", temporary("x")},
           {"vocab", temporary(""), "-o", temporary("x")},
           {"vocab", text_file("empty.txt", ""), "-o", temporary("x")},
           {"vocab", file, "-o", file},
           {"vocab", file, "-o", temporary("x"), "--vocab-size", "100"},
           {"vocab", file, "-o", temporary("x"), "--type", "spm", "--vocab-size", "100"}}) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments[1];
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("heed: ", 0), 0u) << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(temporary("x")));
}

TEST(CliEncode, TextAndJson) {
  const std::string bytes = trained("byte", "");
  EXPECT_EQ(run_heed({"encode", "-m", bytes, "-p", "A\nB<|eos|>"}).out, "65 10 66 257\n");
  EXPECT_EQ(run_heed({"encode", "-m", bytes, "-p", ""}).out, "\n");
  EXPECT_EQ(run_heed({"encode", "-m", bytes, "--plain", "-p", "<|"}).out, "60 124\n");
  const auto page = run_json({"encode", "-m", bytes, "-p", "A\n"});
  EXPECT_EQ(page["ids"], (nlohmann::json{65, 10}));
  EXPECT_EQ(page["tokens"], (nlohmann::json{"A", "<0x0A>"}));
  EXPECT_EQ(run_heed({"decode", "-m", bytes, "-p", " 72\t105  33 "}).out, "Hi!\n");
  EXPECT_EQ(run_json({"decode", "-m", bytes, "-p", "72 255"})["text"], "H\ufffd");
}

TEST(CliEncode, LinesOfFiles) {
  const std::string bytes = trained("byte", "");
  const std::string first = text_file("lines1.txt", "a\n\nb\r\n");
  const std::string second = text_file("lines2.txt", std::string("no end\0", 7));
  EXPECT_EQ(run_heed({"encode", "-m", bytes, first, second}).out,
            "97\n\n98 13\n110 111 32 101 110 100 0\n");
  EXPECT_EQ(shell("cd '" + bytes + "' && echo ab | $heed encode > $dir/here.txt"), 0);
  EXPECT_EQ(contents(temporary("here.txt")), "97 98\n");
}

TEST(CliEncode, Mistakes) {
  const std::string bytes = trained("byte", "");
  const auto says = [](const std::vector<std::string>& arguments, int code,
                       const std::string& what) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  says({"encode", "-m", temporary("nowhere"), "-p", "a"}, 1, "cannot open");
  says({"encode", "-m", temporary(""), "-p", "a"}, 1, "no tokenizer here");
  says({"encode", "-m", text_file(), "-p", "a"}, 1, "not a SentencePiece model");
  says({"encode", "-m", bytes, "none.txt"}, 1, "none.txt: cannot open");
  says({"encode", "-m", bytes, "-p", "a", text_file()}, 2, "exclude each other");
  says({"decode", "-m", bytes, "-p", "1 x"}, 1, "'x' is not a token id");
  says({"decode", "-m", bytes, "-p", "260"}, 1, "id 260 is not in the vocabulary, 0 to 259");
  says({"decode", "-m", bytes, text_file("ids_bad.txt", "1\n2 99999999999\n")}, 1, "line 2");
  says({"decode", "-m", bytes, "--jsno"}, 2, "did you mean '--json'?");
}

TEST(CliEncode, ABrokenPipeIsQuiet) {
  trained("byte", "");
  EXPECT_EQ(shell("yes some text | head -c 3000000 > $dir/long.txt; "
                  "$heed encode -m $dir/vocab_byte $dir/long.txt 2> $dir/pipe.txt | head -n 1 "
                  "> /dev/null"),
            0);
  EXPECT_EQ(contents(temporary("pipe.txt")), "");
}

// The examples of the three commands, in the order in which they need each other.
TEST(CliVocab, HelpEndsWithAnExampleThatRuns) {
  text_file("text.txt");
  for (const char* command : {"vocab", "encode", "decode"}) {
    const Outcome help = run_heed({command, "--help"});
    EXPECT_EQ(help.code, 0);
    const size_t at = help.out.rfind("\n  heed ");
    ASSERT_NE(at, std::string::npos) << command;
    const std::string example = help.out.substr(at + 8);
    EXPECT_EQ(
        shell("cd $dir && $heed " + example.substr(0, example.find('\n')) + " > /dev/null 2>&1"), 0)
        << example;
  }
}

}  // namespace
}  // namespace heed::vocab_test
