// What a run that begins with the parameters of another (--init-from) takes over besides them. A
// matrix of 64 x 64 fits any number of heads and any kind of positions, but means something in the
// model alone that it was trained in.
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/models/model_config.h"
#include "heed/run/settings.h"

namespace heed {

class HEED_API StartingShape {
 public:
  // The run in the folder.
  explicit StartingShape(const std::string& folder);

  // Before anything is chosen: settings that always have a value, such as --norm.
  void apply_defaults(TrainSettings& settings) const;
  // After what was chosen: settings that were left open. Returns what was taken, by both, to be
  // told.
  std::string fill(TrainSettings& settings) const;

 private:
  std::string folder_;
  TrainSettings shape_;
};

// What no setting says, such as the scale of embeddings, becomes that of `from`.
void copy_details(ModelConfig& config, const ModelConfig& from);

// Raises an Error that names the setting if parameters of the run in `folder`, whose model is
// `from`, would mean something else in this model.
void check_compatible(const ModelConfig& config, const ModelConfig& from,
                      const std::string& folder);

}  // namespace heed
