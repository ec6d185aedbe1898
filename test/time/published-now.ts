import { DaoHistory, DaoList } from "../../snapshots/format/dao.ts";
import { Manifest, RunReport } from "../../snapshots/format/manifest.ts";
import { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import { FILES_OF_THE_RUN, publishedFiles } from "../support/published-files.ts";

/** What is published now, as far as time can change it. */
export function publishedNow(snapshots: string) {
  const files = publishedFiles(snapshots);
  return {
    version: files.version,
    sequence: files.sequence,
    manifest: Manifest.parse(files.json("manifest.json")),
    daos: DaoList.parse(files.json("daos.json")),
    ranks: DaoList.parse(files.json("daos.json")).map(({ rank, space_id: spaceId }) => `${rank} ${spaceId}`),
    points: (spaceId: string) => DaoHistory.parse(files.json(`history/${spaceId}.json`)).points,
    placeOf: (spaceId: string, id: string) =>
      files
        .bytes(`proposals/${spaceId}.ndjson`)
        .toString("utf8")
        .trimEnd()
        .split("\n")
        .map((line) => ProposalLine.parse(JSON.parse(line)))
        .find((line) => line.id === id)?.place,
    findings: RunReport.parse(files.json("run.json")).findings.map(({ code }) => code),
    paths: files.paths,
    /** Every file that holds no wall time, as text. */
    untimed: new Map(
      files.paths
        .filter((path) => !FILES_OF_THE_RUN.includes(path))
        .map((path) => [path, files.bytes(path).toString("latin1")]),
    ),
  };
}

/** The same files without the points of days before the first of another version's: each run adds to the past. */
export function withoutOlderDays(
  { untimed }: ReturnType<typeof publishedNow>,
  { points }: ReturnType<typeof publishedNow>,
): ReadonlyMap<string, string> {
  return new Map(
    [...untimed].map(([path, text]) => {
      if (!path.startsWith("history/")) return [path, text];
      const history = DaoHistory.parse(JSON.parse(text));
      const from = points(history.space_id)[0]?.date ?? "";
      const kept = history.points.filter(({ date }) => date >= from);
      return [path, `${JSON.stringify({ ...history, points: kept })}\n`];
    }),
  );
}

/** Days of points, all of them one after the other? */
export function holesIn(points: readonly { readonly date: string }[]): readonly string[] {
  const days = points.map(({ date }) => Date.parse(date) / 86_400_000);
  return points.flatMap(({ date }, index) =>
    index > 0 && days[index] !== (days[index - 1] ?? 0) + 1 ? [date] : [],
  );
}
