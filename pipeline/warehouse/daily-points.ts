import { z } from "zod";
import type { DailyPoint } from "../facts/days.ts";
import { invariant } from "../facts/errors.ts";
import { columnAt, openSealed, sealColumns } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

/**
 * Points of one DAO: format and count (4 bytes each), a column of doubles for each number in the order below, dates and
 * versions as JSON, and a checksum of all this under the DAO and the method.
 */
const FORMAT = 2;
const HEADER_BYTES = 8;

/** The numbers of a point, one per column; NaN stands for a missing one. */
const NUMBERS: readonly ((point: DailyPoint) => number | undefined)[] = [
  ({ gvs }) => gvs,
  ({ components }) => components.hpr,
  ({ components }) => components.dei,
  ({ components }) => components.pdi,
  ({ components }) => components.gpi,
  ({ completenessPct }) => completenessPct,
  ({ indexWeight }) => indexWeight,
  ({ riskScore }) => riskScore,
  ({ gvsEnds }) => gvsEnds?.[0],
  ({ gvsEnds }) => gvsEnds?.[1],
];
const RISK_COLUMN = 7;

/** Packs points into the bytes of one row, under the name of their owner; throws on a number that is not finite. */
export function packPoints(name: string, points: readonly DailyPoint[]): Buffer {
  const count = points.length;
  const columns = new Float64Array(NUMBERS.length * count);
  NUMBERS.forEach((numberOf, column) => {
    points.forEach((point, index) => {
      columns[column * count + index] = numberOf(point) ?? Number.NaN;
    });
  });
  const wrong = columns.findIndex((number, index) => {
    const point = points[index % count];
    const isMissing = point !== undefined && NUMBERS[Math.floor(index / count)]?.(point) === undefined;
    return !isMissing && !Number.isFinite(number);
  });
  invariant(wrong < 0, `a number of the point of ${name} on ${points[wrong % count]?.date} is not finite`);
  const versions = [...new Set(points.map(({ methodologyVersion }) => methodologyVersion))];
  const text: z.infer<typeof PACKED_TEXT> = {
    dates: points.map(({ date }) => date),
    versions,
    versionAt: points.map(({ methodologyVersion }) => versions.indexOf(methodologyVersion)),
  };
  const texts = Buffer.from(JSON.stringify(text), "utf8");
  return sealColumns(name, [Uint32Array.of(FORMAT, count), columns, texts]);
}

/** The inverse of `packPoints`; throws WAREHOUSE_CORRUPT, naming the owner, if the bytes are damaged. */
export function unpackPoints(name: string, packed: Uint8Array): readonly DailyPoint[] {
  const fail = (what: string) => corrupt(`points of ${name}: ${what}`);
  const bytes = openSealed(name, packed, HEADER_BYTES, fail);
  const end = bytes.length;
  const [format, count] = columnAt(Uint32Array, bytes, 0, 2) as unknown as [number, number];
  if (format !== FORMAT) throw fail(`format ${format} is not known`);
  const textAt = HEADER_BYTES + NUMBERS.length * 8 * count;
  const text = textAt <= end ? textOf(bytes.toString("utf8", textAt, end)) : undefined;
  if (text === undefined || text.dates.length !== count) throw fail("their columns cannot be read");

  const columns = columnAt(Float64Array, bytes, HEADER_BYTES, NUMBERS.length * count);
  const numberOf = (column: number, index: number) => columns[column * count + index] ?? Number.NaN;
  return text.dates.map((date, index) => {
    const methodologyVersion = text.versions[text.versionAt[index] ?? -1];
    if (methodologyVersion === undefined) throw fail(`the point of ${date} has no version`);
    const riskScore = numberOf(RISK_COLUMN, index);
    const [low, high] = [numberOf(RISK_COLUMN + 1, index), numberOf(RISK_COLUMN + 2, index)];
    return {
      date,
      methodologyVersion,
      gvs: numberOf(0, index),
      gvsEnds: Number.isNaN(low) ? undefined : [low, high],
      completenessPct: numberOf(5, index),
      indexWeight: numberOf(6, index),
      components: {
        hpr: numberOf(1, index),
        dei: numberOf(2, index),
        pdi: numberOf(3, index),
        gpi: numberOf(4, index),
      },
      riskScore: Number.isNaN(riskScore) ? undefined : riskScore,
    };
  });
}

/** The part of the points that is text; `versionAt` holds indexes into `versions`. */
const PACKED_TEXT = z.object({
  dates: z.array(z.string()),
  versions: z.array(z.string()),
  versionAt: z.array(z.number()),
});

function textOf(json: string): z.infer<typeof PACKED_TEXT> | undefined {
  try {
    return PACKED_TEXT.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

function methodKeys(database: Database, spaceId: string): readonly string[] {
  const select = "SELECT method_key AS methodKey FROM point_columns WHERE space_id = ?";
  return database.all<{ methodKey: string }>(select, spaceId).map(({ methodKey }) => methodKey);
}

/** The points that a method stored of a DAO, by date; throws WAREHOUSE_CORRUPT, naming the DAO, if they are damaged. */
export function readPoints(database: Database, spaceId: string, methodKey: string): readonly DailyPoint[] {
  const select = "SELECT packed FROM point_columns WHERE space_id = ? AND method_key = ?";
  const row = database.get<{ packed: Buffer }>(select, spaceId, methodKey);
  return row === undefined ? [] : unpackPoints(nameOf(spaceId, methodKey), row.packed);
}

/** Replaces the points that the method stored before; without points, deletes the row. */
function writePoints(
  database: Database,
  spaceId: string,
  methodKey: string,
  points: readonly DailyPoint[],
): void {
  const drop = "DELETE FROM point_columns WHERE space_id = ? AND method_key = ?";
  const replace = "INSERT OR REPLACE INTO point_columns (space_id, method_key, packed) VALUES (?, ?, ?)";
  if (points.length === 0) database.run(drop, spaceId, methodKey);
  else database.run(replace, spaceId, methodKey, packPoints(nameOf(spaceId, methodKey), points));
}

function nameOf(spaceId: string, methodKey: string): string {
  return `${spaceId} by method ${methodKey}`;
}

/** Stores the points of past days that are old enough to be final, each for the method that computed it. */
export type DailyPointStore = ReturnType<typeof createDailyPointStore>;

/** Creates the store of past points; reads from one connection and writes on the other. */
export function createDailyPointStore(reader: Database, writer: Database) {
  const keepOne = (spaceId: string, methodKey: string, points: readonly DailyPoint[]) => {
    for (const other of methodKeys(writer, spaceId)) {
      if (other !== methodKey) writePoints(writer, spaceId, other, []);
    }
    const kept = [...readPoints(writer, spaceId, methodKey), ...points];
    const byDate = new Map(kept.map((point) => [point.date, point]));
    const sorted = [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    writePoints(writer, spaceId, methodKey, sorted);
  };
  return {
    read: (spaceId: string, methodKey: string) => readPoints(reader, spaceId, methodKey),
    /** Whether points exist, but only of other methods. */
    hasOtherMethod(spaceId: string, methodKey: string): boolean {
      const keys = methodKeys(reader, spaceId);
      return keys.length > 0 && !keys.includes(methodKey);
    },
    /** Drops the points of the days `from` to `to`, both included, of every method. */
    forget: (spaceId: string, from: string, to: string) =>
      writer.transaction("immediate", () => {
        for (const methodKey of methodKeys(writer, spaceId)) {
          const points = readPoints(writer, spaceId, methodKey);
          const left = points.filter(({ date }) => date < from || date > to);
          if (left.length < points.length) writePoints(writer, spaceId, methodKey, left);
        }
        // A day without a point has no score only as far as the last visit says.
        writer.run("DELETE FROM visits WHERE space_id = ?", spaceId);
      }),
    /** Stores points, replacing those of the same days and dropping those of other methods, in one transaction. */
    keep(methodKey: string, points: Iterable<readonly [string, readonly DailyPoint[]]>): void {
      // If that fetch failed, its rollback would drop points that may have been published.
      invariant(!writer.inTransaction, "points are stored while a replacing fetch is open");
      writer.transaction("immediate", () => {
        for (const [spaceId, ofDao] of points) keepOne(spaceId, methodKey, ofDao);
      });
    },
  };
}
