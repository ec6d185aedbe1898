import { type KeptVersion, keptVersions } from "../../snapshots/store/kept-versions.ts";
import { readVersion, type WholeVersion } from "../../snapshots/store/read-version.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import { atomFeed } from "../exports/feed.ts";
import { type FeedMove, type FeedStep, movesOf } from "../exports/feed-moves.ts";
import { assertFree, type OutputFile, type Written, writeOutput } from "../exports/write-output.ts";
import { diffChanges } from "./diff-changes.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Which moves a feed tells, and where it goes. */
export interface FeedRequest {
  /** So many steps from one kept version to the next, the newest ones. */
  readonly stepsMax: number;
  /** Points of the gvs, as in `diff`. */
  readonly minDelta: number;
  readonly baseUrl: string | undefined;
  /** `undefined` gives the text back alone. */
  readonly file: OutputFile | undefined;
}

/** A feed, and what it tells; `written` where it went to a file. */
export interface FeedResult {
  readonly version: string;
  readonly asOf: string;
  readonly moves: readonly FeedMove[];
  /** Why there is no move in it; `undefined` where there is one. */
  readonly why: string | undefined;
  readonly text: string;
  readonly written: Written | undefined;
}

/** What each version changed of the one before it, the newest first. Two are in memory at a time. */
function stepsOf(root: string, kept: readonly KeptVersion[], minDelta: number): readonly FeedStep[] {
  const steps: FeedStep[] = [];
  let before: WholeVersion | undefined;
  for (const { version } of kept) {
    const after = readVersion(root, version);
    if (before !== undefined) {
      const { sequence, created_at: createdAt, as_of: asOf } = after.manifest;
      const { daos } = diffChanges(before, after, { isFull: false, minDelta });
      steps.push({ sequence, createdAt, asOf, daos });
    }
    before = after;
  }
  return steps.toReversed();
}

function whyEmpty(versions: number, minDelta: number): string {
  if (versions === 1)
    return "the feed is empty: one version is kept, and nothing before it to compare it with";
  return `the feed is empty: no gvs moved by ${minDelta} between the newest ${versions} kept versions (--min-delta, --steps)`;
}

/**
 * `govdata feed`: the scores that moved from version to version, as Atom. It names DAOs and nobody else. Throws
 * `PipelineError`.
 */
export async function runFeed(settings: Settings, request: FeedRequest): Promise<FeedResult> {
  const { stepsMax, minDelta, baseUrl, file } = request;
  if (file !== undefined) assertFree(file);
  const root = settings.snapshotsDirectory;
  const kept = await withStore(() => keptVersions(root).slice(-(stepsMax + 1)));
  const newest = kept.at(-1);
  if (newest === undefined) throw new PipelineError("SNAPSHOT_MISSING", "no version is kept");
  const moves = movesOf(await withStore(() => stepsOf(root, kept, minDelta)));
  const { version, manifest } = newest;
  const text = await atomFeed({ asOf: manifest.as_of, moves, baseUrl });
  const written = file && writeOutput(file, [Buffer.from(text, "utf8")]);
  const why = moves.length === 0 ? whyEmpty(kept.length, minDelta) : undefined;
  return { version, asOf: manifest.as_of, moves, why, text, written };
}
