import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWorld } from "../../fixtures/world.ts";

/** An archive to load and where it came from. */
export interface FoundArchive {
  readonly directory: string;
  readonly origin: string;
}

/** The archive named on the command line, else the real one unpacked, else an invented world; the latter two go below `temporary`. */
export function findArchive(argument: string | undefined, temporary: string): FoundArchive {
  if (argument !== undefined) return { directory: resolve(argument), origin: "the folder given" };
  const beside = fileURLToPath(new URL("../../../shared/data", import.meta.url));
  const packed = join(process.env["GOVDATA_REAL_DATA"] ?? beside, "archive.tar.xz");
  const unpacked = join(temporary, "archive");
  mkdirSync(unpacked);
  if (existsSync(packed)) {
    execFileSync("tar", ["-xJf", packed, "-C", unpacked, "--strip-components=1"]);
    return { directory: unpacked, origin: "the real archive" };
  }
  writeWorld({ directory: unpacked, seed: "warehouse-load", endDay: "2026-06-30" });
  return { directory: unpacked, origin: "an invented world, because the real archive is not here" };
}
