# fermata_test(NAME SOURCES file... [LINKS target...] [LABELS label...] [ARGS arg...] [ENVIRONMENT VAR=value...]
#              [TIMEOUT seconds] [SERIAL])
#
# A GoogleTest program with gtest's main, as one ctest test of the same name:
#
#   fermata_test(
#     checkpoint_test
#     SOURCES bundle_reader_test.cc bundle_writer_test.cc
#     LINKS fermata_checkpoint)
#
# LINKS takes component libraries (fermata_checkpoint) for tests of what is inside, or fermata::fermata for tests
# of what users see; never both, since everything would be there twice. gmock and gtest come by themselves.
# LABELS defaults to `unit`; use `slow` for what takes more than a second or two, `heavy` for what builds things.
# Nothing happens without FERMATA_DEVELOPMENT, so component files may call it unconditionally.
#
# fermata_tensorflow_test(NAME SOURCES file... [LINKS target...] [LABELS label...])
#                                                                     a test that opens TensorFlow's graphs: it is left
#                                                                     out without TensorFlow, and the plug-in is built
#                                                                     before it
#
# fermata_script_test(NAME COMMAND program args... [same options])    any other program as a test; exit code 77
#                                                                     counts as skipped (print the reason first)
#
# fermata_python_test(NAME SCRIPT file [ARGS arg...] [same options])  a Python script that needs Python's own
#                                                                     TensorFlow; skipped where that is missing

if(FERMATA_DEVELOPMENT)
  enable_testing()
endif()

# What a sanitized program is told. TensorFlow keeps what it allocates at load for good, so leaks in its
# libraries are not ours to report.
function(fermata_sanitizer_environment variable)
  set(support ${PROJECT_SOURCE_DIR}/cmake/sanitizers)
  set(${variable}
      "LSAN_OPTIONS=suppressions=${support}/lsan.supp:print_suppressions=0"
      "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
      "TSAN_OPTIONS=suppressions=${support}/tsan.supp:halt_on_error=1:second_deadlock_stack=1"
      PARENT_SCOPE)
endfunction()

function(fermata_set_test_properties name serial timeout labels environment)
  if(NOT labels)
    set(labels unit)
  endif()
  if(NOT timeout)
    set(timeout 120)
  endif()
  if(FERMATA_SANITIZE)
    fermata_sanitizer_environment(sanitizer)
    list(APPEND environment ${sanitizer})
    # Sanitized programs are several times slower.
    math(EXPR timeout "${timeout} * 5")
  endif()
  set_tests_properties(
    ${name}
    PROPERTIES LABELS "${labels}"
               TIMEOUT ${timeout}
               ENVIRONMENT "${environment}"
               SKIP_RETURN_CODE 77
               RUN_SERIAL ${serial})
endfunction()

function(fermata_test name)
  if(NOT FERMATA_DEVELOPMENT)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "SOURCES;LINKS;LABELS;ARGS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fermata_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gmock GTest::gtest_main fermata_warnings
                                        fermata_sanitizers)
  # clang-tidy reads the product; GoogleTest's macros would double its time and say little.
  set_target_properties(${name} PROPERTIES CXX_CLANG_TIDY "")
  fermata_use_precompiled(${name} test)
  # What is tested is optimised, the tests need not be: it halves the time they take to compile.
  target_compile_options(${name} PRIVATE -O0)
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  fermata_set_test_properties(${name} "${arg_SERIAL}" "${arg_TIMEOUT}" "${arg_LABELS}" "${arg_ENVIRONMENT}")
endfunction()

# As fermata_test, for one that counts allocations (tests/support/counted_allocations.h). The thread sanitizer has an
# operator new of its own, so there it is left out.
function(fermata_allocation_test name)
  if(NOT FERMATA_SANITIZE STREQUAL thread)
    fermata_test(${name} ${ARGN})
    if(TARGET ${name})
      target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/counted_allocations.cc)
    endif()
  endif()
endfunction()

function(fermata_tensorflow_test name)
  if(NOT FERMATA_WITH_TENSORFLOW)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;LABELS")
  fermata_test(
    ${name}
    SOURCES ${arg_SOURCES}
    LINKS ${arg_LINKS}
    LABELS tensorflow ${arg_LABELS}
    ENVIRONMENT FERMATA_PROJECT_DIR=${PROJECT_SOURCE_DIR}
    TIMEOUT 300)
  if(TARGET ${name})
    add_dependencies(${name} fermata_tensorflow)
  endif()
endfunction()

function(fermata_script_test name)
  if(NOT FERMATA_DEVELOPMENT)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fermata_script_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  fermata_set_test_properties(${name} "${arg_SERIAL}" "${arg_TIMEOUT}" "${arg_LABELS}" "${arg_ENVIRONMENT}")
endfunction()

function(fermata_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT" "ARGS;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS python)
  endif()
  fermata_script_test(${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/with_python ${arg_SCRIPT} ${arg_ARGS}
                      LABELS ${arg_LABELS} ${arg_UNPARSED_ARGUMENTS})
endfunction()
