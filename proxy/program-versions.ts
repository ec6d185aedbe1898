import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { FORMAT_VERSION } from "../snapshots/format/limits.ts";

/** Of this program, and not one that somebody laid beside a build so that it loads. */
const Package = z.object({ name: z.literal("govdata"), version: z.string() });

/** The versions of the program and of the format that it reads; its package is above `folder`, built or not. */
export function programVersions(folder: string = dirname(fileURLToPath(import.meta.url))): string {
  // A build that was copied without its package still knows which format it reads.
  const version = packageVersion(folder) ?? "(version unknown: no package.json of govdata lies above it)";
  return `govdata-proxy ${version}, format ${FORMAT_VERSION}`;
}

function packageVersion(folder: string): string | undefined {
  const path = join(folder, "package.json");
  const found = existsSync(path) ? Package.safeParse(JSON.parse(readFileSync(path, "utf8"))) : undefined;
  if (found?.success === true) return found.data.version;
  const above = dirname(folder);
  return above === folder ? undefined : packageVersion(above);
}
