import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { DailyPoint } from "../../facts/daily-point.ts";
import type { DailyPointStore } from "../warehouse.ts";
import { pointColumns } from "./point-columns.ts";

/** Points of past days in the warehouse, read from one connection and written on the other. */
export function createDailyPointStore(reader: Database, writer: Database): DailyPointStore {
  const shown = pointColumns(reader);
  const kept = pointColumns(writer);
  const keepOne = (spaceId: string, methodKey: string, points: readonly DailyPoint[]) => {
    for (const other of kept.methodKeys(spaceId)) if (other !== methodKey) kept.write(spaceId, other, []);
    const byDate = new Map(kept.read(spaceId, methodKey).map((point) => [point.date, point]));
    for (const point of points) byDate.set(point.date, point);
    const sorted = [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    kept.write(spaceId, methodKey, sorted);
  };
  const keep = writer.transaction((methodKey: string, points: ReadonlyMap<string, readonly DailyPoint[]>) => {
    for (const [spaceId, ofDao] of points) keepOne(spaceId, methodKey, ofDao);
  });
  const forget = writer.transaction((spaceId: string, from: string, to: string) => {
    for (const methodKey of kept.methodKeys(spaceId)) {
      const points = kept.read(spaceId, methodKey);
      const left = points.filter(({ date }) => date < from || date > to);
      if (left.length < points.length) kept.write(spaceId, methodKey, left);
    }
  });
  return {
    read: shown.read,
    hasOtherMethod(spaceId, methodKey) {
      const methodKeys = shown.methodKeys(spaceId);
      return methodKeys.length > 0 && !methodKeys.includes(methodKey);
    },
    forget: (spaceId, from, to) => forget.immediate(spaceId, from, to),
    keep(methodKey, points) {
      // They would go with that fetch when it fails, and what was published would not stand.
      invariant(!writer.inTransaction, "points are kept while a fetch that replaces is open");
      keep.immediate(methodKey, points);
    },
  };
}
