# SentencePiece, which installs no CMake files. Gives the target SentencePiece::SentencePiece: the
# processor and the trainer.

if(NOT TARGET SentencePiece::SentencePiece)
  find_path(SentencePiece_INCLUDE_DIR sentencepiece_trainer.h)
  find_library(SentencePiece_LIBRARY sentencepiece)
  find_library(SentencePiece_TRAIN_LIBRARY sentencepiece_train)
  mark_as_advanced(SentencePiece_INCLUDE_DIR SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY)

  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    SentencePiece
    REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY SentencePiece_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "on Debian, install libsentencepiece-dev")

  if(SentencePiece_FOUND)
    add_library(SentencePiece::SentencePiece UNKNOWN IMPORTED)
    set_target_properties(
      SentencePiece::SentencePiece
      PROPERTIES IMPORTED_LOCATION "${SentencePiece_TRAIN_LIBRARY}"
                 INTERFACE_LINK_LIBRARIES "${SentencePiece_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${SentencePiece_INCLUDE_DIR}")
  endif()
endif()
