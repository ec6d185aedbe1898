import { randomBytes } from "node:crypto";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { noIndexRows, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { publishVersion } from "../../../snapshots/store/write/publish-version.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";

const META = { methodology_version: "1.0.0", as_of: "2026-10-31T23:59:59.999Z" };

/** The bodies that are served, by size: targets of the API that hold nothing but bytes that do not pack well. */
export const SIZED_TARGETS = {
  "2 KB": { target: "/v1/daos", id: "all", bytes: 2_000 },
  "10 KB": { target: "/v1/daos?category=defi", id: "defi", bytes: 10_000 },
  "100 KB": { target: "/v1/daos?category=social", id: "social", bytes: 100_000 },
} as const;
export type BodySize = keyof typeof SIZED_TARGETS;

/** Publishes a version whose index holds bodies of these sizes and nothing else. */
export async function publishSized(root: string): Promise<void> {
  const documents = Object.values(SIZED_TARGETS).map(({ id, bytes }) => ({
    kind: "daos" as const,
    id,
    path: PATHS.daos,
    meta: JSON.stringify(META),
    body: `${JSON.stringify({
      data: randomBytes(bytes)
        .toString("base64")
        .slice(0, bytes - 100),
      meta: META,
    })}\n`,
  }));
  const index = renderIndex({ ...noIndexRows(), documents });
  await publishVersion(
    { runId: randomBytes(8).toString("hex"), createdAtMs: Date.now() },
    () => ({
      about: { ...META, sources: [], replaces: null, redacted: false },
      files: [index],
    }),
    createSnapshotDisk(root),
  );
}
