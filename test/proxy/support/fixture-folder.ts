import { join } from "node:path";
import { beforeAll } from "vitest";
import { publishFixture } from "../../support/published-set.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A folder of its own for one test file, with the fixture published in it. */
export function folderWithFixture(options: Parameters<typeof publishFixture>[1] = {}) {
  const folder = temporaryFolder();
  const published = join(folder, "published");
  beforeAll(async () => {
    await publishFixture(published, options);
  });
  return { folder, published };
}
