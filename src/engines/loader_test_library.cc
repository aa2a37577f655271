// Stands for TensorFlow's library of another version.
// NOLINTNEXTLINE(readability-identifier-naming): it is TensorFlow's name.
extern "C" __attribute__((visibility("default"))) const char* TF_Version() { return "2.20.0"; }
