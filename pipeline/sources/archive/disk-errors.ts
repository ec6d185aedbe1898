import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { PipelineError } from "../../base/pipeline-error.ts";

/** A pipe never ends and a device is never what it says: only a regular file is read. */
class NotRegular extends Error {}

/** A file that was opened for reading: whoever has it closes `descriptor`. */
export interface OpenFile {
  readonly descriptor: number;
  /** When it was opened. */
  readonly bytes: number;
}

/**
 * Opens a regular file for reading; never waits for whoever holds the other end of a pipe. Like all file calls of an
 * archive it is a synchronous one: a thread of Node's pool for each costs as much as the small files themselves.
 */
export function openRegular(path: string): OpenFile {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return { descriptor, bytes: stat.size };
    throw new NotRegular();
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** `undefined` where the file is not there; any other trouble of the disk fails the DAO, without a path of this machine. */
export async function ifPresent<T>(file: string, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotRegular) {
      throw new PipelineError("SOURCE_FAILED", `${file} is not a regular file`, { cause: error });
    }
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") return undefined;
    throw new PipelineError("SOURCE_FAILED", `${file} cannot be read (${code})`, { cause: error });
  }
}

function codeOf(error: unknown): string | undefined {
  const isDiskError = error instanceof Error && "code" in error && "syscall" in error;
  return isDiskError ? String(error.code) : undefined;
}
