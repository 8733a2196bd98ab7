#include "heed/io/csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "heed/base/error.h"

namespace heed {
namespace {

std::string error_of(std::string_view text, DType type = DType::f32) {
  try {
    parse_csv(text, "t.csv", type);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, ReadsATable) {
  const Tensor x = parse_csv("1,2.5,-3e2\n4, +5 ,6\n", "t.csv");
  ASSERT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.dtype(), DType::f32);
  const float expected[] = {1, 2.5f, -300, 4, 5, 6};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(x.data<float>()[i], expected[i]);
  EXPECT_EQ(parse_csv("0.1", "t.csv", DType::f64).item(), 0.1);
}

TEST(Csv, SkipsAHeaderAndAcceptsOtherLineEnds) {
  EXPECT_EQ(parse_csv("x,y\n1,2\n", "t.csv").shape(), Shape({1, 2}));
  EXPECT_EQ(parse_csv("\"last, first\",y\r\n1,2\r\n3,4\r\n\r\n", "t.csv").shape(), Shape({2, 2}));
  EXPECT_EQ(parse_csv("\xef\xbb\xbf"
                      "1,2",
                      "t.csv")
                .shape(),
            Shape({1, 2}));
}

TEST(Csv, NumbersMayStandInQuotes) {
  const Tensor x = parse_csv("\"x\",\"y\"\n\"1\", \"-2.5\"\r\n3,\"4\"\n", "t.csv");
  ASSERT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_EQ(x.data<float>()[1], -2.5f);
  EXPECT_EQ(x.data<float>()[3], 4);
  EXPECT_EQ(parse_csv("\"1\",\"2\"\n", "t.csv").shape(), Shape({1, 2}));
  EXPECT_EQ(error_of("1\n\"\"\n"), "t.csv: line 2, column 1: '\"\"' is not a number");
  EXPECT_EQ(error_of("1\n\"2\n"), "t.csv: line 2, column 1: '\"2' is not a number");
}

TEST(Csv, ReadsWhatIsNotFinite) {
  const Tensor x = parse_csv("nan,inf,-inf", "t.csv");
  EXPECT_TRUE(std::isnan(x.data<float>()[0]));
  EXPECT_EQ(x.data<float>()[2], -std::numeric_limits<float>::infinity());
}

TEST(Csv, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("x,y\n1,2\n3,four\n"), "t.csv: line 3, column 2: 'four' is not a number");
  EXPECT_EQ(error_of("1,2\n3,\n"), "t.csv: line 2, column 2: '' is not a number");
  EXPECT_EQ(error_of("1,x\n"), "t.csv: line 1, column 2: 'x' is not a number");
  EXPECT_EQ(error_of("1,2\n3\n"), "t.csv: line 2 has 1 columns, the lines before have 2");
  EXPECT_EQ(error_of("1,2\n\n3,4\n"), "t.csv: line 2, column 1: '' is not a number");
  EXPECT_EQ(error_of("1;2\n"),
            "t.csv: there are no numbers in it (columns are separated by commas)");
  EXPECT_EQ(error_of(""), "t.csv: there are no numbers in it (columns are separated by commas)");
  EXPECT_EQ(error_of("x,y\n"),
            "t.csv: there are no numbers in it (columns are separated by commas)");
  EXPECT_EQ(error_of("\n1,2\n"), "t.csv: line 1 is blank");
  EXPECT_EQ(error_of("1e39"), "t.csv: line 1, column 1: 1e39 is too large for float32");
  EXPECT_EQ(error_of("1e39", DType::f64), "no error");
  for (const DType type : {DType::f32, DType::f64}) {
    EXPECT_EQ(error_of("-1e400", type),
              "t.csv: line 1, column 1: -1e400 is outside the range of float64");
  }
  EXPECT_EQ(error_of("1\n\x1b[2J\n"), "t.csv: line 2, column 1: '?[2J' is not a number");
}

TEST(Csv, RoundTripsEveryDigit) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("heed_csv_" + std::to_string(::getpid()) + ".csv");
  const Tensor x = Tensor::from(std::vector<float>{0.1f, 1.0f / 3, -1e-30f, 16777217.0f}, {2, 2});
  save_csv(path, x);
  const Tensor y = load_csv(path);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y.data<float>()[i], x.data<float>()[i]);
  save_csv(path, Tensor::from(std::vector<double>{0.1, 2.0 / 3, NAN}, {3}));
  const Tensor z = load_csv(path, DType::f64);
  EXPECT_EQ(z.shape(), Shape({3, 1}));
  EXPECT_EQ(z.data<double>()[1], 2.0 / 3);
  EXPECT_THROW(save_csv(path, Tensor::zeros({1, 1, 1})), Error);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace heed
