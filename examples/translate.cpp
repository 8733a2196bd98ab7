// Translates a text with a model that heed trained, for example one of heed tour:
//
//   heed tour && translate heed-tour/phrases 'the small red car'
//
// Shows the best translations of a beam, and how likely the model finds them.
#include <heed/heed.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: translate FOLDER TEXT\n";
    return 2;
  }
  try {
    const heed::Pipeline model = heed::load(argv[1]);
    const heed::GeneratedText best =
        model.translate(argv[2], {.beam = {.width = 4, .n_best = 3, .length_penalty = 0.6}});
    std::cout << best.text << "   " << best.generation.score << "\n";
    for (size_t i = 0; i < best.others.size(); ++i) {
      std::cout << best.others[i] << "   " << best.generation.others[i].score << "\n";
    }
    // How likely the best one is, computed from its text; the scores above are such a logarithm
    // divided by length^0.6.
    const std::vector<std::string> sources = {argv[2]}, targets = {best.text};
    std::cout << "log p = " << model.score(sources, targets)[0].log_probability << "\n";
  } catch (const heed::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
