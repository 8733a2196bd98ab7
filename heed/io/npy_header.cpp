#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "heed/base/fail.h"
#include "heed/io/npy_header_internal.h"

namespace heed {
namespace {

struct TypeName {
  std::string_view text;
  DType type;
};

constexpr std::array<TypeName, 8> kNpyTypes{{{"<f4", DType::f32},
                                             {"<f8", DType::f64},
                                             {"<f2", DType::f16},
                                             {"<i8", DType::i64},
                                             {"<i4", DType::i32},
                                             {"|i1", DType::i8},
                                             {"|u1", DType::u8},
                                             {"|b1", DType::boolean}}};

// Reads the few forms of Python that occur in a header: strings, True and False, tuples of sizes.
class NpyHeaderReader {
 public:
  NpyHeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader read() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        once(header_type_, type());
      } else if (key == "fortran_order") {
        once(fortran_order_, boolean());
      } else if (key == "shape") {
        once(shape_, shape());
      } else {
        fail_here("an unknown key");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail_here("text after the dictionary");
    if (!header_type_ || !fortran_order_ || !shape_) fail_here("a missing key");
    return {*header_type_, *fortran_order_, *shape_};
  }

 private:
  [[noreturn]] void fail_here(const char* found) const {
    fail("{}: not a valid .npy file: its header has {} at byte {}", name_, found, at_);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_here("something unexpected");
  }

  template <typename T>
  void once(std::optional<T>& slot, T value) {
    if (slot) fail_here("the same key twice");
    slot = value;
  }

  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail_here("no quoted text");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail_here("a quote without its end");
    const std::string_view result = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return result;
  }

  DType type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') {
      fail("{}: structured arrays are not supported; save one field as a plain array", name_);
    }
    const std::string_view text = string();
    for (const TypeName& known : kNpyTypes) {
      // One byte has no order: NumPy writes |, other writers < as well.
      if (known.text == text ||
          (known.text[0] == '|' && text == fmt::format("<{}", known.text.substr(1)))) {
        return known.type;
      }
    }
    // What stands there is the file's, not ours: print nothing that could steer a terminal.
    std::string printable;
    for (const char c : text.substr(0, 16)) printable += c > ' ' && c < 0x7f ? c : '?';
    fail(
        "{}: element type '{}' is not supported; save it as float32 (in NumPy: "
        "a.astype('float32'))",
        name_, printable);
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail_here("neither True nor False");
  }

  Shape shape() {
    expect('(');
    std::vector<int64_t> sizes;
    while (!accept(')')) {
      skip_space();
      int64_t size = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail_here("a shape that is not a list of sizes");
      at_ += static_cast<size_t>(end - begin);
      sizes.push_back(size);
      check(sizes.size() <= static_cast<size_t>(Shape::kMaxRank),
            "{}: the array has more than {} axes, the most that heed knows", name_,
            static_cast<int>(Shape::kMaxRank));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    try {
      return Shape(sizes);
    } catch (const Error& error) {
      fail("{}: not a valid .npy file: {}", name_, error.what());
    }
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
  std::optional<DType> header_type_;
  std::optional<bool> fortran_order_;
  std::optional<Shape> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  return NpyHeaderReader(text, name).read();
}

std::string npy_header_text(const NpyHeader& header) {
  std::string_view type;
  for (const TypeName& known : kNpyTypes) {
    if (known.type == header.type) type = known.text;
  }
  check(!type.empty(), "npy: there is no .npy type for {}; convert to float32 first",
        name(header.type));
  std::string shape;
  for (const int64_t size : header.shape) shape += fmt::format("{}, ", size);
  if (header.shape.rank() > 1) shape.resize(shape.size() - 2);
  if (header.shape.rank() == 1) shape.resize(shape.size() - 1);  // (3,) is how Python writes it
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", type,
                     header.fortran_order ? "True" : "False", shape);
}

}  // namespace heed
