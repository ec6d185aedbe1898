import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { PipelineError } from "../base/pipeline-error.ts";

/** Where to write, and whether what lies there may go. */
export interface OutputFile {
  readonly path: string;
  readonly isForced: boolean;
  /** Makes the name it is written under until it is whole. */
  readonly runId: string;
}

/** What was written. */
export interface Written {
  readonly bytes: number;
  readonly sha256: string;
}

function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (let from = 0; from < chunk.length; ) from += writeSync(descriptor, chunk, from);
}

/** Writes a new file, and unless somebody else sees to it waits until the disk has it; throws what the system throws. */
export function writeChunks(
  path: string,
  chunks: Iterable<Uint8Array>,
  { isFlushed }: { readonly isFlushed: boolean } = { isFlushed: true },
): Written {
  const hash = createHash("sha256");
  let bytes = 0;
  const descriptor = openSync(path, "wx");
  try {
    for (const chunk of chunks) {
      writeAll(descriptor, chunk);
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (isFlushed) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Throws `PipelineError` BAD_OPTION where a file lies that nobody allowed to go. */
export function assertFree({ path, isForced }: OutputFile): void {
  if (isForced || !existsSync(path)) return;
  throw new PipelineError("BAD_OPTION", `${path} is there already`, {
    hint: "Name another file, or allow this one to be replaced with --force.",
  });
}

/**
 * Writes a file beside its place and renames it there once it is whole: what fails on the way leaves nothing, and what
 * was there before stays. Throws `PipelineError` OUTPUT_FAILED.
 */
export function writeOutput(file: OutputFile, chunks: Iterable<Uint8Array>): Written {
  assertFree(file);
  const partial = `${file.path}.${file.runId}.partial`;
  try {
    const written = writeChunks(partial, chunks);
    assertFree(file);
    renameSync(partial, file.path);
    return written;
  } catch (cause) {
    rmSync(partial, { force: true });
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new PipelineError("OUTPUT_FAILED", `${basename(file.path)} cannot be written (${cause.code})`, {
      cause,
      hint: "Check that its folder is there, may be written to and has room.",
    });
  }
}
