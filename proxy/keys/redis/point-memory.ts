import { readFileSync } from "node:fs";
import { OperatorError } from "../../operator-error.ts";
import { replaceDurably } from "../../redis/replace-durably.ts";
import type { RandomBytes } from "../key-format.ts";
import { type BookPoint, NO_POINT } from "./key-book.ts";

/** What a host saw last of the book, over its restarts: without it an older copy of Redis would pass for the newest. */
export interface PointMemory {
  /** `NO_POINT` where it saw none yet. */
  readonly last: BookPoint;
  /** Writes it, held up by nobody and one at a time; resolves when this point or a later one is on disk. Rejects where it cannot be written. */
  readonly remember: (point: BookPoint) => Promise<void>;
}

/** The memory at `path` in the home. */
export function openPointMemory(path: string, randomBytes: RandomBytes): PointMemory {
  const mark = Buffer.from(randomBytes(4)).toString("hex");
  let newest: BookPoint = NO_POINT;
  let writing: Promise<void> = Promise.resolve();
  return {
    last: readPoint(path),
    remember: (point) => {
      newest = point;
      const before = writing.catch(() => {});
      writing = before.then(() => {
        // Another one came while this one waited, and is written next.
        if (newest !== point) return undefined;
        return replaceDurably(path, `${point.revision} ${point.token}\n`, mark);
      });
      return writing;
    },
  };
}

function readPoint(path: string): BookPoint {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return NO_POINT;
    throw error;
  }
  const [, revision, token] = /^([1-9][0-9]{0,14}) ([0-9a-f]{1,64})\n$/.exec(text) ?? [];
  if (revision !== undefined && token !== undefined) return { revision: Number(revision), token };
  throw new OperatorError(
    "HOME_UNUSABLE",
    "keys-point in the home, which says what was seen last of the keys in Redis, is damaged.",
    "Delete the file to accept the keys as they are in Redis now; look at `key list` first.",
  );
}
