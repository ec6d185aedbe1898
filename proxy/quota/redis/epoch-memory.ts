import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError, systemReason } from "../../operator-error.ts";
import { replaceDurably } from "../../redis/replace-durably.ts";

/** What was counted in: the epoch, and how many writes were seen in it, which only ever grows. */
export interface CountedEpoch {
  readonly epoch: string;
  readonly settled: number;
}

/** Remembers, over restarts, what was counted in. */
export interface EpochMemory {
  /** Undefined where nothing was counted yet. */
  readonly counted: () => CountedEpoch | undefined;
  /** On disk when it resolves; holds up nobody else. Rejects where it cannot be written. */
  readonly remember: (counted: CountedEpoch) => Promise<void>;
}

const FILE = "quota-epoch";

/** The memory in the proxy's home: without it, whoever starts after Redis lost its data would give the day anew. */
export function openEpochMemory(home: string): EpochMemory {
  const path = join(home, FILE);
  let counted = readCounted(path);
  let writing: Promise<void> = Promise.resolve();
  return {
    counted: () => counted,
    remember: (next) => {
      const before = writing.catch(() => {});
      writing = before.then(async () => {
        await replaceDurably(path, `${next.epoch} ${next.settled}\n`, String(process.pid));
        counted = next;
      });
      return writing;
    },
  };
}

function readCounted(path: string): CountedEpoch | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(systemReason(error) ?? "it cannot be read", error);
  }
  const [, epoch, settled] = /^([0-9a-f]{32}) (0|[1-9][0-9]{0,14})$/.exec(text) ?? [];
  if (epoch !== undefined && settled !== undefined) return { epoch, settled: Number(settled) };
  throw unusable("it is damaged");
}

function unusable(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "STORE_UNUSABLE",
    `${FILE} in the home, which says where quota was counted, cannot be used: ${why}.`,
    "Look at its owner and rights. To count in whatever Redis holds now, delete the file.",
    cause,
  );
}
