# The tests of the core's modules once more, as sanitized.<module>: the same objects of tests, with the
# objects of labelsieve_sanitized in the place of the library's.
foreach(module ${sanitized_modules})
  add_executable(sanitized_${module} $<TARGET_OBJECTS:test_${module}>)
  set_target_properties(sanitized_${module} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(sanitized_${module} PRIVATE ${sanitizers})
  target_link_libraries(sanitized_${module} PRIVATE
    $<LINK_LIBRARY:WHOLE_ARCHIVE,labelsieve_sanitized> test_support)
  add_test(NAME sanitized.${module} COMMAND sanitized_${module} --gtest_brief=1)
  # LABELSIEVE_DATA: what the real sets would show takes long. Leaks need a right that tests may not have.
  set_tests_properties(sanitized.${module} PROPERTIES TIMEOUT 900
    ENVIRONMENT "LABELSIEVE_DATA=;ASAN_OPTIONS=detect_leaks=0")
endforeach()
