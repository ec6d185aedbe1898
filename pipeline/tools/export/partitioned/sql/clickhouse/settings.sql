-- Settings that the other files need. Run it first, in the same session.
-- Range: none. Unit: none. Unknown: with these settings a missing number is NULL, as in standard SQL, and never 0.
SET join_use_nulls = 1;
SET aggregate_functions_null_for_empty = 1;
SET cast_keep_nullable = 1;
-- A name in a select list is the column's, even if an alias has the same name.
SET prefer_column_name_to_alias = 1;
-- A union of columns of two types is an error, not a column of variants.
SET use_variant_as_common_type = 0;
-- Shares are passed on one step at a time: as many steps as the longest chain of voters that vote alike.
SET max_recursive_cte_evaluation_depth = 10000;
-- Read the DAO from the files: in a path, "1.eth" would be read as a number.
SET use_hive_partitioning = 0;
-- Join in the order written. Without statistics of columns, a join seems as small as its smallest table, so that reordering
-- would keep all votes in memory. The setting exists since 25.9.
SET query_plan_optimize_join_order_limit = 1;
