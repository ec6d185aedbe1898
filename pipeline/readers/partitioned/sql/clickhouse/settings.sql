-- What the statements of this folder lean on; for one session. Run it first, in the session that runs all the others.
-- Range: none. Unit: none. Unknown: with these an absent number is NULL, as everywhere else in SQL, and never 0.
SET join_use_nulls = 1;
SET aggregate_functions_null_for_empty = 1;
SET cast_keep_nullable = 1;
-- A name in a select list is the column's, also where an alias takes the same name.
SET prefer_column_name_to_alias = 1;
-- Columns of two types below one another are a mistake, not a column of variants.
SET use_variant_as_common_type = 0;
-- Shares are passed on a step at a time: as many steps as the longest chain of voters that vote alike.
SET max_recursive_cte_evaluation_depth = 10000;
-- The DAO stands in the files themselves; a path's "1.eth" would be read as what it looks like.
SET use_hive_partitioning = 0;
