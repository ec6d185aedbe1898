import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the package that `folder` lies in, from source as from `dist/`; undefined where none lies above it. */
export function packageDirectoryAbove(folder: string): string | undefined {
  if (existsSync(join(folder, "package.json"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : packageDirectoryAbove(above);
}
