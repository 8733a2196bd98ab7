// Which of some texts is most like the first? Compares the mean hidden states of a model:
//
//   similar heed-tour/phrases 'the red car' 'a red car' 'the old house'
#include <heed/heed.h>

#include <cmath>
#include <iostream>

namespace {

double cosine(const heed::Tensor& a, const heed::Tensor& b) {
  double ab = 0, aa = 0, bb = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.data<float>()[i], y = b.data<float>()[i];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: similar FOLDER TEXT OTHER...\n";
    return 2;
  }
  try {
    const heed::Pipeline model = heed::load(argv[1]);
    const std::vector<std::string> texts(argv + 2, argv + argc);
    const std::vector<heed::Tensor> vectors = model.embed(texts);
    for (size_t i = 1; i < texts.size(); ++i) {
      std::cout << cosine(vectors[0], vectors[i]) << "   " << texts[i] << "\n";
    }
  } catch (const heed::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
