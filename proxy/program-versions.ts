import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { FORMAT_VERSION } from "../snapshots/format/limits.ts";

const Package = z.object({ version: z.string() });

/** The versions of the program and of the format that it reads; its package is above it, built or not. */
export function programVersions(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = Package.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  return `govdata-proxy ${version}, format ${FORMAT_VERSION}`;
}
