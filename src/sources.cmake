# The sources of every library, by folder. A file that stands in no list stops the configuration.

# from files to models and measures
set(core_sources
  base/atomic_file.cpp base/error.cpp base/file_lock.cpp base/files.cpp base/format_text.cpp
  base/hashes.cpp base/json.cpp base/memory.cpp base/named_rows.cpp base/new_file.cpp
  base/options.cpp base/random.cpp base/setting_names.cpp base/setting_table.cpp base/streams.cpp
  base/system_call.cpp base/table.cpp base/team_work.cpp base/threads.cpp base/version.cpp
  claims/annotator_claims.cpp claims/answered_lines.cpp claims/audit.cpp claims/audit_files.cpp
  claims/audit_lane.cpp claims/audit_result.cpp claims/certificate.cpp claims/claim.cpp
  claims/fixed_interval.cpp claims/guarantees.cpp claims/guess_table.cpp claims/guesses.cpp
  claims/label_measures.cpp claims/label_shares.cpp claims/planning.cpp claims/played.cpp
  claims/quantiles.cpp claims/recalibrate.cpp claims/sequence.cpp
  data/data_io.cpp data/dataset.cpp data/dataset_summary.cpp data/feature_stream.cpp
  data/fingerprint.cpp data/formats.cpp data/ids.cpp data/label_columns.cpp data/label_match.cpp
  data/library_output.cpp data/parts.cpp data/parts_of_list.cpp data/question.cpp
  data/read_settings.cpp data/row_weights.cpp data/score_table.cpp data/table_source.cpp
  data/votes.cpp data/zip_members.cpp data/annotations/annotation_files.cpp
  data/annotations/annotation_formats.cpp data/annotations/annotation_records.cpp
  data/annotations/annotation_sink.cpp data/annotations/annotation_tools.cpp
  data/annotations/annotations.cpp data/annotations/annotations_back.cpp
  data/annotations/answers.cpp data/annotations/asked_labels.cpp data/annotations/item_column.cpp
  data/annotations/item_data.cpp data/annotations/label_lists.cpp data/annotations/label_studio.cpp
  data/annotations/label_studio_out.cpp data/annotations/layouts.cpp
  data/annotations/marketplaces.cpp data/annotations/open_annotations.cpp
  data/annotations/plain_names.cpp data/annotations/programs.cpp data/annotations/rater_columns.cpp
  data/annotations/said_annotations.cpp data/annotations/tables.cpp data/annotations/vote_column.cpp
  data/arff/arff.cpp data/arff/arff_header.cpp data/arff/arff_writer.cpp data/binary/binary.cpp
  data/binary/binary_format.cpp data/csv/csv.cpp data/csv/csv_cells.cpp data/csv/csv_columns.cpp
  data/csv/csv_rows.cpp data/csv/csv_source.cpp data/csv/csv_writer.cpp data/duckdb/duckdb.cpp
  data/duckdb/duckdb_query.cpp data/duckdb/duckdb_table.cpp data/jsonl/json_text.cpp
  data/jsonl/jsonl.cpp data/jsonl/jsonl_table.cpp data/libsvm/libsvm.cpp data/libsvm/libsvm_rows.cpp
  data/numpy/npy.cpp data/numpy/npy_header.cpp data/numpy/numpy.cpp data/numpy/numpy_writer.cpp
  data/prepare/filter.cpp data/prepare/noise.cpp data/prepare/scale.cpp data/prepare/split.cpp
  data/recipe/column_kinds.cpp data/recipe/recipe.cpp data/recipe/recipe_use.cpp
  data/recipe/table.cpp data/recipe/text_terms.cpp data/roles/guess_roles.cpp data/synth/synth.cpp
  data/synth/synth_world.cpp data/text/numbers.cpp data/text/scan_floats.cpp
  data/text/text_kinds.cpp data/text/text_lines.cpp data/text/utf.cpp data/xlsx/sheet_text.cpp
  data/xlsx/workbook.cpp data/xlsx/xlsx.cpp
  linalg/blas.cpp linalg/compute.cpp linalg/dense.cpp linalg/design.cpp linalg/gemm.cpp
  linalg/labels.cpp linalg/matrix.cpp linalg/neighbours.cpp linalg/paging.cpp linalg/ridge.cpp
  linalg/row_products.cpp linalg/storage.cpp linalg/target.cpp linalg/transpose.cpp
  methods/decided_learner.cpp methods/registry.cpp methods/blend/blend.cpp
  methods/blend/blend_model.cpp methods/blend/label_mix.cpp methods/blend/weights.cpp
  methods/forest/binned.cpp methods/forest/forest.cpp methods/forest/forest_model.cpp
  methods/forest/label_support.cpp methods/forest/node.cpp methods/forest/noise_evidence.cpp
  methods/forest/out_of_bag.cpp methods/forest/split_kernels.cpp methods/forest/tree.cpp
  methods/forest/walk_kernels.cpp methods/forest/walks.cpp methods/linear/linear_model.cpp
  methods/mlp/mlp.cpp methods/neighbours/directions.cpp methods/neighbours/neighbours.cpp
  methods/neighbours/spread.cpp methods/network/member.cpp methods/network/network_learner.cpp
  methods/network/network_model.cpp methods/network/network_options.cpp
  methods/network/noise_model.cpp methods/network/plain_trainee.cpp methods/network/rows.cpp
  methods/network/trainee.cpp methods/pml_gan/gan_trainee.cpp methods/pml_gan/objective.cpp
  methods/pml_gan/players.cpp methods/pml_gan/pml_gan.cpp methods/pml_gan/step.cpp
  methods/pml_gan/wide_gan.cpp methods/ridge/ridge_part.cpp methods/shared/clean.cpp
  methods/shared/decision.cpp methods/shared/evidence_line.cpp
  methods/shared/decision_goal.cpp methods/shared/fit_support.cpp
  metrics/decisions.cpp metrics/measuring.cpp metrics/ranking.cpp metrics/registry.cpp
  metrics/significance.cpp
  model_io/feature_match.cpp model_io/state_file.cpp model_io/state_json.cpp
  model_io/training_files.cpp model_io/onnx/export.cpp model_io/onnx/graph.cpp
  nn/adam.cpp nn/backward.cpp nn/forward.cpp nn/kernels.cpp nn/lazy_rows.cpp nn/losses.cpp
  nn/mlp.cpp nn/wide_mlp.cpp nn/wide_pair.cpp
  crowd/advice.cpp crowd/aggregate.cpp crowd/agreement.cpp crowd/agreement_rows.cpp
  crowd/bernoulli_fit.cpp crowd/coins.cpp crowd/covariate.cpp crowd/crowd_model.cpp
  crowd/crowd_row.cpp crowd/exclusive_pairs.cpp crowd/fit_crowd.cpp crowd/fit_union.cpp
  crowd/gold_weights.cpp crowd/grades.cpp crowd/label_sets.cpp crowd/overlap.cpp crowd/qualities.cpp
  crowd/rank_curves.cpp crowd/scores.cpp crowd/strength.cpp crowd/strength_kernels.cpp
  crowd/vote_weights.cpp
  pipeline/columns_beside.cpp pipeline/guarantee.cpp pipeline/judge.cpp pipeline/judge_votes.cpp
  pipeline/judged.cpp pipeline/linear_scores.cpp pipeline/predict.cpp pipeline/predict_stream.cpp
  pipeline/prediction_writer.cpp pipeline/read_beside.cpp pipeline/reviewed_labels.cpp
  pipeline/train.cpp)

# files of Matlab (LABELSIEVE_MAT), part of the core
set(mat_sources
  data/mat/mat.cpp data/mat/mat5.cpp data/mat/mat5_full.cpp data/mat/mat5_writer.cpp
  data/mat/mat73.cpp)

# the methods that others published, and the solvers that only they use (LABELSIEVE_BASELINES)
set(baselines_sources
  linalg/least_squares.cpp
  methods/capml/capml.cpp methods/capml/steps.cpp methods/comes/comes.cpp methods/comes/risks.cpp
  methods/linear/linear_fit.cpp methods/ml_rbf/ml_rbf.cpp methods/ml_rbf/rbf_model.cpp
  methods/nlr/nlr.cpp methods/particle/confidences.cpp methods/particle/pairwise.cpp
  methods/particle/particle.cpp methods/pml_lc_fp/alternation.cpp methods/pml_lc_fp/pml_lc_fp.cpp
  methods/pml_lc_fp/subset_rule.cpp methods/pml_ni/pml_ni.cpp methods/schirn/schirn.cpp)

# processes on several machines
set(cluster_sources
  cluster/ranks.cpp cluster/meeting.cpp)

# results as text, JSON and pages
set(report_sources
  report/annotators_page.cpp report/canvas.cpp report/charts.cpp report/crowd_report.cpp
  report/document.cpp report/headlines.cpp report/html_page.cpp report/line_plot.cpp
  report/markup.cpp report/page_assets.cpp report/render_agreement.cpp report/render_audit.cpp
  report/render_cleaning.cpp report/render_dataset.cpp report/render_models.cpp report/rendered.cpp
  report/scatter_plot.cpp report/training_figures.cpp report/training_page.cpp)

# experiments and what is told about them (LABELSIEVE_STUDIES)
set(studies_sources
  experiment/comparison.cpp experiment/experiment.cpp experiment/fingerprints.cpp
  experiment/fork_crew.cpp experiment/grid.cpp experiment/grid_messages.cpp
  experiment/paper_figures.cpp experiment/plan.cpp experiment/plan_keys.cpp
  experiment/results_file.cpp experiment/run_task.cpp experiment/store.cpp experiment/task.cpp
  report/comparison_document.cpp report/experiment_page.cpp)

# the review page and its server (LABELSIEVE_WEB)
set(web_sources
  review/api.cpp review/cell_probabilities.cpp review/cells.cpp review/decisions.cpp
  review/error_left.cpp review/guidelines.cpp review/label_lines.cpp review/ledger.cpp
  review/machine_labels.cpp review/media.cpp review/neighbours.cpp review/page.cpp
  review/page_audit.cpp review/queue.cpp review/render.cpp review/report_page.cpp review/review.cpp
  review/review_page.cpp review/reviewed.cpp review/reviewer_name.cpp review/row_search.cpp
  review/row_texts.cpp review/screens.cpp review/server.cpp review/stop_lane.cpp
  review/untrusted_connections.cpp review/word_effects.cpp review/word_weights.cpp
  review/workspace.cpp review/workspace_files.cpp)

# liblabelsieve.so
set(c_sources
  c_api/arrays.cpp c_api/audit.cpp c_api/boundary.cpp c_api/cleaning.cpp c_api/data.cpp
  c_api/model.cpp c_api/votes.cpp)

# One file for each package that not everybody needs.
set(sqlite_sources base/sqlite.cpp)
set(toml_sources base/toml.cpp data/roles/roles_file.cpp)
set(mpi_sources cluster/mpi/mpi_ranks.cpp)
# Says what is missing where MAT is switched off.
set(without_mat_sources data/mat/mat_off.cpp)
# sheets of Excel to write (LABELSIEVE_XLSX), part of the core, and what stands in for them
set(xlsx_sources data/xlsx/workbook_writer.cpp)
set(without_xlsx_sources data/xlsx/workbook_writer_off.cpp)

# LABELSIEVE_UNITY compiles a folder of the core or the baselines at once, but for these:
# kernels, which are compiled for several processors, and sources with a name of their own that
# another of the folder has too.
set(alone_sources
  data/annotations/annotation_records.cpp data/annotations/annotations_back.cpp
  data/annotations/label_studio.cpp data/annotations/layouts.cpp data/annotations/rater_columns.cpp
  data/annotations/tables.cpp data/mat/mat73.cpp data/recipe/recipe.cpp data/text/scan_floats.cpp
  data/text/text_kinds.cpp data/xlsx/workbook_writer.cpp
  linalg/dense.cpp linalg/gemm.cpp linalg/row_products.cpp linalg/transpose.cpp
  nn/kernels.cpp nn/mlp.cpp
  methods/blend/weights.cpp methods/capml/steps.cpp methods/forest/split_kernels.cpp
  methods/forest/tree.cpp methods/forest/walk_kernels.cpp methods/ml_rbf/ml_rbf.cpp
  methods/ml_rbf/rbf_model.cpp methods/neighbours/spread.cpp methods/particle/pairwise.cpp
  methods/pml_lc_fp/pml_lc_fp.cpp methods/ridge/ridge_part.cpp methods/shared/evidence_line.cpp
  claims/fixed_interval.cpp claims/label_shares.cpp claims/planning.cpp claims/recalibrate.cpp
  model_io/state_file.cpp model_io/state_json.cpp
  crowd/agreement_rows.cpp crowd/covariate.cpp crowd/exclusive_pairs.cpp crowd/fit_union.cpp
  crowd/strength.cpp crowd/vote_weights.cpp
  pipeline/judge_votes.cpp pipeline/linear_scores.cpp)
