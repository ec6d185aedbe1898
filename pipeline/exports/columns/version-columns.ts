import { column } from "../column.ts";

/** What stands before the columns of a dataset where rows come from more than one version. */
export const VERSION_COLUMNS = [
  column("version", "string", "", "Name of the version that the row is from."),
  column("sequence", "integer", "", "Its sequence: rises by one with each publication."),
  column("as_of", "timestamp", "", "The moment that it is of."),
] as const;
