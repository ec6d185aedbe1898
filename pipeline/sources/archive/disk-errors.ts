import { PipelineError } from "../../base/pipeline-error.ts";

/** `undefined` where the file is not there; any other trouble of the disk fails the DAO, without a path of this machine. */
export async function ifPresent<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
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
