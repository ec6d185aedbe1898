import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { METHODOLOGY } from "../score/methodology.ts";

const Package = z.object({ version: z.string() });

/** The version of the program, as its package says. */
export function programVersion(packageDirectory: string): string {
  return Package.parse(JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8"))).version;
}

/** The three versions that are raised apart: of the program, of the method, and of the format that it publishes. */
export function programVersions(packageDirectory: string): string {
  return `govdata ${programVersion(packageDirectory)}, method ${METHODOLOGY.version}, format ${FORMAT_VERSION}`;
}
