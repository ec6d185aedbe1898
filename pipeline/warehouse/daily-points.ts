import { z } from "zod";
import type { DailyPoint } from "../facts/days.ts";
import { invariant } from "../facts/errors.ts";
import { columnAt, openSealed, parseColumn, sealColumns } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

/**
 * Points of one DAO: format and count (4 bytes each), a column of doubles for each number in the order below, dates and
 * versions as JSON, and a checksum of all this under the DAO and the method.
 */
const FORMAT = 2;
const HEADER_BYTES = 8;

/** The numbers of a point, one per column; NaN stands for a missing one. */
const numbersOf = ({ gvs, components, completenessPct, indexWeight, riskScore, gvsEnds }: DailyPoint) => [
  gvs,
  components.hpr,
  components.dei,
  components.pdi,
  components.gpi,
  completenessPct,
  indexWeight,
  riskScore,
  gvsEnds?.[0],
  gvsEnds?.[1],
];
const NUMBERS = 10;

/** The part of the points that is text; `versionAt` holds indexes into `versions`. */
const PackedText = z.object({
  dates: z.array(z.string()),
  versions: z.array(z.string()),
  versionAt: z.array(z.number()),
});

/** Packs points into the bytes of one row, under the name of their owner; throws on a number that is not finite. */
export function packPoints(name: string, points: readonly DailyPoint[]): Buffer {
  const count = points.length;
  const columns = new Float64Array(NUMBERS * count);
  points.forEach((point, index) => {
    numbersOf(point).forEach((number, column) => {
      const isSound = number === undefined || Number.isFinite(number);
      invariant(isSound, `a number of the point of ${name} on ${point.date} is not finite`);
      columns[column * count + index] = number ?? Number.NaN;
    });
  });
  const versions = [...new Set(points.map(({ methodologyVersion }) => methodologyVersion))];
  const text: z.infer<typeof PackedText> = {
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
  const [format, count] = columnAt(Uint32Array, bytes, 0, 2) as unknown as [number, number];
  if (format !== FORMAT) throw fail(`format ${format} is not known`);
  const text = parseColumn(PackedText, bytes.toString("utf8", HEADER_BYTES + NUMBERS * 8 * count));
  if (text === undefined || text.dates.length !== count) throw fail("their columns cannot be read");

  const columns = columnAt(Float64Array, bytes, HEADER_BYTES, NUMBERS * count);
  return text.dates.map((date, index) => {
    const methodologyVersion = text.versions[text.versionAt[index] ?? -1];
    if (methodologyVersion === undefined) throw fail(`the point of ${date} has no version`);
    const number = (column: number) => columns[column * count + index] as number;
    return {
      date,
      methodologyVersion,
      gvs: number(0),
      gvsEnds: Number.isNaN(number(8)) ? undefined : [number(8), number(9)],
      completenessPct: number(5),
      indexWeight: number(6),
      components: { hpr: number(1), dei: number(2), pdi: number(3), gpi: number(4) },
      riskScore: Number.isNaN(number(7)) ? undefined : number(7),
    };
  });
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
  if (points.length === 0) return void database.run(drop, spaceId, methodKey);
  const packed = packPoints(nameOf(spaceId, methodKey), points);
  database.put("point_columns", { spaceId, methodKey, packed });
}

function nameOf(spaceId: string, methodKey: string): string {
  return `${spaceId} by method ${methodKey}`;
}

function methodKeys(database: Database, spaceId: string): readonly string[] {
  const select = "SELECT method_key FROM point_columns WHERE space_id = ?";
  return database.all<{ methodKey: string }>(select, spaceId).map(({ methodKey }) => methodKey);
}

/** Stores the points of past days that are old enough to be final, each for the method that computed it. */
export type DailyPointStore = ReturnType<typeof createDailyPointStore>;

/** Creates the store of past points; reads from one connection and writes on the other. */
export function createDailyPointStore(reader: Database, writer: Database) {
  return {
    read: (spaceId: string, methodKey: string) => readPoints(reader, spaceId, methodKey),
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
      const dropOthers = "DELETE FROM point_columns WHERE space_id = ? AND method_key <> ?";
      writer.transaction("immediate", () => {
        for (const [spaceId, added] of points) {
          writer.run(dropOthers, spaceId, methodKey);
          const kept = [...readPoints(writer, spaceId, methodKey), ...added];
          const byDate = new Map(kept.map((point) => [point.date, point]));
          const sorted = [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
          writePoints(writer, spaceId, methodKey, sorted);
        }
      });
    },
  };
}
