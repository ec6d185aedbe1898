import { join } from "node:path";
import { OperatorError, systemReason } from "../../operator-error.ts";
import { openRememberedFile, type RememberedFile } from "../../remembered-file.ts";

/** What was counted in: the epoch, and how many writes were seen in it, which only ever grows. */
export interface CountedEpoch {
  readonly epoch: string;
  readonly settled: number;
}

/** Remembers, over restarts, what was counted in. */
export type EpochMemory = RememberedFile<CountedEpoch>;

const FILE = "quota-epoch";

/** The memory in the proxy's home: without it, whoever starts after Redis lost its data would give the day anew. */
export function openEpochMemory(home: string): EpochMemory {
  try {
    return openRememberedFile({
      path: join(home, FILE),
      read: (line) => {
        const [, epoch, settled] = /^([0-9a-f]{32}) (0|[1-9][0-9]{0,14})$/.exec(line) ?? [];
        return epoch === undefined ? undefined : { epoch, settled: Number(settled) };
      },
      write: ({ epoch, settled }) => `${epoch} ${settled}`,
      damaged: () => unusable("it is damaged"),
    });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw unusable(systemReason(error) ?? "it cannot be read", error);
  }
}

function unusable(why: string, cause?: unknown): OperatorError {
  return new OperatorError(
    "STORE_UNUSABLE",
    `${FILE} in the home, which says where quota was counted, cannot be used: ${why}.`,
    "Look at its owner and rights. To count in whatever Redis holds now, delete the file.",
    cause,
  );
}
