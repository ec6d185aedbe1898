import { cleanText } from "../../../snapshots/format/text.ts";
import { keptVersions, ofLastMethod } from "../../../snapshots/store/read/kept-versions.ts";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import type { WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { assertFree, type OutputFile, writeOutput } from "../../home/atomic-write.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { html, htmlText } from "../html.ts";
import { readExplainedVersion } from "../read-explained.ts";
import { spell } from "../spell.ts";
import { diffChanges, FATE_WORDS, type FeedMove, movesOf, stableUrn } from "./moves.ts";

export const FEED_FILE = "feed.xml";

/** Placeholder for a missing base URL, because the package writes only absolute links. */
const NO_BASE_URL = "https://feed.invalid/";

function scores({ gvsBefore, gvsAfter }: FeedMove): string {
  if (gvsBefore === undefined) return gvsAfter === undefined ? "" : spell.score(gvsAfter);
  if (gvsAfter === undefined) return `${spell.score(gvsBefore)} before`;
  const change = spell.change(gvsAfter - gvsBefore);
  return `${spell.score(gvsBefore)} → ${spell.score(gvsAfter)} (${change})`;
}

/** Its title and content as HTML, and the page of a report that it links to. */
function entryOf(move: FeedMove) {
  const { spaceId, fate, gvsAfter, rankBefore, rankAfter, interval, mostly, asOf } = move;
  const name = cleanText(move.name) || spaceId;
  const between = interval === undefined ? "" : `, between ${interval.map(spell.score).join(" and ")}`;
  const isRanked = rankBefore !== undefined && rankAfter !== undefined && rankBefore !== rankAfter;
  const rank = isRanked ? ` Rank ${rankBefore} → ${rankAfter}.` : "";
  const why = mostly === undefined ? "" : ` Mostly by ${mostly}.`;
  // A DAO without a score has no page.
  const daoPage = gvsAfter === undefined ? "quality.html" : `daos/${encodeURIComponent(spaceId)}.html`;
  return {
    title: html`${name}${fate === "moved" ? "" : ` ${FATE_WORDS[fate]}`}: ${scores(move)}`,
    content: html`<p><bdi>${name}</bdi> ${FATE_WORDS[fate]}: governance score ${scores(move)}${between}.${rank}${why}</p><p>As of ${spell.moment(asOf)}.</p>`,
    page: fate === "vanished" ? "changes.html" : daoPage,
  };
}

/** Formats moves as an Atom feed, deterministically. Names are escaped in its HTML: none can end its element. */
export async function atomFeed(
  asOf: string,
  /** Newest first. */
  moves: readonly FeedMove[],
  /** URL of the feed and report, ending in a slash; without it, links are relative to the feed. */
  baseUrl: string | undefined,
): Promise<string> {
  const { Feed } = await import("feed");
  const base = baseUrl ?? NO_BASE_URL;
  const feed = new Feed({
    id: baseUrl === undefined ? stableUrn("govdata feed") : `${baseUrl}${FEED_FILE}`,
    title: "govdata: scores that moved",
    description: "Governance scores of DAOs, from 0 to 10, whenever one moves from one version to the next.",
    updated: new Date(asOf),
    generator: "govdata",
    author: { name: "govdata" },
    ...(baseUrl === undefined ? {} : { link: baseUrl, feed: `${baseUrl}${FEED_FILE}` }),
  });
  for (const move of moves) {
    const { title, content, page } = entryOf(move);
    const link = `${base}${page}`;
    const date = new Date(move.asOf);
    feed.addItem({ id: move.id, title: htmlText(title), link, date, content: htmlText(content) });
  }
  return `${feed.atom1().replaceAll(`href="${NO_BASE_URL}`, 'href="')}\n`;
}

/** The moves from each version to the next, newest first. Holds two versions in memory at a time. */
function movesBetween(root: string, kept: readonly LocatedVersion[], minDelta: number): readonly FeedMove[] {
  const steps: FeedMove[][] = [];
  let before: WholeVersion | undefined;
  for (const { version } of kept) {
    const after = readExplainedVersion(root, version);
    if (before !== undefined) {
      const { daos } = diffChanges(before, after, { isFull: false, minDelta });
      steps.push(movesOf(after.manifest, daos));
    }
    before = after;
  }
  return steps.toReversed().flat();
}

/**
 * `govdata feed`: the scores that moved from version to version, as Atom. Returns `written` if it goes to a
 * file, and why the feed is empty. Names only DAOs. Throws `PipelineFailure`.
 */
export async function runFeed(
  settings: Settings,
  request: {
    readonly stepsMax: number;
    readonly minDelta: number;
    readonly baseUrl: string | undefined;
    /** If `undefined`, the text is only returned. */
    readonly file: OutputFile | undefined;
  },
) {
  const { stepsMax, minDelta, baseUrl, file } = request;
  if (file !== undefined) assertFree(file);
  const root = settings.snapshotsDirectory;
  const kept = await withStore(() => ofLastMethod(keptVersions(root)).slice(-(stepsMax + 1)));
  const newest = kept.at(-1);
  if (newest === undefined) throw pipelineFailure("SNAPSHOT_MISSING", "no version is kept");
  const moves = await withStore(() => movesBetween(root, kept, minDelta));
  const { version, manifest } = newest;
  const text = await atomFeed(manifest.as_of, moves, baseUrl);
  const written = file && writeOutput(file, [Buffer.from(text, "utf8")]);
  const whyEmpty =
    kept.length === 1
      ? "the feed is empty: only one version is kept, so there is nothing to compare"
      : `the feed is empty: no gvs moved by ${minDelta} between the newest ${kept.length} kept versions (--min-delta, --steps)`;
  const why = moves.length === 0 ? whyEmpty : undefined;
  return { version, asOf: manifest.as_of, moves, why, text, written };
}
