#include "apps/cli/demos/demo.h"

namespace heed::cli {

std::vector<Demo> all_demos() {
  return {pooling_demo(),         fuzzy_dictionary_demo(),
          weightings_demo(),      first_approach_demo(),
          gradients_demo(),       kernels_demo(),
          regression_demo(),      regression_weights_demo(),
          classification_demo(),  consistency_demo(),
          no_key_in_reach_demo(), scores_demo(),
          gaussian_score_demo(),  additive_score_demo(),
          masked_softmax_demo(),  causal_mask_demo(),
          window_demo(),          fixed_size_demo(),
          ragged_batch_demo(),    motivation_demo(),
          self_attention_demo(),  position_free_demo(),
          permutation_demo(),     variance_demo(),
          saturation_demo(),      cross_attention_demo(),
          bottleneck_demo(),      captions_demo(),
          audio_demo(),           chained_attention_demo(),
          multi_head_demo(),      blocks_demo(),
          layer_norm_demo(),      residual_demo(),
          positions_demo(),       position_modes_demo(),
          word_order_demo(),      complexity_demo(),
          parallel_demo(),        station_demo(),
          tired_demo(),           probe_demo()};
}

}  // namespace heed::cli
