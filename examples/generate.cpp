// Lets a language model go on with a text, and shows the text as it is written:
//
//   heed train lm --train TEXT.txt -o run && generate run 'Once upon'
#include <heed/heed.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: generate FOLDER TEXT\n";
    return 2;
  }
  try {
    const heed::Pipeline model = heed::load(argv[1]);
    std::cout << argv[2];
    const heed::GeneratedText generated =
        model.generate(argv[2], {.max_tokens = 60,
                                 .sampling = {.temperature = 0.8, .top_p = 0.9, .seed = 1},
                                 .stop = {"\n\n"},
                                 .on_text = [](size_t, std::string_view more) {
                                   std::cout << more << std::flush;
                                   return true;  // false would end it here
                                 }});
    std::cout << "\n" << generated.generation.ids.size() << " tokens\n";
  } catch (const heed::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
