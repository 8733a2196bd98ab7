#include "heed/io/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/base/error.h"

namespace heed::safetensors_test {
namespace {

struct SafetensorsTest : ::testing::Test {
  SafetensorsTest() {
    folder = std::filesystem::temp_directory_path() / ("heed_st_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  ~SafetensorsTest() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return folder / name; }

  std::filesystem::path folder;
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

SafetensorsFile parse(const std::string& text) {
  const auto storage = Storage::allocate(text.size());
  std::memcpy(storage->data(), text.data(), text.size());
  return SafetensorsFile::parse(storage, "t.safetensors");
}

std::string file(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string error_of(const std::string& text) {
  try {
    (void)parse(text).tensors();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const std::string& part) {
  EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text) << "\n  for " << text;
}

std::string one(const std::string& entry, const std::string& data = "12345678") {
  return file("{\"x\":{" + entry + "}}", data);
}

std::vector<double> numbers(const Tensor& x) {
  const Tensor wide = x.to(DType::f64).contiguous();
  return {wide.data<double>(), wide.data<double>() + wide.size()};
}

TEST_F(SafetensorsTest, ReadsWhatPythonWrote) {
  const SafetensorsFile file = SafetensorsFile::open(HEED_TEST_DATA "/reference.safetensors");
  EXPECT_EQ(file.metadata().size(), 2u);
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.metadata().at("straße \" \\ \n"), "東京");
  EXPECT_EQ(file.names().size(), 12u);
  const struct {
    const char* name;
    DType type;
    Shape shape;
  } expected[] = {{"f32", DType::f32, {2, 3}},    {"f64", DType::f64, {3}},
                  {"f16", DType::f16, {1, 5, 1}}, {"bf16", DType::bf16, {5}},
                  {"i64", DType::i64, {4}},       {"i32", DType::i32, {2, 2}},
                  {"i8", DType::i8, {3}}};
  for (const auto& one : expected) {
    const Tensor x = file.tensor(one.name);
    EXPECT_EQ(x.dtype(), one.type) << one.name;
    EXPECT_EQ(x.shape(), one.shape) << one.name;
    const std::vector<double> values = numbers(x);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i], static_cast<double>(i) - 2) << one.name;
    }
  }
  EXPECT_EQ(numbers(file.tensor("bool")), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(file.tensor("scalar").shape(), Shape());
  EXPECT_EQ(file.tensor("scalar").item(), 2.5);
  EXPECT_EQ(file.tensor("empty").shape(), Shape({2, 0, 3}));
  EXPECT_TRUE(file.contains("u16"));
  EXPECT_THROW(file.tensor("u16"), Error);
  EXPECT_THROW(file.tensor("none"), Error);
  EXPECT_FALSE(file.contains("none"));
  EXPECT_FALSE(file.contains("__metadata__"));
}

TEST_F(SafetensorsTest, RoundTripsEveryType) {
  std::vector<NamedTensor> tensors;
  const Tensor values = Tensor::from(std::vector<double>{0, 1, 2, 3, 4, 5}, {2, 3});
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,
                           DType::i8, DType::u8, DType::boolean}) {
    tensors.push_back({std::string("a.") + name(type), values.to(type)});
    tensors.push_back({std::string("large ") + name(type), Tensor::full({16, 8}, 1, type)});
  }
  tensors.push_back({"", Tensor::full({}, 3)});
  tensors.push_back({"ä\"\\\n東", Tensor::zeros({0, 4})});
  tensors.push_back({"columns", values.slice(1, 1, 3)});
  write_safetensors(path("a"), tensors, {{"step", "7"}, {"\"", "ö\n"}});
  const SafetensorsFile file = SafetensorsFile::open(path("a"));
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"step", "7"}, {"\"", "ö\n"}}));
  EXPECT_EQ(file.tensors().size(), tensors.size());
  for (const NamedTensor& one : tensors) {
    const Tensor read = file.tensor(one.name);
    EXPECT_EQ(read.text(), one.tensor.text()) << one.name;
    EXPECT_EQ(numbers(read), numbers(one.tensor)) << one.name;
  }
}

TEST_F(SafetensorsTest, AnEmptyFileIsAFile) {
  write_safetensors(path("a"), {});
  EXPECT_TRUE(SafetensorsFile::open(path("a")).names().empty());
  EXPECT_TRUE(parse(file("{}", "")).names().empty());
}

TEST_F(SafetensorsTest, TheSameContentsGiveTheSameBytes) {
  std::vector<NamedTensor> tensors = {{"b", Tensor::full({3}, 1)},
                                      {"a", Tensor::full({16}, 2)},
                                      {"d", Tensor::full({1}, 3, DType::u8)},
                                      {"c", Tensor::full({2}, 4, DType::f64)}};
  write_safetensors(path("a"), tensors, {{"x", "1"}, {"y", "2"}});
  std::swap(tensors[0], tensors[3]);
  std::swap(tensors[1], tensors[2]);
  write_safetensors(path("b"), tensors, {{"y", "2"}, {"x", "1"}});
  const std::string text = contents(path("a"));
  EXPECT_EQ(text, contents(path("b")));
  const std::string header = R"({"__metadata__":{"x":"1","y":"2"},)"
                             R"("a":{"dtype":"F32","shape":[16],"data_offsets":[0,64]},)"
                             R"("c":{"dtype":"F64","shape":[2],"data_offsets":[64,80]},)"
                             R"("b":{"dtype":"F32","shape":[3],"data_offsets":[80,92]},)"
                             R"("d":{"dtype":"U8","shape":[1],"data_offsets":[92,93]}})";
  EXPECT_EQ(text.substr(8, header.size()), header);
  EXPECT_EQ((text.size() - 93) % 64, 0u);  // where the data begins
  EXPECT_EQ(text.find_first_not_of(' ', 8 + header.size()), text.size() - 93);
}

TEST_F(SafetensorsTest, TensorsAreViewsOnTheMapping) {
  write_safetensors(path("a"), std::vector<NamedTensor>{{"x", Tensor::full({4096}, 2)},
                                                        {"y", Tensor::full({5}, 3)}});
  pool_release_unused();
  const size_t before = pool_use().used;
  Tensor x, y;
  {
    const SafetensorsFile file = SafetensorsFile::open(path("a"));
    x = file.tensor("x");
    y = file.tensor("y");
  }
  EXPECT_EQ(pool_use().used, before);
  EXPECT_THROW((void)x.data<float>(), Error);  // read-only
  std::filesystem::remove(path("a"));          // the mapping stays
  const Tensor& read = x;
  EXPECT_EQ(read.data<float>()[4095], 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read.data<float>()) % 64, 0u);
}

TEST_F(SafetensorsTest, AFileThatIsReplacedStaysReadable) {
  write_safetensors(path("a"), std::vector<NamedTensor>{{"x", Tensor::full({64}, 1)}});
  const Tensor before = SafetensorsFile::open(path("a")).tensor("x");
  write_safetensors(path("a"), std::vector<NamedTensor>{{"x", Tensor::full({64}, 2)}});
  EXPECT_EQ(numbers(before)[63], 1);
  EXPECT_EQ(numbers(SafetensorsFile::open(path("a")).tensor("x"))[63], 2);
}

TEST_F(SafetensorsTest, RefusesToWriteWhatCannotBeRead) {
  const auto refused = [&](const std::vector<NamedTensor>& tensors,
                           const SafetensorsMetadata& metadata = {}) {
    EXPECT_THROW(write_safetensors(path("a"), tensors, metadata), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  };
  const Tensor x = Tensor::zeros({2});
  refused({{"x", x}, {"x", x}});
  refused({{"__metadata__", x}});
  refused({{"x", Tensor()}});
  refused({{"\xff", x}});
  refused({}, {{"a", "\xff"}});
  EXPECT_THROW(write_safetensors(path("no/folder"), {}), Error);
  EXPECT_THROW(SafetensorsFile::open(path("none")), Error);
}

TEST(Safetensors, AnyByteThatIsNotZeroIsTrue) {
  const Tensor x =
      parse(one(R"("dtype":"BOOL","shape":[3],"data_offsets":[0,3])", std::string("\0\1\x40", 3)))
          .tensor("x");
  EXPECT_EQ(numbers(x), (std::vector<double>{0, 1, 1}));
}

TEST(Safetensors, AcceptsAnyOrderOfFieldsAndTensors) {
  const SafetensorsFile two = parse(file(
      R"( {"y":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"},
           "x":{"dtype":"F32","data_offsets":[0,4],"shape":[1]},
           "none":{"dtype":"F32","data_offsets":[4,4],"shape":[0]}}  )",
      "12345678"));
  EXPECT_EQ(two.names(), (std::vector<std::string>{"none", "x", "y"}));
}

TEST(Safetensors, RefusesALengthThatDoesNotFit) {
  expect_error("", "only 0 bytes");
  expect_error("1234567", "only 7 bytes");
  expect_error(std::string(8, '\xff'), "not a .safetensors file");
  expect_error(file("{}", "").substr(0, 9), "cut off");
  std::string long_header = file("{}", "");
  long_header[1] = 1;
  expect_error(long_header, "cut off");
  long_header[7] = '\x7f';
  expect_error(long_header, "are the most");
  expect_error(std::string(8, '\0'), "not valid JSON");
}

TEST(Safetensors, RefusesDataThatDoesNotFit) {
  const std::string good = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";
  EXPECT_EQ(error_of(one(good)), "no error");
  EXPECT_EQ(error_of(one(good, "1234567")),
            "t.safetensors: tensor \"x\" ends at byte 8 of the data, the file has 7: "
            "is it cut off?");
  expect_error(one(good, "123456789"), "end at byte 8 of the data, the file has 9");
  expect_error(one(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "needs 12 bytes");
  expect_error(one(R"("dtype":"F64","shape":[2],"data_offsets":[0,8])"), "needs 16 bytes");
  expect_error(one(R"("dtype":"F32","shape":[],"data_offsets":[0,8])"), "needs 4 bytes");
  expect_error(one(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), "there is a gap");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), "begin <= end");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), "two numbers");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[])"), "two numbers");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,8,9])"), "more than 2");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,9223372036854775807])"),
               "cut off");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615])"),
               "too large");
  expect_error(one(R"("dtype":"F32","shape":[2],"data_offsets":[-1,7])"), "negative");
  expect_error(file("{}", "1"), "the file has 1");
}

TEST(Safetensors, RefusesShapesThatOverflow) {
  for (const char* shape :
       {"4611686018427387904", "4294967296,4294967296", "0,4294967296,4294967296",
        "4294967296,4294967296,0", "9223372036854775807", "2305843009213693952,2"}) {
    expect_error(
        one(std::string(R"("dtype":"F32","shape":[)") + shape + R"(],"data_offsets":[0,8])"),
        "t.safetensors: tensor \"x\", shape: ");
  }
  expect_error(one(R"("dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8])"),
               "too large");
  expect_error(one(R"("dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8])"),
               "too large");
  expect_error(one(R"("dtype":"F32","shape":[1,1,1,1,1,1,2],"data_offsets":[0,8])"),
               "more than 6 numbers");
  for (const char* shape : {"-2", "2.0", "2e0", "\"2\"", "null", "[2]", "{}", "true"}) {
    expect_error(
        one(std::string(R"("dtype":"F32","shape":[)") + shape + R"(],"data_offsets":[0,8])"),
        "expected whole numbers");
  }
}

TEST(Safetensors, RefusesOverlapsAndGaps) {
  const auto two = [](const std::string& a, const std::string& b) {
    return file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[)" + a +
                    R"(]},"b":{"dtype":"U8","shape":[4],"data_offsets":[)" + b + "]}}",
                "12345678");
  };
  EXPECT_EQ(error_of(two("0,4", "4,8")), "no error");
  EXPECT_EQ(error_of(two("4,8", "0,4")), "no error");
  expect_error(two("0,4", "0,4"), "overlap");
  expect_error(two("0,4", "3,7"), "overlap");
  expect_error(two("1,5", "4,8"), "gap");
  expect_error(file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                    R"("b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
                    "123456"),
               "gap");
}

TEST(Safetensors, RefusesTypesItDoesNotKnow) {
  expect_error(one(R"("dtype":"F3","shape":[2],"data_offsets":[0,8])"), "\"F3\" is not known");
  expect_error(one(R"("dtype":"","shape":[2],"data_offsets":[0,8])"), "is not known");
  expect_error(one(R"("dtype":"f32","shape":[2],"data_offsets":[0,8])"), "is not known");
  expect_error(one(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"), "expected a string");
  expect_error(one(R"("dtype":"U16","shape":[4],"data_offsets":[0,8])"), "not supported");
}

TEST(Safetensors, RefusesNamesThatComeTwice) {
  const std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  expect_error(file("{\"x\":" + entry + ",\"x\":" + entry + "}", ""), "\"x\" twice");
  expect_error(file("{\"x\":" + entry + ",\"\\u0078\":" + entry + "}", ""), "\"x\" twice");
  expect_error(file(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "\"a\" twice");
  expect_error(file(R"({"__metadata__":{},"__metadata__":{}})", ""), "twice");
  expect_error(one(R"("dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8])"), "twice");
}

TEST(Safetensors, RefusesAHeaderOfAnotherForm) {
  for (const char* header :
       {"",
        "[]",
        "null",
        "7",
        "\"x\"",
        "{",
        "{}{}",
        "{} x",
        "{\"x\":1}",
        "{\"x\":[]}",
        "{\"x\":null}",
        "{\"x\":{}}",
        "{\"x\":\"y\"}",
        "{\"__metadata__\":{\"a\":1}}",
        "{\"__metadata__\":{\"a\":{}}}",
        "{\"__metadata__\":[]}",
        "{\"__metadata__\":\"a\"}",
        "{\"__metadata__\":{\"a\":null}}",
        "{'x':1}",
        "{\"x\":{\"dtype\":\"U8\"}}",
        "{\"x\":{\"dtype\":\"U8\",\"shape\":[0]}}",
        "{\"x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0],\"more\":1}}",
        "{\"x\":{\"dtype\":\"U8\",\"shape\":0,\"data_offsets\":[0,0]}}",
        "{\"\xff\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        "{\"x\":{\"dtype\":\"U8\",\"shape\":{},\"data_offsets\":[0,0]}}",
        "{\"x\":{\"y\":{}}}"}) {
    EXPECT_NE(error_of(file(header, "")), "no error") << header;
  }
}

TEST(Safetensors, RefusesDeepNestingAtOnce) {
  for (const char* piece : {"[", "{\"x\":", "{\"x\":{\"shape\":["}) {
    std::string deep;
    while (deep.size() < 2'000'000) deep += piece;
    EXPECT_NE(error_of(file(deep, "")), "no error");
  }
}

// Each cut and each changed byte gives a file that can be read, or an Error.
TEST(Safetensors, SurvivesEveryChangeOfOneByte) {
  const std::string whole = contents(HEED_TEST_DATA "/reference.safetensors");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "no error") << length;
  }
  for (size_t place = 0; place < whole.size(); ++place) {
    for (const char change : {'\x01', '\x02', '\x10', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ change);
      (void)error_of(changed);
    }
  }
}

}  // namespace
}  // namespace heed::safetensors_test
