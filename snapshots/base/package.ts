import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** What the programs read of their package.json. The name excludes a file placed beside a build to make it load. */
const Package = z.object({
  name: z.literal("govdata"),
  version: z.string(),
  engines: z.object({ node: z.string() }),
});

type Package = z.output<typeof Package>;

export function readPackage(packageDirectory: string): Package {
  return Package.parse(JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8")));
}

/**
 * Returns the nearest folder at or above `folder` (by default that of this file, built or not) with govdata's
 * package.json; `undefined` for a build that was copied without its package.
 */
export function findPackageDirectory(
  folder: string = dirname(fileURLToPath(import.meta.url)),
): string | undefined {
  const path = join(folder, "package.json");
  if (existsSync(path) && Package.safeParse(JSON.parse(readFileSync(path, "utf8"))).success) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : findPackageDirectory(above);
}
