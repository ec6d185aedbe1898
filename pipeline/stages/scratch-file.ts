import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "node:v8";
import { inHome } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";

/** Position of stored data in the scratch file. */
export interface PutAside {
  readonly at: number;
  readonly length: number;
}

/** A temporary file for data that a run needs again later. */
export type ScratchFile = ReturnType<typeof openScratch>;

/**
 * Runs work with a scratch file in the home. The file is unlinked, so that it disappears with the process.
 */
export async function withScratch<Result>(
  settings: Settings,
  work: (scratch: ScratchFile) => Promise<Result>,
): Promise<Result> {
  const scratch = openScratch(settings);
  try {
    return await work(scratch);
  } finally {
    scratch.close();
  }
}

function openScratch(settings: Settings) {
  const descriptor = inHome(settings, () => {
    // Not named by process id: in a container that is always the same, and a leftover file would stop every
    // run.
    const path = join(settings.homeDirectory, `.scratch-${randomUUID()}`);
    const opened = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return opened;
  });
  let end = 0;
  return {
    /** For `readBack`, in any thread of this process. */
    descriptor,
    /** Bytes stored so far. */
    size: () => end,
    /** Stores the result of `v8.serialize`. Throws `PipelineError` HOME_INVALID if the disk refuses. */
    putAside(bytes: Uint8Array): PutAside {
      const at = end;
      inHome(settings, () => {
        for (let done = 0; done < bytes.length; )
          done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
      });
      end += bytes.length;
      return { at, length: bytes.length };
    },
    close: () => closeSync(descriptor),
  };
}

/** Reads stored data; `Value` is the type that was serialised. */
export function readBack<Value>(descriptor: number, { at, length }: PutAside): Value {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, at + done);
    if (read === 0) throw new Error("invariant: the scratch file is shorter than what was stored");
    done += read;
  }
  return deserialize(bytes) as Value;
}
