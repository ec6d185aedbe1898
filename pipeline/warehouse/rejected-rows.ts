import type { Rejection } from "../facts/space-sink.ts";

/** The most rejected rows kept of one fetch: enough to see the pattern, and no way to fill the disk. */
export const REJECTED_ROWS_MAX = 1_000;

/** Rejections of one fetch: every one counted, the first thousand kept. */
export interface RejectedRows {
  add(rejection: Rejection): void;
  countsByCode(): Readonly<Record<string, number>>;
  rows(): readonly Rejection[];
}

/** Starts with none. Held in memory, because they outlive a fetch that is rolled back. */
export function createRejectedRows(): RejectedRows {
  const counts = new Map<string, number>();
  const rows: Rejection[] = [];
  return {
    add(rejection) {
      counts.set(rejection.code, (counts.get(rejection.code) ?? 0) + 1);
      if (rows.length < REJECTED_ROWS_MAX) rows.push(rejection);
    },
    countsByCode: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    rows: () => rows,
  };
}
