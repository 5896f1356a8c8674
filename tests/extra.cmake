# Tests that are not GoogleTest programs.
set(consumer_flags "")
if(LABELSIEVE_SANITIZE)
  set(consumer_flags -fsanitize=${LABELSIEVE_SANITIZE})
endif()
add_test(NAME package.a_consumer_builds_against_the_installed_library
  COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/package
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/package -DCOMPILER=${CMAKE_CXX_COMPILER}
    "-DFLAGS=${consumer_flags}" -P ${CMAKE_CURRENT_SOURCE_DIR}/package/run.cmake)
# A build without any part beside the core: some minutes of compiling, so only where it is asked for
# (`make check` does).
option(LABELSIEVE_TEST_CORE "Test a build of the core alone" OFF)
if(LABELSIEVE_TEST_CORE AND NOT LABELSIEVE_SANITIZE)
  add_test(NAME package.the_core_alone_builds_and_says_what_is_missing
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/package
      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/package_core -DCOMPILER=${CMAKE_CXX_COMPILER} -DFLAGS=
      -P ${CMAKE_CURRENT_SOURCE_DIR}/package/core.cmake)
  set_tests_properties(package.the_core_alone_builds_and_says_what_is_missing PROPERTIES TIMEOUT 1500)
endif()

# Files and permissions, as somebody who is not root.
foreach(program test_base test_cli)
  add_test(NAME users.${program}_as_another_user
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/as_another_user $<TARGET_FILE:${program}> --gtest_brief=1
      --gtest_filter=*Files*:*AtomicFile*:*Environment*)
  set_tests_properties(users.${program}_as_another_user PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# A module includes only modules below it.
add_test(NAME modules.includes_point_down
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/modules_test.py ${PROJECT_SOURCE_DIR})
# The library speaks of its own fields and functions.
add_test(NAME words.no_string_of_the_library_names_a_flag_or_a_verb
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/words_test.py ${PROJECT_SOURCE_DIR})

if(TARGET sieve)
  # Files that earlier versions wrote, read by the command.
  add_test(NAME fixtures.files_of_0.2.0_give_what_they_gave
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/fixtures/earlier_files.py $<TARGET_FILE:sieve>
      ${CMAKE_CURRENT_SOURCE_DIR}/fixtures/0.2.0)
  # Help, JSON and the functions of the C library change on purpose only (`make snapshots`).
  add_test(NAME snapshots.what_users_see_has_not_changed
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/snapshots/snapshots.py $<TARGET_FILE:sieve>
      $<TARGET_FILE:labelsieve_c>)
  set_tests_properties(fixtures.files_of_0.2.0_give_what_they_gave
    snapshots.what_users_see_has_not_changed PROPERTIES TIMEOUT 600)

  # Pages in a real browser. Ends with 77 where npm reaches no registry.
  foreach(pages reports review)
    add_test(NAME browser.${pages}_work_in_chromium
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/browser/run $<TARGET_FILE:sieve>
        ${CMAKE_CURRENT_BINARY_DIR}/browser_${pages} ${pages})
    set_tests_properties(browser.${pages}_work_in_chromium PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()

  # Exported models in ONNX Runtime, which comes from npm, too.
  add_test(NAME onnx.models_say_the_same_in_onnx_runtime
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/onnx/run $<TARGET_FILE:sieve>
      ${CMAKE_CURRENT_BINARY_DIR}/onnx)
  set_tests_properties(onnx.models_say_the_same_in_onnx_runtime PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600)

  # What goes through DuckDB, which comes from npm, too.
  add_test(NAME duckdb.tables_are_read_and_written_through_it
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/duckdb/run $<TARGET_FILE:test_data>
      ${CMAKE_CURRENT_BINARY_DIR}/duckdb)
  set_tests_properties(duckdb.tables_are_read_and_written_through_it PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600)

  # Sets of the paper that are not here, made up. Ends with 77 without SciPy.
  add_test(NAME experiment.sets_in_the_layouts_of_the_paper_go_from_folder_to_table
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/experiment/sets_not_here.py $<TARGET_FILE:sieve>
      ${PROJECT_SOURCE_DIR}/plans)
  set_tests_properties(experiment.sets_in_the_layouts_of_the_paper_go_from_folder_to_table
    PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)

  # A grid whose ranks are killed. Ends with 77 where there is no mpirun.
  add_test(NAME cluster.a_grid_survives_the_loss_of_ranks
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cluster/kill_ranks.py $<TARGET_FILE:sieve> --kills 3)
  set_tests_properties(cluster.a_grid_survives_the_loss_of_ranks PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# The campaign of `make attack`, cut short; the same attacks on every machine.
# Sanitizers want to be the first library themselves.
if(TARGET sieve AND NOT LABELSIEVE_SANITIZE)
  add_library(attack_faults MODULE ${CMAKE_CURRENT_SOURCE_DIR}/attack/faults.cpp)
  set_target_properties(attack_faults PROPERTIES PREFIX lib)
  target_link_libraries(attack_faults PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME attack.a_short_campaign_finds_nothing
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/attack/attack.py $<TARGET_FILE:sieve>
      --faults $<TARGET_FILE:attack_faults> --attacks 600 --seed 13)
  set_tests_properties(attack.a_short_campaign_finds_nothing PROPERTIES TIMEOUT 300)
endif()
