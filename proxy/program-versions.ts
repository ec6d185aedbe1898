import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { FORMAT_VERSION } from "../snapshots/format/limits.ts";

const Package = z.object({ version: z.string() });

/** The versions of the program and of the format that it reads; its package is above `folder`, built or not. */
export function programVersions(folder: string = dirname(fileURLToPath(import.meta.url))): string {
  const version = packageVersion(folder) ?? "(version unknown: no package.json lies above the program)";
  return `govdata-proxy ${version}, format ${FORMAT_VERSION}`;
}

/** A build that was copied without its package still knows which format it reads. */
function packageVersion(from: string): string | undefined {
  let folder = from;
  while (!existsSync(join(folder, "package.json"))) {
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return Package.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).version;
}
