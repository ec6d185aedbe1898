import { type BigIntStats, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "./snapshot-error.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";
import { contentProblem, type ExpectedFile, openFile, openProblem } from "./verified-file.ts";

/** A verified file that is kept open, so that a change to the very bytes that were verified is noticed. */
export interface HeldFile {
  readonly firstBytes: (count: number) => Promise<Buffer>;
  /** Which file it is and when it was last touched, as of the last time its bytes were found right. */
  readonly trace: () => string;
  /** Whether its path still leads to these bytes. */
  readonly isInPlace: () => boolean;
  /** What is wrong by now; the hash is taken again only where the system says that something happened to the file. */
  readonly problem: () => Promise<SnapshotProblem | undefined>;
  readonly close: () => void;
}

/** No write passes without moving the last of these, whatever is done to the others. */
function traceOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function refusal({ path, message }: SnapshotProblem): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", message, { path });
}

function heldFile(directory: string, file: ExpectedFile, handle: FileHandle, stat: BigIntStats): HeldFile {
  let trace = traceOf(stat);
  return {
    async firstBytes(count) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0);
      return buffer.subarray(0, bytesRead);
    },
    trace: () => trace,
    isInPlace() {
      const found = statSync(join(directory, file.path), { bigint: true, throwIfNoEntry: false });
      return found !== undefined && found.ino === stat.ino && found.dev === stat.dev;
    },
    async problem() {
      try {
        const now = traceOf(await handle.stat({ bigint: true }));
        if (now === trace) return undefined;
        const found = await contentProblem(handle, file);
        if (found === undefined) trace = now;
        return found;
      } catch (error) {
        return openProblem(file.path, error);
      }
    },
    close() {
      // Nothing was written through it, so nothing can be lost by a close that fails.
      handle.close().catch(() => {});
    },
  };
}

/**
 * Opens and verifies a file of a version, and keeps it open; throws `SnapshotError`. Where its bytes were found right
 * while it had the trace `knownTrace`, and it still has, they are not read again.
 */
export async function holdVerified(
  directory: string,
  file: ExpectedFile,
  knownTrace?: string,
): Promise<HeldFile> {
  const handle = await openFile(directory, file.path);
  if ("code" in handle) throw refusal(handle);
  let found: SnapshotProblem | undefined;
  try {
    // Looked at before the bytes are: what happens in between is seen the next time.
    const stat = await handle.stat({ bigint: true });
    found = traceOf(stat) === knownTrace ? undefined : await contentProblem(handle, file);
    if (found === undefined) return heldFile(directory, file, handle, stat);
  } catch (error) {
    found = openProblem(file.path, error);
  }
  await handle.close();
  throw refusal(found);
}
