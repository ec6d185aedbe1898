import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Puts a small file in place of the one at `path`, on disk when it resolves; what was seen in Redis is remembered so.
 * `mark` names this writer's draft: several proxies may share a home, and the last one stays.
 */
export async function replaceDurably(path: string, text: string, mark: string): Promise<void> {
  const draft = `${path}.${mark}.new`;
  try {
    const file = await open(draft, "w", 0o600);
    try {
      await file.write(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
