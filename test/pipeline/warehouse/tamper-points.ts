import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import { createDailyPointStore, readPoints } from "../../../pipeline/warehouse/daily-points.ts";
import { type Database, openDatabase, openForReading } from "../../../pipeline/warehouse/database.ts";

/** Changes the points of past days in a warehouse's file as nothing of ours would; `undefined` takes one away. */
export function tamperPoints(
  path: string,
  change: (point: DailyPoint) => DailyPoint | undefined,
  methodKeyAfter: (methodKey: string) => string = (methodKey) => methodKey,
): void {
  const database = openDatabase(path);
  const store = createDailyPointStore(database, database);
  for (const { spaceId, methodKey } of ownersOf(database)) {
    const points = store.read(spaceId, methodKey).flatMap((point) => change(point) ?? []);
    store.forget(spaceId, "0000-00-00", "9999-99-99");
    store.keep(methodKeyAfter(methodKey), [[spaceId, points]]);
  }
  database.close();
}

/** The newest day of which any DAO's point is kept. */
export function lastKeptDate(path: string): string | undefined {
  const database = openForReading(path);
  const dates = ownersOf(database).flatMap(({ spaceId, methodKey }) =>
    readPoints(database, spaceId, methodKey).map(({ date }) => date),
  );
  database.close();
  return dates.sort().at(-1);
}

function ownersOf(database: Database): readonly { spaceId: string; methodKey: string }[] {
  return database.all("SELECT space_id AS spaceId, method_key AS methodKey FROM point_columns");
}
