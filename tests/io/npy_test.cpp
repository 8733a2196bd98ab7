#include "heed/io/npy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "heed/io/atomic_file.h"

namespace heed::npy_test {
namespace {

struct NpyTest : ::testing::Test {
  NpyTest() {
    folder = std::filesystem::temp_directory_path() / ("heed_npy_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  ~NpyTest() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return folder / name; }

  std::filesystem::path folder;
};

std::string file(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  if (version > 1) text += std::string(2, '\0');
  return text + header + data;
}

Tensor parse(const std::string& text) { return parse_npy(std::as_bytes(std::span(text)), "t.npy"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <typename T>
std::string bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

TEST_F(NpyTest, RoundTripsEveryType) {
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::i64, DType::i32, DType::i8,
                           DType::u8, DType::boolean}) {
    const Tensor numbers = Tensor::from(std::vector<double>{0, 1, 2, 3, 4, 5}, {2, 3});
    const Tensor before = numbers.to(type);
    save_npy(path("a.npy"), before);
    const Tensor after = load_npy(path("a.npy"));
    ASSERT_EQ(after.dtype(), type);
    ASSERT_EQ(after.shape(), before.shape()) << name(type);
    const Tensor expected = before.to(DType::f64);
    const Tensor got = after.to(DType::f64);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(got.data<double>()[i], expected.data<double>()[i]) << name(type);
    }
  }
}

TEST_F(NpyTest, RoundTripsEveryRank) {
  for (const Shape& shape :
       {Shape{}, Shape{3}, Shape{0}, Shape{2, 0, 4}, Shape{1, 2, 1, 2, 1, 3}}) {
    save_npy(path("a.npy"), Tensor::full(shape, 2.5));
    EXPECT_EQ(load_npy(path("a.npy")).shape(), shape);
  }
}

TEST_F(NpyTest, WritesViewsRowByRow) {
  const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  save_npy(path("a.npy"), x.slice(1, 1, 3));
  const Tensor y = load_npy(path("a.npy"));
  EXPECT_EQ(y.shape(), Shape({2, 2}));
  EXPECT_EQ(y.data<float>()[2], 5);
}

TEST_F(NpyTest, DataIsAligned) {
  save_npy(path("a.npy"), Tensor::zeros({7}));
  EXPECT_EQ((std::filesystem::file_size(path("a.npy")) - 28) % 64, 0u);
}

TEST_F(NpyTest, AFailedWriteLeavesTheOldFile) {
  save_npy(path("a.npy"), Tensor::zeros({2}));
  EXPECT_THROW(save_npy(path("a.npy"), Tensor::zeros({2}, DType::bf16)), Error);
  {
    AtomicFile abandoned(path("a.npy"));
    abandoned.write("half of it");
  }
  EXPECT_EQ(load_npy(path("a.npy")).shape(), Shape({2}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(NpyTest, KeepsLinksAndPermissions) {
  save_npy(path("a.npy"), Tensor::zeros({2}));
  ::chmod(path("a.npy").c_str(), 0640);
  std::filesystem::create_symlink("a.npy", path("link.npy"));
  save_npy(path("link.npy"), Tensor::zeros({3}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(load_npy(path("a.npy")).shape(), Shape({3}));
  struct stat info {};
  ASSERT_EQ(::stat(path("a.npy").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(NpyTest, NamesTheFileThatCannotBeUsed) {
  for (const std::string& bad : {path("none.npy"), path("no/folder.npy"), folder.string()}) {
    try {
      load_npy(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(bad), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(save_npy(path("no/folder.npy"), Tensor::zeros({1})), Error);
  EXPECT_THROW(save_npy(folder, Tensor::zeros({1})), Error);
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const Tensor x = parse(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }   \n",
                              bytes<float>({1, 2, 3, 4})));
  EXPECT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_EQ(x.data<float>()[3], 4);
  const Tensor y = parse(file("{\"shape\":(3,),\"fortran_order\":False,\"descr\":\"<i8\"}\n",
                              bytes<int64_t>({7, -8, 9}), 2));
  EXPECT_EQ(y.data<int64_t>()[1], -8);
  EXPECT_EQ(
      parse(file("{'descr': '<f8', 'fortran_order': True, 'shape': (), }", bytes({2.5}))).item(),
      2.5);
}

TEST(Npy, TransposesFortranOrder) {
  // a[i, j, k] = 100 i + 10 j + k with shape (2, 3, 2): the first axis runs fastest.
  std::vector<float> values;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) values.push_back(static_cast<float>(100 * i + 10 * j + k));
    }
  }
  const std::string data(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  const Tensor x =
      parse(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 2), }\n", data));
  const float expected[] = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(x.data<float>()[i], expected[i]) << i;
}

TEST(Npy, AnyByteThatIsNotZeroIsTrue) {
  const Tensor x = parse(file("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n",
                              std::string("\x00\x01\x40", 3)));
  EXPECT_FALSE(x.data<bool>()[0]);
  EXPECT_TRUE(x.data<bool>()[2]);
  EXPECT_EQ(x.to(DType::f64).data<double>()[2], 1);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string tail = ", 'fortran_order': False, 'shape': (1,), }\n";
  EXPECT_NE(error_of(file("{'descr': '>f4'" + tail, "1234")).find("'>f4' is not supported"),
            std::string::npos);
  EXPECT_NE(error_of(file("{'descr': [('x', '<f4')]" + tail, "1234")).find("structured"),
            std::string::npos);
  EXPECT_NE(error_of("PK\x03\x04 a zip file").find("not a .npy file"), std::string::npos);
  EXPECT_NE(error_of("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(error_of(file("", "", 9)).find("version 9"), std::string::npos);
  const std::string seven = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1)}";
  EXPECT_NE(error_of(file(seven, "1234")).find("more than 6 axes"), std::string::npos);
}

TEST(Npy, RefusesSizesThatDoNotFit) {
  const auto with_shape = [](const std::string& shape) {
    return file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n", "12345678");
  };
  EXPECT_EQ(error_of(with_shape("(2,)")), "no error");
  EXPECT_EQ(error_of(with_shape("(3,)")),
            "t.npy: float32 [3] needs 12 bytes of data, the file has 8: is it cut off?");
  EXPECT_EQ(error_of(with_shape("(1,)")),
            "t.npy: float32 [1] needs 4 bytes of data, the file has 8");
  for (const char* shape :
       {"(1000000000000,)", "(4294967296, 4294967296)", "(4611686018427387904,)",
        "(0, 4294967296, 4294967296)", "(9223372036854775808,)", "(-1,)", "(2", "2", "(2 2)",
        "(2,,)", "(0x2,)", "(2.0,)", "('2',)"}) {
    EXPECT_NE(error_of(with_shape(shape)), "no error") << shape;
    EXPECT_TRUE(error_of(with_shape(shape)).starts_with("t.npy: ")) << error_of(with_shape(shape));
  }
}

TEST(Npy, RefusesADamagedHeader) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
  const std::string whole = file(good, "1234");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "no error") << length;
  }
  for (const std::string& header :
       {std::string("{}"), std::string("{'descr': '<f4'}"), good + "x", "{" + good,
        std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"),
        std::string("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"),
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}"),
        std::string("{'descr: <f4}")}) {
    EXPECT_NE(error_of(file(header, "1234")), "no error") << header;
  }
}

TEST(Npy, ALongHeaderIsRefusedWithoutAllocating) {
  std::string text = file("", "", 2);
  text[8] = text[9] = text[10] = text[11] = '\xff';
  EXPECT_NE(error_of(text).find("ends in its header"), std::string::npos);
}

}  // namespace
}  // namespace heed::npy_test
