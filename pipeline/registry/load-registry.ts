import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Registry } from "../facts/tracked.ts";
import { parseRegistry } from "./parse-registry.ts";
import { registryInvalid } from "./registry-problem.ts";

/** Ten thousand DAOs and a hundred thousand wallets fit; more is not a file that somebody wrote. */
const BYTES_MAX = 32 * 1024 * 1024;

/** Reads the registry at `path`. Throws `PipelineError` REGISTRY_INVALID, also where there is none. */
export function loadRegistry(path: string): Registry {
  const fileName = basename(path);
  return parseRegistry(readText(path, fileName), fileName);
}

function readText(path: string, fileName: string): string {
  const invalid = (message: string, cause?: unknown) =>
    registryInvalid(fileName, [{ line: undefined, message }], cause);
  let bytes: Buffer;
  try {
    if (statSync(path).size > BYTES_MAX) throw invalid(`is larger than ${BYTES_MAX} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "syscall" in error && "code" in error ? error.code : undefined;
    if (code === undefined) throw error;
    throw invalid(code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`, error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid("is not UTF-8", error);
  }
}
