import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, openSync, readSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { inBatches } from "../../snapshots/base/concurrency.ts";
import type { DailyPoint } from "../facts/days.ts";
import { invariant } from "../facts/errors.ts";
import { inHome } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";
import { packPoints, unpackPoints } from "../warehouse/daily-points.ts";

/** Points that are stored once their version is published. */
export interface PendingPoints {
  /** Throws `HOME_INVALID` if the disk refuses. */
  add(spaceId: string, points: readonly DailyPoint[]): void;
  /** Yields some DAOs at a time, in the order in which they were added; the points of each are read when it is its turn. */
  inBatches(size: number): Generator<Iterable<readonly [spaceId: string, points: readonly DailyPoint[]]>>;
  bytes(): number;
}

interface Added {
  readonly spaceId: string;
  readonly position: number;
  readonly length: number;
}

/**
 * Runs work with a file in the home for pending points: after a first run there is a year of them for each of tens of
 * thousands of DAOs. The file is unlinked, so that it disappears with the process.
 */
export async function withPendingPoints<Result>(
  settings: Settings,
  work: (pending: PendingPoints) => Promise<Result>,
): Promise<Result> {
  const descriptor = inHome(settings, () => {
    // Not named by process id: in a container that is always the same, and a leftover file would stop every run.
    const path = join(settings.homeDirectory, `.points-${randomUUID()}`);
    const opened = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return opened;
  });
  const added: Added[] = [];
  let size = 0;
  function* readEach(some: readonly Added[]): Generator<readonly [string, readonly DailyPoint[]]> {
    for (const { spaceId, position, length } of some) {
      const packed = Buffer.alloc(length);
      const read = inHome(settings, () => readSync(descriptor, packed, 0, length, position));
      invariant(read === length, "the file of points is shorter than what was added");
      yield [spaceId, unpackPoints(spaceId, packed)];
    }
  }
  try {
    return await work({
      add(spaceId, points) {
        const packed = packPoints(spaceId, points);
        inHome(settings, () => appendFileSync(descriptor, packed));
        added.push({ spaceId, position: size, length: packed.length });
        size += packed.length;
      },
      *inBatches(atOnce) {
        for (const some of inBatches(added, atOnce)) yield readEach(some);
      },
      bytes: () => size,
    });
  } finally {
    closeSync(descriptor);
  }
}
