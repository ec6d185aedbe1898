import { checkGraphSums } from "../../format/agreement/check-graph.ts";
import { unless } from "../../format/agreement/disagreement.ts";
import { DaoDetail, DaoList, UnscoredList } from "../../format/dao.ts";
import { DataPackage, describeVersion } from "../../format/data-package.ts";
import { DelegateItem, DelegationGraph } from "../../format/delegates.ts";
import { identifyFile } from "../../format/documents.ts";
import { Evidence } from "../../format/evidence.ts";
import { SpaceId } from "../../format/ids.ts";
import { type Manifest, type ManifestFile, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { ProposalLine } from "../../format/proposal-line.ts";
import type { PublishedEvidence } from "../../format/published-set.ts";
import {
  findDocument,
  type LocatedVersion,
  locateVersion,
  manifestFile,
  readDocument,
} from "./locate-version.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { invalidFile, refusalOf } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/** The lines of a `proposals/<space_id>.ndjson`, each of its shape; throws `SnapshotError`. */
export function readProposalLines(path: string, bytes: Buffer): readonly ProposalLine[] {
  const lines: ProposalLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(parseJsonFile(path, bytes.subarray(from, end), ProposalLine));
    from = end + 1;
  }
  return lines;
}

/** A field in quotes, with doubled quotes inside, or one without any. */
const FIELD = /("(?:[^"]|"")*"|[^",]*)(?:,|$)/gy;

/** What is put before a field that a spreadsheet would run; some take the wide forms of the signs for the signs. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/;

function fieldsOf(line: string): readonly string[] {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex <= line.length) {
    const match = FIELD.exec(line);
    if (match === null) return [];
    const text = match[1] ?? "";
    fields.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (!match[0].endsWith(",")) break;
  }
  return fields.map((field) => field.replace(ESCAPED_FORMULA, ""));
}

/** The delegate in one line of an `all.csv`; throws `SnapshotError` where it is none. */
export function delegateOfLine(path: string, line: string): DelegateItem {
  const [rank, address, ens, displayName, votes, share, delegators, weightTier] = fieldsOf(line);
  const parsed = DelegateItem.safeParse({
    rank: Number(rank),
    address,
    ...(ens === "" ? {} : { ens }),
    display_name: displayName,
    votes_human: Number(votes),
    votes_share_pct: Number(share),
    delegators_count: Number(delegators),
    weight_tier: weightTier,
  });
  if (parsed.success) return parsed.data;
  throw invalidFile(path, "holds a line that is no delegate");
}

/**
 * What the `datapackage.json` of a kept version says, of these files instead of its own: the same words and fields, other
 * hashes. Nothing where the version has none, as what its tables meant was never written down. Throws `SnapshotError`.
 */
export function describeAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): DataPackage | undefined {
  const before = findDocument(located, PATHS.dataPackage, DataPackage);
  if (before === undefined) return undefined;
  const schemas = new Map(before.resources.map(({ path, schema }) => [path, schema]));
  const { resources } = describeVersion({ ...located.manifest, files }, (path) => schemas.get(path));
  return { ...before, resources };
}

/** The lines behind one DAO's evidence, verified by hash; throws `SnapshotError`. */
export function readLinesOf(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): PublishedEvidence["proposals"] {
  const path = PATHS.proposals(spaceId);
  return readProposalLines(path, readVerified(directory, manifestFile(manifest, path)));
}

/** The evidence of one DAO with its lines, verified by hash; `undefined` where the version holds none of it. Throws `SnapshotError`. */
export function readEvidence(root: string, version: string, spaceId: string): PublishedEvidence | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const located = locateVersion(root, { version });
  const evidence = findDocument(located, PATHS.evidence(spaceId), Evidence);
  return evidence && { evidence, proposals: readLinesOf(located, spaceId) };
}

/**
 * The delegation graph of one DAO, verified by hash, its own, and adding up; `undefined` where the version holds none of
 * it. Throws `SnapshotError`.
 */
export function readGraph(located: LocatedVersion, spaceId: string): DelegationGraph | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const path = PATHS.graph(spaceId);
  const graph = findDocument(located, path, DelegationGraph);
  if (graph === undefined) return undefined;
  // A right hash only says that the file is the manifest's; a graph that does not add up cannot be drawn.
  const [wrong] = [
    ...unless(graph.space_id === spaceId, path, "holds the document of another id"),
    ...checkGraphSums(path, graph),
  ];
  if (wrong !== undefined) throw refusalOf({ ...wrong, path });
  return graph;
}

/** What a gate compares a new run with. */
export interface PublishedDocuments {
  readonly version: string;
  readonly manifest: Manifest;
  readonly daos: DaoList;
  readonly details: readonly DaoDetail[];
  readonly unscored: UnscoredList;
  readonly run: RunReport;
}

/** The lists, the details and the run report of a published version, each verified by hash; throws `SnapshotError`. */
export function readPublishedDocuments(root: string, version?: string): PublishedDocuments {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const { manifest } = located;
  return {
    version: located.version,
    manifest,
    daos: readDocument(located, PATHS.daos, DaoList),
    details: manifest.files
      .filter(({ path }) => identifyFile(path)?.kind === "dao")
      .map(({ path }) => readDocument(located, path, DaoDetail)),
    unscored: readDocument(located, PATHS.unscored, UnscoredList),
    run: readDocument(located, PATHS.run, RunReport),
  };
}
