import { DelegateItem } from "../format/delegates.ts";
import { SnapshotError } from "./snapshot-error.ts";

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
  throw new SnapshotError("SNAPSHOT_INVALID", `${path}: holds a line that is no delegate`, { path });
}
