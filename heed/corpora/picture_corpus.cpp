#include "heed/corpora/picture_corpus.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/draw.h"
#include "heed/base/fail.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

constexpr uint64_t kPictureSite = 0x70696374;  // "pict"
constexpr int64_t N = kPictureSize;

enum class Form : uint8_t { circle, square, triangle };
constexpr std::array<const char*, 3> kForms = {"circle", "square", "triangle"};

struct Color {
  const char* name;
  std::array<double, 3> rgb;
};
constexpr std::array<Color, 4> kColors = {
    Color{"red", {0.85, 0.15, 0.15}}, Color{"green", {0.1, 0.62, 0.2}},
    Color{"blue", {0.15, 0.3, 0.9}}, Color{"yellow", {0.95, 0.8, 0.1}}};

struct Shape2d {
  uint64_t form = 0, color = 0;
  double x = 0, y = 0, radius = 0;

  bool covers(double px, double py) const {
    const double dx = px - x, dy = py - y;
    switch (static_cast<Form>(form)) {
      case Form::circle: return dx * dx + dy * dy <= radius * radius;
      case Form::square: return std::max(std::abs(dx), std::abs(dy)) <= 0.86 * radius;
      case Form::triangle: return dy <= 0.75 * radius && std::abs(dx) <= 0.6 * (dy + radius);
    }
    return false;
  }
  std::string text() const { return std::string("a ") + kColors[color].name + " " + kForms[form]; }
};

double between(Draw& draw, double low, double high) {
  return low + (high - low) * static_cast<double>(draw.below(1 << 20)) / (1 << 20);
}

// One coordinate of both centers apart, the other near each other.
void place(Draw& draw, bool is_row, Shape2d& first, Shape2d& second) {
  const double size = static_cast<double>(N), middle = size / 2;
  const double a = between(draw, first.radius, middle - first.radius);
  const double b = between(draw, middle + second.radius, size - second.radius);
  const double c = between(draw, 8, size - 8), d = c + between(draw, -4, 4);
  const auto inside = [&](double at, const Shape2d& shape) {
    return std::clamp(at, shape.radius, size - shape.radius);
  };
  (is_row ? first.x : first.y) = a;
  (is_row ? second.x : second.y) = b;
  (is_row ? first.y : first.x) = inside(c, first);
  (is_row ? second.y : second.x) = inside(d, second);
}

}  // namespace

Picture draw_picture(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kPictureSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  std::array<Shape2d, 2> shapes;
  bool is_row = false;
  Picture picture;
  do {
    for (Shape2d& shape : shapes) {
      shape.form = draw.below(kForms.size());
      shape.color = draw.below(kColors.size());
    }
    is_row = draw.chance(50);
    picture.sentence = shapes[0].text() + (is_row ? " left of " : " above ") + shapes[1].text();
  } while (shapes[0].text() == shapes[1].text() || part_of(hash_text(picture.sentence)) != part);
  for (Shape2d& shape : shapes) shape.radius = between(draw, 5, 7);
  place(draw, is_row, shapes[0], shapes[1]);
  picture.pixels = Tensor::empty({N, N, 3}, DType::f32);
  float* pixel = picture.pixels.data<float>();
  for (int64_t y = 0; y < N; ++y) {
    for (int64_t x = 0; x < N; ++x) {
      uint8_t of = 0;
      for (uint8_t k = 0; k < 2; ++k) {
        const bool covers =
            shapes[k].covers(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
        if (covers) of = static_cast<uint8_t>(k + 1);
      }
      picture.shapes.push_back(of);
      for (size_t c = 0; c < 3; ++c) {
        const double clean = of == 0 ? 0.93 : kColors[shapes[of - 1].color].rgb[c];
        *pixel++ = static_cast<float>(std::clamp(clean + between(draw, -0.05, 0.05), 0.0, 1.0));
      }
    }
  }
  return picture;
}

Tensor picture_patches(const Tensor& pixels, int64_t size) {
  check(size > 0 && N % size == 0, "pictures: patches of {} pixels do not fill {}", size, N);
  const int64_t across = N / size, width = 3 * size * size;
  Tensor patches = Tensor::empty({across * across, width}, DType::f32);
  for (int64_t y = 0; y < N; ++y) {
    for (int64_t x = 0; x < N; ++x) {
      const int64_t patch = y / size * across + x / size;
      const int64_t at = patch * width + (y % size * size + x % size) * 3;
      for (int64_t c = 0; c < 3; ++c) {
        patches.data<float>()[at + c] = 2 * pixels.data<float>()[(y * N + x) * 3 + c] - 1;
      }
    }
  }
  return patches;
}

}  // namespace heed
