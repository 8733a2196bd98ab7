// Where a translator looks while it writes, as a picture in the terminal:
//
//   look heed-tour/dates 'Sunday, the 3rd of May 1997'
#include <heed/heed.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: look FOLDER TEXT\n";
    return 2;
  }
  try {
    const heed::Pipeline model = heed::load(argv[1]);
    const heed::AttentionMap map = model.attention(argv[2]);
    heed::Figure figure({.title = map.layer, .x_label = "looks at", .y_label = "token"});
    figure.heat_map(map.weights, {.row_labels = map.queries, .column_labels = map.keys, .low = 0});
    heed::TerminalOptions terminal;
    terminal.height = static_cast<int>(map.queries.size());
    std::cout << figure.terminal(terminal) << "\n";
  } catch (const heed::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
