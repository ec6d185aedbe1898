import { disagreementsAt } from "../../format/agreement/disagreement.ts";
import { encodeParsed } from "../../format/canonical-json.ts";
import { describeVersion, TableSchema } from "../../format/data-package.ts";
import { type FileKind, identifyFile, schemaPath } from "../../format/documents.ts";
import type { Imprint } from "../../format/imprint.ts";
import { type ManifestFile, type ManifestSource, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { snapshotFailure } from "../read/snapshot-error.ts";
import { createIndex } from "./build-index.ts";
import { type Publication, type PublishResult, publishVersion } from "./publish-version.ts";
import { type RenderedFile, renderedFile, renderJson } from "./render-documents.ts";
import type { RenderedPart } from "./render-part.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";

/** What to publish, and when (wall time, for the version's name and `created_at`). */
export interface SnapshotPlan extends Publication {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly sources: readonly ManifestSource[];
  readonly imprint?: Imprint | undefined;
  /**
   * Every document but `run.json`, in parts. They are taken while the lock is held, and each is freed once it is written.
   * If the iterator throws, nothing is published.
   */
  readonly parts: Iterable<RenderedPart> | AsyncIterable<RenderedPart>;
  /** Returns `run.json`; called after the last part. */
  readonly report: () => RunReport;
  /** The table schemas by kind of file; the data package describes only these as tables. */
  readonly tables?: Partial<Readonly<Record<FileKind, TableSchema>>> | undefined;
}

/** Publishes all documents or none. Readers switch only when the pointer is renamed. Throws `SnapshotFailure`. */
export async function publishSnapshot(plan: SnapshotPlan, disk: SnapshotDisk): Promise<PublishResult> {
  const about = {
    methodology_version: plan.methodologyVersion,
    as_of: plan.asOf,
    sources: [...plan.sources],
    replaces: null,
    redacted: false,
  };
  let refusal: { readonly error: unknown } | undefined;
  async function* parts(): AsyncGenerator<RenderedPart> {
    try {
      yield* plan.parts;
    } catch (error) {
      refusal = { error };
      throw error;
    }
  }
  try {
    return await publishVersion(plan, () => ({ about, files: renderAll({ ...plan, parts: parts() }) }), disk);
  } catch (error) {
    // An error from the iterator of parts is thrown as it is: it is no disk error.
    throw refusal === undefined ? error : refusal.error;
  }
}

/** Yields all files as bytes, the index and the data package last, because they depend on the others. */
async function* renderAll(plan: SnapshotPlan): AsyncGenerator<RenderedFile> {
  const { asOf: as_of, methodologyVersion: methodology_version, sources, imprint, tables = {} } = plan;
  const schemas = Object.entries(tables).map(
    ([kind, schema]) => [kind, renderJson(schemaPath(kind as FileKind), TableSchema, schema)] as const,
  );
  const files: ManifestFile[] = [];
  const index = createIndex();
  try {
    for await (const part of plan.parts) {
      index.add(part.rows);
      for (const file of part.files) {
        files.push(file.entry);
        yield file;
      }
    }
    for (const file of [...schemas.map(([, schema]) => schema), renderRun(plan, files), index.finish()]) {
      files.push(file.entry);
      yield file;
    }
  } finally {
    index.close();
  }
  const schemaPaths = new Map(schemas.map(([kind, { entry }]) => [kind, entry.path]));
  const described = describeVersion({ as_of, methodology_version, sources, files, imprint }, (path) =>
    schemaPaths.get(identifyFile(path)?.kind ?? ""),
  );
  // Not parsed: it consists of entries that the manifest will check, and of texts that repeat for every DAO.
  yield renderedFile(encodeParsed(described), {
    path: PATHS.dataPackage,
    records: 1,
    media_type: "application/json",
  });
}

/** Renders `run.json`; throws `DOCUMENT_INVALID` if its counts do not match the files. */
function renderRun({ asOf, report }: SnapshotPlan, files: readonly ManifestFile[]): RenderedFile {
  const path = PATHS.run;
  const run = report();
  const rendered = renderJson(path, RunReport, run);
  const recordsOf = (list: string) => files.find((file) => file.path === list)?.records ?? 0;
  const entities = files.filter((file) => identifyFile(file.path)?.kind === "entity").length;
  const [problem] = disagreementsAt(path, [
    [run.as_of === asOf, "as_of is not that of the documents"],
    [run.counts.daos_scored === recordsOf(PATHS.daos), "counts.daos_scored is not the number of scored DAOs"],
    [
      run.counts.daos_unscored === recordsOf(PATHS.unscored),
      "counts.daos_unscored is not the number of unscored DAOs",
    ],
    [run.counts.entities_published === entities, "counts.entities_published is not the number of entities"],
  ]);
  if (problem !== undefined) throw snapshotFailure("DOCUMENT_INVALID", problem.message, { path });
  return rendered;
}
