import { DelegateItem } from "../format/delegates.ts";
import { bareRow, type HiddenNames } from "../format/hidden-entities.ts";
import { delegateLines } from "./render-documents.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** A field in quotes, with doubled quotes inside, or one without any. */
const FIELD = /("(?:[^"]|"")*"|[^",]*)(?:,|$)/gy;

/** What is put before a field that a spreadsheet would run. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r])/;

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

function itemOf(path: string, line: string): DelegateItem {
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
  throw new SnapshotError("SNAPSHOT_INVALID", `${path}: holds a line that is no delegate`, { path });
}

/** A whole ranking with bare rows where hidden ones stood; every other line keeps its very bytes. */
export function redactCsv(path: string, bytes: Buffer, hidden: HiddenNames): Buffer {
  const [header = "", ...lines] = bytes.toString("utf8").split("\n");
  const shown = lines.map((line) => {
    if (line === "") return line;
    const item = itemOf(path, line);
    const bare = bareRow(item, hidden);
    return bare === item ? line : delegateLines([bare]).trimEnd();
  });
  return Buffer.from([header, ...shown].join("\n"), "utf8");
}
