import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { deserialize } from "node:v8";
import { inHome } from "../home/home.ts";
import type { Settings } from "../home/settings.ts";

/** Where something was put that is taken up again in this run. */
export interface PutAside {
  readonly at: number;
  readonly length: number;
}

/** A file for what a run computes and takes up again later. */
export type ScratchFile = ReturnType<typeof openScratch>;

/** Works with a scratch file in the home. It has no name, so that it ends with the process, however that ends. */
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
    // Not by the number of the process: in a container that is always the same, and what a crash left would stop every run.
    const path = join(settings.homeDirectory, `.scratch-${randomUUID()}`);
    const opened = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    return opened;
  });
  let end = 0;
  return {
    /** For `takeUp`, in any thread of this process. */
    descriptor,
    /** Bytes that were put aside so far. */
    size: () => end,
    /** Puts aside what `v8.serialize` gave. Throws `PipelineError` HOME_INVALID where the disk refuses it. */
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

/** What was put aside; `Value` is what was serialised there. */
export function takeUp<Value>(descriptor: number, { at, length }: PutAside): Value {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, at + done);
    if (read === 0) throw new Error("invariant: what was put aside is shorter than it was");
    done += read;
  }
  return deserialize(bytes) as Value;
}
