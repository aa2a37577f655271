# Sourced. seeds NAME: the project's files that the reader NAME reads, one path a line; some folders are links.
# `project` is the checkout.
seeds() {
  local fixtures=$project/tests/fixtures
  case $1 in
    bundle) find -L "$fixtures" "$project/examples" -name '*.index' ;;
    manifest) find "$project/tests/fuzz/corpus" -name 'manifest*.json' ;;
    lock_file) find "$project/tests/fuzz/corpus" -name 'lock*.json' ;;
    state_file)
      find -L "$fixtures" -name checkpoint -type f
      find -L "$fixtures/reference_files/state" -type f ! -name '*.json'
      ;;
    event_file) find -L "$fixtures" -name '*tfevents*' ;;
    meta_graph) find -L "$fixtures" \( -name '*.meta' -size -40k -o -name saved_model.pb \) ;;
    npy) find -L "$fixtures" "$project/examples" -name '*.npy' ;;
  esac
}
