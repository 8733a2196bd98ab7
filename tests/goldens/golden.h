// Reads the goldens that make_goldens.py has written; that file says which there are and what is in
// them.
//
//   const Golden golden("attention_causal");
//   Tensor q = golden.real("q");             // float64
//   Tensor targets = golden.ids("targets");  // int64
//   Tensor allowed = golden.flags("allowed");  // bool
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

class Golden {
 public:
  explicit Golden(const std::string& name) : path_(HEED_TEST_DATA "/../goldens/" + name + ".txt") {
    std::ifstream file(path_);
    if (!file) throw std::runtime_error(path_ + ": cannot open");
    std::string line;
    while (std::getline(file, line)) {
      if (line.empty() || line[0] == '#') continue;
      if (line.rfind("array ", 0) != 0) throw std::runtime_error(path_ + ": unexpected: " + line);
      read_array(line, file);
    }
  }

  Tensor real(const std::string& array) const {
    const auto found = arrays_.find(array);
    if (found == arrays_.end()) throw std::runtime_error(path_ + ": no array " + array);
    return found->second;
  }
  Tensor ids(const std::string& array) const { return real(array).to(DType::i64); }
  Tensor flags(const std::string& array) const { return real(array).to(DType::boolean); }

 private:
  // "array NAME SIZE SIZE .." and the numbers of its rows.
  void read_array(const std::string& head, std::istream& file) {
    std::istringstream words(head);
    std::string keyword, name;
    words >> keyword >> name;
    std::vector<int64_t> sizes;
    for (int64_t size = 0; words >> size;) sizes.push_back(size);
    const Shape shape{std::span<const int64_t>(sizes)};
    std::vector<double> values(static_cast<size_t>(shape.size()));
    for (double& value : values) {
      if (!(file >> value)) throw std::runtime_error(path_ + ": array " + name + " is too short");
    }
    std::string rest;
    std::getline(file, rest);
    arrays_[name] = Tensor::from(values, shape);
  }

  std::string path_;
  std::map<std::string, Tensor> arrays_;
};

}  // namespace heed
