# The tests of the core's modules once more, as sanitized.<module>: the same objects of tests, with the
# objects of labelsieve_sanitized in the place of the library's.
foreach(module ${sanitized_modules})
  add_executable(sanitized_${module} $<TARGET_OBJECTS:test_${module}>)
  set_target_properties(sanitized_${module} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(sanitized_${module} PRIVATE ${sanitizers})
  get_target_property(of_the_test test_${module} LINK_LIBRARIES)
  target_link_libraries(sanitized_${module} PRIVATE
    $<LINK_LIBRARY:WHOLE_ARCHIVE,labelsieve_sanitized> ${of_the_test})
  # Those of DuckDB are run by duckdb.tables_are_read_and_written_through_it, which has the library.
  add_test(NAME sanitized.${module} COMMAND sanitized_${module} --gtest_brief=1
           --gtest_filter=-DuckDbData.*:*EveryFormat.*/parquet)
  # LABELSIEVE_DATA: what the real sets would show takes long. Leaks need a right that tests may not have.
  set_tests_properties(sanitized.${module} PROPERTIES TIMEOUT 900
    ENVIRONMENT "LABELSIEVE_DATA=;ASAN_OPTIONS=detect_leaks=0")
endforeach()
