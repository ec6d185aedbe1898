import type { FetchSummary } from "../run/fetch.ts";
import { formatTable } from "./table.ts";

const rejectedCount = (record: FetchSummary): number =>
  Object.values(record.rejected).reduce((sum, count) => sum + count, 0);

/** What was fetched, a line per DAO; a failed one with its reason below the table. */
export function formatFetches(records: readonly FetchSummary[], columns?: number): string {
  const table = formatTable(
    [
      { heading: "space", of: (record: FetchSummary) => record.spaceId },
      { heading: "status", of: (record) => record.status },
      { heading: "proposals", of: (record) => String(record.proposals), align: "right" },
      { heading: "votes", of: (record) => String(record.votes), align: "right" },
      { heading: "lists", of: (record) => String(record.delegateLists), align: "right", fit: "drop" },
      { heading: "logs", of: (record) => String(record.logs), align: "right", fit: "drop" },
      { heading: "rejected", of: (record) => String(rejectedCount(record)), align: "right" },
    ],
    records,
    columns,
  );
  const failures = records.flatMap(({ spaceId, error }) =>
    error === undefined ? [] : [`${spaceId}: ${error.code} ${error.message}\n`],
  );
  return `${table}${failures.length === 0 ? "" : "\n"}${failures.join("")}`;
}
