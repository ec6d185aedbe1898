import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { PipelineError } from "../../base/pipeline-error.ts";

/** A pipe never ends and a device is never what it says: only a regular file is read. */
class NotRegular extends Error {}

/** Opens a regular file for reading; never waits for whoever holds the other end of a pipe. */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new NotRegular();
}

/** `undefined` where the file is not there; any other trouble of the disk fails the DAO, without a path of this machine. */
export async function ifPresent<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
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
