#include "heed/io/array.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "heed/base/error.h"

namespace heed::array_test {
namespace {

std::string error_of(const std::string& text) {
  try {
    load_array(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Array, ReadsTypedNumbers) {
  const Tensor x = load_array("1,0;0,-1.5");
  ASSERT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.data<float>()[3], -1.5f);
  EXPECT_EQ(load_array("3").shape(), Shape({1, 1}));
  EXPECT_EQ(load_array(" 1 , 2 ").shape(), Shape({1, 2}));
  EXPECT_EQ(load_array("0.1", DType::f64).item(), 0.1);
  EXPECT_EQ(load_array(".5;-inf").shape(), Shape({2, 1}));
}

TEST(Array, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("1,0;0"), "'1,0;0': row 2 has 1 numbers, row 1 has 2");
  EXPECT_EQ(error_of("1,a"), "'1,a': 'a' in row 1, column 2 is not a number");
  EXPECT_EQ(error_of("1,2;"), "'1,2;': '' in row 2, column 1 is not a number");
  EXPECT_EQ(error_of("1,1e39"), "'1,1e39': 1e39 in row 1, column 2 is too large for float32");
  EXPECT_EQ(error_of("1e400"), "'1e400': 1e400 in row 1, column 1 is outside the range of float64");
  EXPECT_EQ(error_of("-inf,inf,nan"), "no error");
  EXPECT_EQ(error_of("q.txt"),
            "'q.txt' is neither a .npy or .csv file nor typed numbers such as '1,0;0,1'");
  EXPECT_EQ(error_of(""), "'' is neither a .npy or .csv file nor typed numbers such as '1,0;0,1'");
  EXPECT_EQ(error_of("1\n2"),
            "'1?2' is neither a .npy or .csv file nor typed numbers such as '1,0;0,1'");
  EXPECT_EQ(error_of("1,2\n3"), "'1,2?3': '2?3' in row 1, column 2 is not a number");
  std::string many = "1";
  for (int i = 0; i < 20'000; ++i) many += i == 10'000 ? ",x" : ",1";
  EXPECT_EQ(error_of(many),
            "'" + many.substr(0, 60) + "...': 'x' in row 1, column 10002 is not a number");
  const std::string letters = "1," + std::string(57, 'e');
  EXPECT_TRUE(error_of(letters + "\xc3\xa9").starts_with("'" + letters + "...': '"))
      << error_of(letters + "\xc3\xa9");  // no half of a character
  EXPECT_EQ(error_of("none.npy"), "none.npy: cannot open: No such file or directory");
  EXPECT_EQ(error_of("none.csv"), "none.csv: cannot open: No such file or directory");
}

TEST(Array, TheEndingChoosesTheFormat) {
  const std::string base =
      std::filesystem::temp_directory_path() / ("heed_array_" + std::to_string(::getpid()));
  const Tensor x = load_array("1,2;3,4");
  for (const std::string& path : {base + ".npy", base + ".csv"}) {
    save_array(path, x);
    const Tensor y = load_array(path);
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(y.data<float>()[2], 3);
    std::filesystem::remove(path);
  }
  EXPECT_THROW(save_array(base + ".txt", x), Error);
}

}  // namespace
}  // namespace heed::array_test
